// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import CharacterCore
import Foundation
import MarketClient
import SheetCore

struct InitiativeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "initiative",
        abstract: "Keep track of who acts when, round by round. Needs no network.",
        discussion: """
            sheets initiative add Mira 18; sheets initiative add Goblin --roll d20+2; sheets initiative next

            The highest score goes first; of equal ones the higher --tie, then whoever joined first. Every step can be \
            undone.
            """,
        subcommands: [
            ShowOrder.self, Add.self, Next.self, Delay.self, Act.self, Ready.self, Trigger.self, Score.self,
            Before.self, Condition.self, Leave.self, Undo.self, Clear.self,
        ],
        defaultSubcommand: ShowOrder.self)

    /// A tracker with the states that it can be taken back to.
    struct Kept: Codable {
        var format = 1
        var states: [Initiative]
        static let most = 30
    }

    /// Whoever is in the order of the tracker that the words name.
    static let combatants = CompletionKind.custom { words, _, _ in
        let file = Library.initiative(KnownNames.value(of: "--of", words) ?? "table")
        let kept = try? KnownNames.library(words).table(file, as: Kept.self)
        return kept?.states.last?.combatants.map(\.name) ?? []
    }

    struct TrackerOptions: ParsableArguments {
        @Option(
            name: .customLong("of"),
            help: ArgumentHelp("Which tracker, where several tables play.", valueName: "name"))
        var tracker = "table"

        @OptionGroup var libraryOptions: LibraryOptions
        @OptionGroup var output: OutputOptions

        func read() throws -> Initiative {
            let kept: Kept? = try libraryOptions.open().table(Library.initiative(tracker))
            return kept?.states.last ?? Initiative()
        }

        /// Makes a step, keeps it, and tells what happened.
        func step(_ step: (inout Initiative) throws -> [Initiative.Event]) async throws {
            var events: [Initiative.Event] = []
            let kept = try await libraryOptions.open().changeTable(Library.initiative(tracker)) { (known: Kept?) in
                var states = known?.states ?? []
                var state = states.last ?? Initiative()
                try TableCommand.doing { events = try step(&state) }
                states.append(state)
                return Kept(states: states.suffix(Kept.most))
            }
            try show(kept.states.last ?? Initiative(), events)
        }

        private struct Shown: Encodable {
            let round: Int
            let current: String?
            let combatants: [Initiative.Combatant]
            let ties: [[String]]
            let events: [String]
        }

        func show(_ state: Initiative, _ events: [Initiative.Event] = []) throws {
            if output.json {
                return try Terminal.json(
                    Shown(
                        round: state.round, current: state.current, combatants: state.combatants, ties: state.ties,
                        events: events.map(\.description)))
            }
            for event in events { Terminal.out(Terminal.printable(event.description)) }
            guard !state.combatants.isEmpty else {
                return Terminal.note("Nobody takes part yet; `sheets initiative add NAME SCORE` adds somebody.")
            }
            var table = Table(("", .left), ("SCORE", .right), ("NAME", .left), ("STATE", .left))
            for one in state.combatants {
                var marks: [String] = []
                if one.isDelaying { marks.append("delaying") }
                if let trigger = one.readied { marks.append("ready for '\(trigger)'") }
                marks += one.conditions.map { condition in
                    condition.turns.map { "\(condition.name) (\(Readable.count($0, "turn")))" } ?? condition.name
                }
                table.add(
                    one.name == state.current ? ">" : "", one.isDelaying ? "-" : "\(one.score)", one.name,
                    marks.joined(separator: ", "))
            }
            Terminal.out(table.text)
            for tie in state.ties where state.round == 0 {
                Terminal.note(
                    Terminal.printable(
                        "Tied: \(tie.joined(separator: ", ")). `sheets initiative before NAME OTHER` settles it."))
            }
        }
    }

    struct ShowOrder: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "show", abstract: "Show the order.")
        @OptionGroup var tracker: TrackerOptions

        func run() async throws { try tracker.show(try tracker.read()) }
    }

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "add", abstract: "Add somebody, with a score or a roll.")

        @Argument(help: "Who.", completion: KnownNames.characters)
        var name: String

        @Argument(help: "The initiative score; one below 0 behind two dashes: -- -3.")
        var score: Int?

        @Option(help: ArgumentHelp("Roll the score, such as d20+2.", valueName: "formula"))
        var roll: String?

        @Option(parsing: .unconditional, help: ArgumentHelp("Settles ties: higher goes first.", valueName: "number"))
        var tie = 0

        @OptionGroup var tracker: TrackerOptions

        func validate() throws {
            guard (score == nil) != (roll == nil) else { throw ValidationError("Either a score or --roll.") }
        }

        func run() async throws {
            var score = self.score ?? 0
            if let roll {
                let outcomes: [RollOutcome]
                do throws(DiceError) {
                    var generator = CryptographicGenerator()
                    outcomes = try RollFormula(roll).roll(using: &generator)
                } catch {
                    throw RollCommand.failure(error, roll)
                }
                guard outcomes.count == 1 else { throw CommandFailure("--roll takes one roll, not several.", .usage) }
                score = outcomes[0].total
            }
            try await tracker.step { state in
                try state.add(name, score: score, tiebreaker: tie)
                return []
            }
        }
    }

    struct Next: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "next", abstract: "End the turn; the next one is up.")
        @OptionGroup var tracker: TrackerOptions

        func run() async throws { try await tracker.step { try $0.next() } }
    }

    struct Delay: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "delay",
            abstract: "Whoever is up waits outside the order, until `act` calls them back.")
        @OptionGroup var tracker: TrackerOptions

        func run() async throws { try await tracker.step { try $0.delay() } }
    }

    struct Act: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "act",
            abstract: "Whoever was delaying acts now, before whoever is up.")
        @Argument(help: "Who.", completion: InitiativeCommand.combatants)
        var name: String
        @OptionGroup var tracker: TrackerOptions

        func run() async throws { try await tracker.step { try $0.act(name) } }
    }

    struct Ready: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "ready",
            abstract: "Whoever is up readies an action for a trigger, and ends the turn.")
        @Argument(help: "What triggers it, such as 'the door opens'.")
        var trigger: String
        @OptionGroup var tracker: TrackerOptions

        func run() async throws { try await tracker.step { try $0.ready(trigger: trigger) } }
    }

    struct Trigger: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "trigger", abstract: "A readied action happens.")
        @Argument(help: "Whose.", completion: InitiativeCommand.combatants)
        var name: String
        @OptionGroup var tracker: TrackerOptions

        func run() async throws {
            try await tracker.step { state in
                _ = try state.trigger(name)
                return []
            }
        }
    }

    struct Score: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "score", abstract: "Change somebody's score.")
        @Argument(help: "Who.", completion: InitiativeCommand.combatants)
        var name: String
        @Argument(help: "The new score; one below 0 behind two dashes: -- -3.")
        var score: Int
        @Option(parsing: .unconditional, help: ArgumentHelp("Settles ties: higher goes first.", valueName: "number"))
        var tie: Int?
        @OptionGroup var tracker: TrackerOptions

        func run() async throws {
            try await tracker.step { state in
                try state.setScore(name, to: score, tiebreaker: tie)
                return []
            }
        }
    }

    struct Before: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "before",
            abstract: "Of two with the same score, let one go before the other.")
        @Argument(help: "Who goes first.", completion: InitiativeCommand.combatants)
        var name: String
        @Argument(help: "Who goes next.", completion: InitiativeCommand.combatants)
        var other: String
        @OptionGroup var tracker: TrackerOptions

        func run() async throws {
            try await tracker.step { state in
                try state.place(name, before: other)
                return []
            }
        }
    }

    struct Condition: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "condition",
            abstract: "Put a condition on somebody, for some turns or until it is ended.")
        @Argument(help: "Who.", completion: InitiativeCommand.combatants)
        var name: String
        @Argument(help: "The condition, such as prone.")
        var condition: String
        @Option(help: ArgumentHelp("It runs out after so many of their turns.", valueName: "count"))
        var turns: Int?
        @Option(help: ArgumentHelp("Where in a turn it is counted: start or end.", valueName: "start|end"))
        var at: Initiative.Condition.Moment = .end
        @Flag(help: "End it.")
        var end = false
        @OptionGroup var tracker: TrackerOptions

        func run() async throws {
            try await tracker.step { state in
                if end {
                    try state.end(condition, of: name)
                } else {
                    try state.begin(condition, of: name, turns: turns, moment: at)
                }
                return []
            }
        }
    }

    struct Leave: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "remove", abstract: "Take somebody out.")
        @Argument(help: "Who.", completion: InitiativeCommand.combatants)
        var name: String
        @OptionGroup var tracker: TrackerOptions

        func run() async throws { try await tracker.step { try $0.remove(name) } }
    }

    struct Undo: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "undo", abstract: "Take the last step back.")
        @OptionGroup var tracker: TrackerOptions

        func run() async throws {
            let file = Library.initiative(tracker.tracker)
            let kept = try await tracker.libraryOptions.open().changeTable(file) { (known: Kept?) in
                guard let known, !known.states.isEmpty else { throw CommandFailure("There is nothing to undo.") }
                return Kept(states: known.states.dropLast())
            }
            try tracker.show(kept.states.last ?? Initiative())
        }
    }

    struct Clear: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "clear", abstract: "Begin with an empty order.")
        @OptionGroup var tracker: TrackerOptions

        func run() async throws {
            try await tracker.step { state in
                state = Initiative()
                return []
            }
        }
    }
}

extension Initiative.Condition.Moment: ExpressibleByArgument {}
