// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import MarketAPI
import MarketHTTP
import MarketPages
import MarketWire
import ModerationService
import SheetCore

extension Admin {
    /// The moderation queue on the command line.
    struct Cases: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Look at what waits for a moderator, and decide it.",
            discussion: """
                A case is an upload that waits for its approval, something that was reported, or an appeal. Whoever works \
                on one claims it first, so that no two people decide the same:

                  sheetmarket admin cases list                       what waits, the most urgent first
                  sheetmarket admin cases next --as ada              claim the most urgent one for the moderator ada
                  sheetmarket admin cases show CASE                  all there is to know of it
                  sheetmarket admin cases decide CASE approve --as ada --reason meets_guidelines
                  sheetmarket admin cases decide CASE suspend --as ada --reason spam --message "Advertising." --until 14
                  sheetmarket admin cases confirm CASE --as bob      carry out what ada proposed where it takes two
                  sheetmarket admin cases release CASE --as ada      give it back undecided

                Decisions are made in a moderator's name and stand in the audit log like those made over HTTP; \
                docs/moderation.md tells what each does.
                """,
            subcommands: [
                List.self, Show.self, Next.self, Claim.self, Release.self, Decide.self, Confirm.self, Decline.self,
            ])

        struct List: AsyncParsableCommand {
            static let configuration = CommandConfiguration(
                abstract: "List cases, the most urgent first.",
                discussion:
                    "One line each: id, state, what it came of, name, version, whose it is, and what speaks for haste.")

            @Option(help: "open, claimed, waiting, decided, appealed or closed; by default all that wait.")
            var state: String?

            @Option(help: ArgumentHelp("Most cases.", valueName: "count"))
            var limit = 50

            @Flag(help: "Print JSON.")
            var json = false

            @OptionGroup var target: AdminTarget

            func validate() throws {
                if let state, CaseState(rawValue: state) == nil {
                    throw ValidationError(
                        "A state is one of \(CaseState.allCases.map(\.rawValue).joined(separator: ", ")).")
                }
                guard (1...1000).contains(limit) else { throw ValidationError("--limit takes 1 to 1000.") }
            }

            func run() async throws {
                let state = state.flatMap { CaseState(rawValue: $0) }
                let limit = limit
                let cases = try await target.moderating { node in
                    try await ModerationConsole(moderation: node.features.moderation).cases(state: state, limit: limit)
                }
                if json { return try printJSON(CaseList(cases: cases, nextCursor: nil)) }
                for one in cases { printLine(one.line) }
            }
        }

        struct Show: AsyncParsableCommand {
            static let configuration = CommandConfiguration(
                abstract: "Print all there is to decide on, as JSON.",
                discussion: "`choices` names what can be decided; the answer is that of GET /moderation/cases/{id}.")
            @Argument(help: ArgumentHelp("The case's id, from `list`.", valueName: "case-id")) var id: String
            @OptionGroup var target: AdminTarget

            func run() async throws {
                let id = try caseID(id)
                try printJSON(
                    try await target.moderating { node in
                        try await ModerationConsole(moderation: node.features.moderation).detail(id, as: nil)
                    })
            }
        }

        struct Next: AsyncParsableCommand {
            static let configuration = CommandConfiguration(abstract: "Claim the most urgent case for a moderator.")
            @Option(
                name: .customLong("as"), help: ArgumentHelp("In whose name: a moderator's handle.", valueName: "handle")
            )
            var moderator: String
            @OptionGroup var target: AdminTarget

            func run() async throws {
                let moderator = moderator
                let found = try await target.moderating { node in
                    try await ModerationConsole(moderation: node.features.moderation).next(as: moderator)
                }
                printLine(found?.line ?? "Nothing waits.")
            }
        }

        /// A case, and whoever acts on it.
        struct Chosen: ParsableArguments {
            @Argument(help: ArgumentHelp("The case's id, from `list`.", valueName: "case-id")) var id: String
            @Option(
                name: .customLong("as"), help: ArgumentHelp("In whose name: a moderator's handle.", valueName: "handle")
            )
            var moderator: String
            @OptionGroup var target: AdminTarget

            /// Acts on it in the moderator's name, and prints the line it has then.
            func act(
                _ body: @escaping @Sendable (ModerationConsole, CaseID, String) async throws -> CaseSummary
            ) async throws {
                let (id, moderator) = (try caseID(id), moderator)
                let summary = try await target.moderating { node in
                    try await body(ModerationConsole(moderation: node.features.moderation), id, moderator)
                }
                printLine(summary.line)
            }
        }

        struct Claim: AsyncParsableCommand {
            static let configuration = CommandConfiguration(
                abstract: "Claim a case for a moderator, or keep it longer.",
                discussion: "Only an administrator takes a case out of somebody's hands, and says why with --reason.")
            @OptionGroup var chosen: Chosen
            @Option(help: ArgumentHelp("Why it is taken over; the audit log keeps it.", valueName: "text"))
            var reason: String?

            func run() async throws {
                let reason = reason
                try await chosen.act { try await $0.claim($1, reason: reason, as: $2) }
            }
        }

        struct Release: AsyncParsableCommand {
            static let configuration = CommandConfiguration(abstract: "Give a claimed case back undecided.")
            @OptionGroup var chosen: Chosen

            func run() async throws {
                try await chosen.act { try await $0.release($1, as: $2) }
            }
        }

        struct Decide: AsyncParsableCommand {
            static let configuration = CommandConfiguration(
                abstract: "Decide a case in a moderator's name, claiming it where that is needed.")
            @OptionGroup var chosen: Chosen
            @Argument(
                help: ArgumentHelp(
                    "\(DecisionKind.allCases.map(\.rawValue).joined(separator: ", ")); `show` says which of them fit."))
            var decision: String
            @Option(
                help: ArgumentHelp(
                    "The reason's code, such as meets_guidelines or wrong_license: a file of web/reasons.",
                    valueName: "code"))
            var reason = "other"
            @Option(
                help: ArgumentHelp(
                    "What the people concerned are told; only an approval may go without: the reason's text.",
                    valueName: "text"))
            var message = ""
            @Option(
                help: ArgumentHelp(
                    "When a suspension ends: in so many days, or at a time such as 2026-12-24T12:00:00Z.",
                    valueName: "days|time"))
            var until: String?

            func validate() throws {
                if DecisionKind(rawValue: decision) == nil {
                    throw ValidationError(
                        "A decision is one of \(DecisionKind.allCases.map(\.rawValue).joined(separator: ", ")).")
                }
                if let until, Self.end(until) == nil {
                    throw ValidationError("--until takes 1 to 3660 days, or a time such as 2026-12-24T12:00:00Z.")
                }
            }

            private static func end(_ text: String) -> Date? {
                guard let days = Int(text) else { return WireJSON.date(text) }
                return (1...3660).contains(days) ? Date(timeIntervalSinceNow: Double(days) * 86_400) : nil
            }

            func run() async throws {
                guard let kind = DecisionKind(rawValue: decision) else { return }
                let request = DecisionRequest(
                    decision: kind, reasonCode: reason, message: message, until: until.flatMap { Self.end($0) })
                try await chosen.act { try await $0.decide($1, request, as: $2) }
            }
        }

        struct Confirm: AsyncParsableCommand {
            static let configuration = CommandConfiguration(
                abstract: "Confirm what another moderator proposed, claiming the case where that is needed.",
                discussion: "`show` tells what is proposed.")
            @OptionGroup var chosen: Chosen

            func run() async throws {
                try await chosen.act { try await $0.confirm($1, as: $2) }
            }
        }

        struct Decline: AsyncParsableCommand {
            static let configuration = CommandConfiguration(
                abstract: "Do not confirm what another moderator proposed; the case stays with who declined.")
            @OptionGroup var chosen: Chosen
            @Option(help: ArgumentHelp("Why not; the audit log keeps it.", valueName: "text"))
            var reason: String

            func run() async throws {
                let reason = reason
                try await chosen.act { try await $0.decline($1, reason: reason, as: $2) }
            }
        }
    }
}

extension AdminTarget {
    /// Runs a moderation action; refusals are worded as in the API.
    fileprivate func moderating<R: Sendable>(_ body: @Sendable (Node) async throws -> R) async throws -> R {
        do {
            return try await withNode(body)
        } catch let error as CaseError {
            let problem = error.apiError.problem(requestID: "")
            let details = (problem.errors ?? []).map { "\($0.pointer): \($0.detail)" }
            throw CommandFailure(([problem.detail ?? problem.title] + details).joined(separator: "\n  "))
        }
    }
}

private func caseID(_ text: String) throws -> CaseID {
    guard let id = CaseID(text) else {
        throw CommandFailure("'\(text)' is no case's id; `sheetmarket admin cases list` prints them.")
    }
    return id
}

private func printJSON(_ value: some Encodable) throws {
    let encoder = WireJSON.encoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    printLine(String(decoding: try encoder.encode(value), as: UTF8.self))
}

extension CaseSummary {
    /// On one line of a terminal.
    fileprivate var line: String {
        var parts = [id.description, state.rawValue, kind.rawValue, templateName]
        if let version { parts.append(version.description) }
        parts.append("by \(uploader)")
        if risk > 0 { parts.append("risk \(risk)") }
        if reportCount > 0 { parts.append("reports \(reportCount)") }
        if let claimedBy { parts.append("with \(claimedBy)") }
        if let due { parts.append("due \(due.rawValue)") }
        return parts.joined(separator: "  ")
    }
}
