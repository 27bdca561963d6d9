// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import MarketAPI
import MarketAccounts
import MarketPages
import MarketPlatform
import Moderation

/// The log of what was decided and changed.
struct AdminAudit: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit", abstract: "Check, sign and export the audit log.",
        subcommands: [Verify.self, Export.self, Checkpoint.self])

    /// Checks the chain of hashes and the signed checkpoints.
    struct Verify: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Check that no entry of the audit log was changed, removed, put in or cut off.",
            discussion: """
                Recomputes every hash, checks the signed checkpoints against the entries they cover, and that whatever was \
                erased has an entry that says so. With --kept, an export that was stored elsewhere, its checkpoints count \
                too: they show that the end was cut off together with the checkpoints here. Exits with 1 at the first fault.
                """)

        @Option(help: ArgumentHelp("An export of before (JSON lines).", valueName: "file"), completion: .file())
        var kept: String?

        @OptionGroup var target: AdminTarget

        func run() async throws {
            let checkpoints = try kept.map { path in
                AuditExport.checkpoints(in: try String(contentsOf: URL(filePath: path), encoding: .utf8))
            }
            let verified: AuditVerifier
            do {
                verified = try await target.withNode { node in
                    try await AuditLog.verify(node.features.database, keys: node.auditKeys, kept: checkpoints ?? [])
                }
            } catch let fault as AuditViolation {
                throw CommandFailure("The audit log does not hold: \(fault.kind.rawValue) at entry \(fault.sequence).")
            }
            printLine(
                "The audit log holds: \(verified.count) entries, \(verified.checkpoints) signed checkpoints, last hash "
                    + "\(verified.head).")
        }
    }

    struct Export: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Write the audit log as JSON lines to standard output: every entry, then the signed checkpoints.")

        @OptionGroup var target: AdminTarget

        func run() async throws {
            try await target.withNode { node in
                try await AuditExport.lines(of: node.features.database) { line in
                    try FileHandle.standardOutput.write(contentsOf: Data(line.utf8))
                }
            }
        }
    }

    struct Checkpoint: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Sign the audit log's head now, beside the hourly checkpoints of the workers.")

        @OptionGroup var target: AdminTarget

        func run() async throws {
            let made = try await target.withNode { node in
                guard let keys = node.auditKeys else {
                    throw CommandFailure("SHEETMARKET_AUDIT_KEYS is not set: there is no key to sign with.")
                }
                return try await AuditCheckpointer(platform: node.features.platform, keys: keys).work(atOnce: true)
            }
            printLine(made.map { "Signed entry \($0.sequence)." } ?? "There is nothing new to sign.")
        }
    }
}
