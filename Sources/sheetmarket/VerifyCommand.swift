// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import MarketAPI

/// Whether a market is whole.
struct VerifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Look for lost or changed artifacts, broken references, a broken audit log and wrong counters.",
        discussion: """
            Reads every artifact; the market may run meanwhile. Exits with 1 when something is wrong. With --repair, \
            counters and search tables are made anew and objects that no row names are removed; lost artifacts come back \
            from a backup only.
            """)

    @Flag(help: "Make anew what can be derived.")
    var repair = false

    @Flag(help: "Look at artifacts' sizes only.")
    var quick = false

    @OptionGroup var target: AdminTarget

    func run() async throws {
        let faults = try await target.withNode { [repair, quick] node in
            let check = IntegrityCheck(node: node, isQuick: quick)
            let found = try await check.run()
            guard repair, !found.isEmpty else { return found }
            found.forEach { printLine("Found: \($0.kind.rawValue): \($0.text)") }
            try await check.repair(found)
            return try await check.run()
        }
        guard !faults.isEmpty else { return printLine("Everything holds.") }
        faults.forEach { printLine("\($0.kind.rawValue): \($0.text)") }
        throw CommandFailure("\(counted(faults.count, "fault")) found.")
    }
}
