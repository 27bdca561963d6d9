// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import MarketPlatform
import SheetCore

/// Copies a market so that it can be had again.
struct BackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Copy a market, running or not, so that `restore` can make it again.",
        discussion: """
            Writes the database, the artifacts that no earlier backup has, and the keys, sealed with a passphrase, into a \
            folder, or into a bucket (s3://BUCKET/PREFIX, of the server that SHEETMARKET_BACKUP_S3_… or SHEETMARKET_S3_… \
            name), where all is sealed. A backup that was cut off is not taken for one. With --continuous it runs until SIGINT or SIGTERM and \
            receives the database's log and new artifacts as they come, so that `restore --to` can go to any moment after \
            the first backup that was made beside it. Without --data, the role of DATABASE_URL needs REPLICATION.
            """)

    @Option(help: ArgumentHelp("The folder with the backups, or s3://BUCKET/PREFIX.", valueName: "place"))
    var to: String

    @Option(help: ArgumentHelp("Remove all but the newest backups, and what only they need.", valueName: "count"))
    var keep: Int?

    @Flag(help: "Receive the database's log and new artifacts until a signal comes.")
    var continuous = false

    @OptionGroup var passphrase: PassphraseOptions

    @OptionGroup var target: AdminTarget

    func validate() throws {
        if let keep, keep < 1 { throw ValidationError("--keep takes 1 or more.") }
        if continuous && keep != nil { throw ValidationError("--continuous makes no backup; leave --keep away.") }
    }

    func run() async throws {
        if continuous { return try await receive() }
        let secret = try passphrase.passphrase(isNew: true)
        let place = try await BackupPlace.open(to, target.options, isNew: true) { secret }
        let outcome = try await BackupSource.with(target) { [keep] source in
            let outcome = try await BackupRun(source: source, target: place, passphrase: secret).run()
            let manifest = outcome.manifest
            let megabytes = manifest.parts.reduce(0) { $0 + $1.sizeBytes } >> 20
            printLine(
                "Backup \(outcome.place): \(megabytes) MB, \(counted(manifest.artifactCount, "artifact")), "
                    + "\(outcome.copied) of them new.")
            if let keep {
                let removed = try await BackupRetention(target: place, storage: source.storage).keep(keep)
                printLine("Removed: \(counted(removed.backups, "backup")), \(counted(removed.artifacts, "artifact")).")
            }
            return outcome
        }
        guard outcome.damaged.isEmpty else {
            let names = outcome.damaged.map(\.hex).joined(separator: ", ")
            throw CommandFailure(
                "The backup is made, but without artifacts that are damaged in the market's own storage: \(names)")
        }
    }

    private func receive() async throws {
        let place = try await BackupPlace.open(to, target.options, isNew: true) { [passphrase] in
            try passphrase.passphrase(isNew: true)
        }
        try await place.make()
        let lock = try place.lock(for: "continuous")
        defer { withExtendedLifetime(lock) {} }
        try await BackupSource.with(target) { source in
            try await ServiceRun(grace: .seconds(10), logger: .service).run {
                [ContinuousBackup(source: source, target: place)]
            }
        }
    }
}
