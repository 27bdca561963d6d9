// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import SheetCore

/// Makes a market again from its backup.
struct RestoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Make a data folder of a backup, as it was last or at a time.",
        discussion: """
            Checks the backup first and refuses a damaged one; writes into an empty folder only, and leaves nothing when it \
            fails. Then `sheetmarket up --data DIR` goes on with it. Of a database that was not `up`'s own, \
            DIR/postgres/cluster is a PostgreSQL data folder to be moved to its server, and DIR/storage the storage.
            """)

    @Option(help: ArgumentHelp("The folder with the backups, or s3://BUCKET/PREFIX.", valueName: "place"))
    var from: String

    @Option(help: ArgumentHelp("The data folder to make; empty, or not there.", valueName: "dir"))
    var data: String

    @Option(
        help: ArgumentHelp(
            "Restore what was committed by then, such as 2026-11-25T18:00:00Z; needs what --continuous received.",
            valueName: "time"),
        transform: RestoreCommand.time)
    var to: Date?

    @OptionGroup var passphrase: PassphraseOptions

    @OptionGroup var node: NodeOptions

    func run() async throws {
        _ = try node.load()
        var known: String?
        let target = DataFolder(data)
        // A folder that is not there has nothing in it, either.
        let present = (try? FileManager.default.contentsOfDirectory(atPath: target.url.path)) ?? []
        guard present.isEmpty else {
            throw CommandFailure("\(target.url.path) is not empty: choose another folder.")
        }
        let place = try await BackupPlace.open(from, node, isNew: false) {
            known = try passphrase.passphrase(isNew: false)
            return known
        }
        let plan = try await RestorePlan(of: place, to: to) { try known ?? passphrase.passphrase(isNew: false) }
        if let gap = plan.gap {
            printLine(
                "The received log has a gap: what came after \(plan.manifest.finishedAt.formatted(.iso8601)) is lost "
                    + "from file \(String(gap, radix: 16)) on. Make backups after --continuous was started.")
        }
        let outcome = try await RestoreRun(plan: plan, target: target, time: to).run()
        printLine("Restored \(plan.name) into \(target.url.path): \(counted(outcome.artifacts, "artifact")).")
        if plan.keys == nil { printLine("Without keys: put them into the folder before `up` makes others.") }
        guard outcome.lost.isEmpty else {
            let names = outcome.lost.map(\.hex).joined(separator: ", ")
            throw CommandFailure("The market is restored, but without artifacts that no backup has: \(names)")
        }
    }

    /// Reads a time with or without fractions of a second.
    @Sendable private static func time(_ text: String) throws -> Date {
        let styles: [Date.ISO8601FormatStyle] = [.iso8601, .init(includingFractionalSeconds: true)]
        for style in styles {
            if let date = try? Date(text, strategy: style) { return date }
        }
        throw ValidationError("--to takes a time such as 2026-11-25T18:00:00Z.")
    }
}
