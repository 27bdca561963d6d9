// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import CharacterCore
import Foundation
import MarketClient
import SheetCore

struct RollCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "roll",
        abstract: "Roll dice, show the odds of a roll, and draw from tables. Needs no network.",
        discussion: """
            `sheets roll 4d6kh3+2` rolls four dice with six faces, keeps the highest three, and adds 2.

              kh3 kl1 dh1 dl1  keep or drop the highest or lowest
              ! !!             explode on the highest face; !! makes one value of it
              !>=9             explode on 9 or more
              r1 ro<3          throw again: until it is no 1; once if below 3
              >=8 f1           count 8 or more as successes, take one away per 1;
                               with explosions before them: 5d10>=8!
              d% dF            a percentile die; a Fate die
              @strength        a number of the character's sheet, see --for and --set
              6x 4d6kh3        six times
              hit: d20+5; damage: 2d6       several rolls, with labels

            Quote what the shell would take for itself: sheets roll '5d10>=8'.
            """,
        subcommands: [
            Dice.self, Odds.self, DrawCommand.self, Book.self, SetNumbers.self, Save.self, HistoryCommand.self,
        ],
        defaultSubcommand: Dice.self)

    /// Whose numbers and formulas are used.
    struct BookOptions: ParsableArguments {
        @Option(
            name: .customLong("for"),
            help: ArgumentHelp("Use the numbers and named rolls of this character.", valueName: "name"),
            completion: KnownNames.characters)
        var book: String?

        @Option(
            name: .customLong("set"),
            help: ArgumentHelp(
                "A number for this roll alone, such as str=3; may be repeated.", valueName: "name=number"))
        var numbers: [String] = []

        @OptionGroup var libraryOptions: LibraryOptions

        /// The formula, the text that was meant, and the numbers.
        func read(_ words: [String]) throws -> (formula: RollFormula, text: String, numbers: [String: Int]) {
            let library = libraryOptions.open()
            let owner = try book.map { try RollOwner($0, in: library) }
            let known = try owner?.book() ?? RollBook(name: "")
            var numbers = known.variables
            for text in self.numbers {
                let (name, number) = try SetNumbers.read(text)
                numbers[name] = number
            }
            let typed = words.joined(separator: " ")
            let text = known.formulas[typed] ?? typed
            do {
                let formula = try known.formula(typed)
                if let owner { owner.addAliases(formula.variables, to: &numbers) }
                return (formula, text, numbers)
            } catch {
                throw RollCommand.failure(error, text)
            }
        }
    }

    static func failure(_ error: DiceError, _ text: String) -> CommandFailure {
        CommandFailure(Terminal.printable(error.shown(in: text), lines: true), .usage)
    }

    struct Dice: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "dice", abstract: "Roll; this is what `sheets roll` does without another word.")

        @Argument(help: ArgumentHelp("Dice, or the name of a saved roll.", valueName: "formula"))
        var formula: [String]

        @Option(
            help: ArgumentHelp(
                "Begin the random numbers here: the same seed gives the same roll (xoshiro256**). Without it the "
                    + "system's cryptographic generator rolls.", valueName: "number"))
        var seed: UInt64?

        @Flag(name: .customLong("no-history"), help: "Do not remember the roll.")
        var noHistory = false

        @OptionGroup var options: BookOptions
        @OptionGroup var output: OutputOptions

        private struct Rolled: Encodable {
            let formula: String
            let seed: UInt64?
            let rolls: [RollOutcome]
        }

        func run() async throws {
            let (formula, text, numbers) = try options.read(self.formula)
            let outcomes: [RollOutcome]
            do throws(DiceError) {
                if let seed {
                    var generator = SeededGenerator(seed: seed)
                    outcomes = try formula.roll(variables: numbers, using: &generator)
                } else {
                    var generator = CryptographicGenerator()
                    outcomes = try formula.roll(variables: numbers, using: &generator)
                }
            } catch {
                throw RollCommand.failure(error, text)
            }
            if !noHistory {
                let entry = RollHistory.Entry(
                    rolledAt: Date(), formula: text, book: options.book, seed: seed, outcomes: outcomes)
                do {
                    try await options.libraryOptions.open().changeTable(Library.rollHistory) { (known: RollHistory?) in
                        var history = known ?? RollHistory()
                        history.add(entry)
                        return history
                    }
                } catch let error as LibraryError {
                    // The roll counts all the same.
                    Terminal.note("sheets: The roll is not remembered. \(Terminal.printable(error.description))")
                }
            }
            if output.json {
                try Terminal.json(Rolled(formula: formula.description, seed: seed, rolls: outcomes))
            } else {
                for outcome in outcomes { Terminal.out(Terminal.printable(RollCommand.line(outcome))) }
            }
        }
    }

    /// One roll in a line: the result first, then how it came about.
    static func line(_ outcome: RollOutcome) -> String {
        let label = [outcome.label, outcome.repetition.map { "#\($0)" }].compactMap { $0 }.joined(separator: " ")
        let total = outcome.isSuccessCount ? Readable.count(outcome.total, "success", "successes") : "\(outcome.total)"
        let dice = outcome.groups.map { group in
            let shown = group.dice.prefix(30).map { die in
                let rerolled = die.rerolled.map { "\($0)→" }.joined()
                let values = rerolled + die.values.map(String.init).joined(separator: "+")
                return die.isKept ? values : "(\(values))"
            }
            let more = group.dice.count > 30 ? ", …" : ""
            return "\(group.notation) [\(shown.joined(separator: ", "))\(more)]"
        }
        let how = ([outcome.expression] + (outcome.groups.isEmpty ? [] : dice)).joined(separator: "   ")
        return (label.isEmpty ? "" : "\(label): ") + "\(total)   \(how)"
    }

    struct Odds: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "odds",
            abstract: "Show how likely each result of a roll is: computed exactly, not tried out.")

        @Argument(help: ArgumentHelp("Dice, or the name of a saved roll.", valueName: "formula"))
        var formula: [String]

        @Option(
            name: .customLong("at-least"), parsing: .unconditional,
            help: ArgumentHelp("Only say how likely this result or more is.", valueName: "result"))
        var target: Int?

        @OptionGroup var options: BookOptions
        @OptionGroup var output: OutputOptions

        private struct Chances: Encodable {
            struct Chance: Encodable {
                let result: Int
                let probability: Double
            }

            let expression: String
            let minimum: Int
            let maximum: Int
            let mean: Double
            let standardDeviation: Double
            let median: Int
            let atLeast: Double?
            let chances: [Chance]
        }

        private struct Report: Encodable {
            let rolls: [Chances]
        }

        func run() async throws {
            let (formula, text, numbers) = try options.read(self.formula)
            var all: [Chances] = []
            for roll in formula.rolls {
                let odds: DiceDistribution
                do {
                    odds = try roll.expression.distribution(variables: numbers)
                } catch {
                    throw RollCommand.failure(error, text)
                }
                let chances = odds.probabilities.enumerated().map {
                    Chances.Chance(result: odds.minimum + $0.offset, probability: $0.element)
                }
                all.append(
                    Chances(
                        expression: roll.expression.description, minimum: odds.minimum, maximum: odds.maximum,
                        mean: odds.mean, standardDeviation: odds.standardDeviation, median: odds.quantile(0.5),
                        atLeast: target.map { odds.probability(atLeast: $0) },
                        chances: chances.filter { $0.probability > 0 }))
                if !output.json { describe(roll, odds) }
            }
            if output.json { try Terminal.json(Report(rolls: all)) }
        }

        private func describe(_ roll: RollFormula.Roll, _ odds: DiceDistribution) {
            let name = (roll.label.map { "\($0): " } ?? "") + roll.expression.description
            if let target {
                let chance = Self.percent(odds.probability(atLeast: target))
                Terminal.out(Terminal.printable("\(name): \(target) or more with \(chance)"))
                return
            }
            let mean = String(format: "%.2f", odds.mean)
            let deviation = String(format: "%.2f", odds.standardDeviation)
            Terminal.out(
                Terminal.printable(
                    "\(name): \(odds.minimum) to \(odds.maximum), on average \(mean) ± \(deviation)"))
            var table = Table(("RESULT", .right), ("CHANCE", .right), ("OR MORE", .right), ("", .left))
            // Of very many results those that people meet: all but one in a thousand at either end.
            let few = odds.probabilities.count <= 60
            let first = few ? odds.minimum : odds.quantile(0.001)
            let last = few ? odds.maximum : odds.quantile(0.999)
            let step = max(1, (last - first + 1) / 60)
            let most = odds.probabilities.max() ?? 1
            for result in stride(from: first, through: last, by: step) {
                let chance = odds.probability(of: result)
                let bar = String(repeating: Terminal.isUnicode ? "█" : "#", count: Int((30 * chance / most).rounded()))
                table.add(
                    "\(result)", Self.percent(chance), Self.percent(odds.probability(atLeast: result)), bar)
            }
            Terminal.out(table.text)
        }

        private static func percent(_ chance: Double) -> String { String(format: "%.2f %%", 100 * chance) }
    }

    struct HistoryCommand: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "history", abstract: "Show what was rolled.")

        @Option(help: ArgumentHelp("Show at most this many, the newest.", valueName: "count"))
        var limit = 20

        @Flag(help: "Forget all of it.")
        var clear = false

        @OptionGroup var libraryOptions: LibraryOptions
        @OptionGroup var output: OutputOptions

        private struct Shown: Encodable {
            let entries: [RollHistory.Entry]
        }

        func validate() throws {
            guard limit > 0 else { throw ValidationError("--limit is at least 1.") }
        }

        func run() async throws {
            let library = libraryOptions.open()
            if clear { try await library.removeTable(Library.rollHistory) }
            let history: RollHistory? = try library.table(Library.rollHistory)
            let entries = Array((history?.entries ?? []).suffix(limit))
            if output.json { return try Terminal.json(Shown(entries: entries)) }
            if entries.isEmpty { Terminal.note(clear ? "Forgotten." : "Nothing was rolled yet.") }
            for entry in entries {
                let who = entry.book.map { " \($0)" } ?? ""
                let seed = entry.seed.map { " (seed \($0))" } ?? ""
                for outcome in entry.outcomes {
                    Terminal.out(
                        Terminal.printable(
                            "\(Readable.minute(entry.rolledAt))\(who)\(seed)  \(RollCommand.line(outcome))"))
                }
            }
        }
    }
}
