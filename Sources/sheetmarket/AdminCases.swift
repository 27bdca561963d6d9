// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import MarketAPI
import MarketWire
import SheetCore

extension Admin {
    /// The moderators' desk on the command line.
    struct Cases: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Look at what waits for a moderator, and decide it.",
            subcommands: [List.self, Show.self, Next.self, Decide.self])

        /// What waits.
        struct List: AsyncParsableCommand {
            static let configuration = CommandConfiguration(abstract: "List cases, the most urgent first.")

            @Option(help: "open, claimed, waiting, decided, appealed or closed; by default all that wait.")
            var state: String?

            @Option(help: "Most cases.")
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
                let cases = try await target.withNode { node in
                    try await DeskConsole(market: node.market).cases(state: state, limit: limit)
                }
                if json { return try printJSON(CaseList(cases: cases, nextCursor: nil)) }
                for one in cases { printLine(one.line) }
            }
        }

        /// One case.
        struct Show: AsyncParsableCommand {
            static let configuration = CommandConfiguration(abstract: "Print all there is to decide on, as JSON.")
            @Argument(help: "The case.") var id: String
            @OptionGroup var target: AdminTarget

            func run() async throws {
                let id = try caseID(id)
                try printJSON(
                    try await target.withNode { node in
                        try await DeskConsole(market: node.market).detail(id, as: nil)
                    })
            }
        }

        /// The most urgent one.
        struct Next: AsyncParsableCommand {
            static let configuration = CommandConfiguration(abstract: "Claim the most urgent case for a moderator.")
            @Option(name: .customLong("as"), help: "The moderator's handle.") var moderator: String
            @OptionGroup var target: AdminTarget

            func run() async throws {
                let moderator = moderator
                let found = try await target.withNode { node in
                    try await DeskConsole(market: node.market).next(as: moderator)
                }
                printLine(found?.line ?? "Nothing waits.")
            }
        }

        /// A decision.
        struct Decide: AsyncParsableCommand {
            static let configuration = CommandConfiguration(
                abstract: "Decide a case in a moderator's name, claiming it where that is needed.")
            @Argument(help: "The case.") var id: String
            @Argument(help: "approve, request_changes, reject, …") var decision: String
            @Option(name: .customLong("as"), help: "The moderator's handle.") var moderator: String
            @Option(help: "The reason's code.") var reason = "other"
            @Option(help: "What the people concerned are told.") var message = ""
            @OptionGroup var target: AdminTarget

            func validate() throws {
                if DecisionKind(rawValue: decision) == nil {
                    throw ValidationError(
                        "A decision is one of \(DecisionKind.allCases.map(\.rawValue).joined(separator: ", ")).")
                }
            }

            func run() async throws {
                let id = try caseID(id)
                guard let kind = DecisionKind(rawValue: decision) else { return }
                let request = DecisionRequest(decision: kind, reasonCode: reason, message: message)
                let moderator = moderator
                let summary = try await target.withNode { node in
                    try await DeskConsole(market: node.market).decide(id, request, as: moderator)
                }
                printLine(summary.line)
            }
        }
    }
}

private func caseID(_ text: String) throws -> CaseID {
    guard let id = CaseID(text) else { throw CommandFailure("\(text) is no case's id.") }
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
