// SPDX-License-Identifier: Apache-2.0
import Foundation
import Logging
import MarketPlatform
import Postgres
import PostgresCluster
import ServiceLifecycle
import SheetCore

/// Receives the database's log and new artifacts as they come.
struct ContinuousBackup: Service {
    /// The server keeps its log until the receiver of this name has it.
    private static let slot = "sheetmarket_backup"
    /// How long a transaction that names an artifact may take.
    private static let overlap: TimeInterval = 600

    let source: BackupSource
    let target: any BackupTarget

    func run() async throws {
        try await cancelWhenGracefulShutdown { try await receive() }
    }

    private func receive() async throws {
        let programs = try source.programs()
        let server = try await source.withDatabase { database in
            let server = try await BackupStore.server(database)
            try await BackupRun.refuseOther(than: server.system, in: target)
            if try await BackupStore.hasLostLog(Self.slot, database) {
                Logger.service.warning("the log has a gap: make a backup now, earlier ones end before it")
                try await BackupStore.dropSlot(Self.slot, database)
            }
            return server
        }
        let log = try target.logFolder(server.timeline)
        let copy = ArtifactCopy(
            source: source.storage, target: try await target.objects(), known: try await target.sizes())
        let since = server.now
        _ = try await copy.everything()
        try await programs.makeSlot(Self.slot)
        let receiver = try programs.receiveLog(into: log, slot: Self.slot)
        let upload = target.receivesElsewhere ? LogUpload(from: log, timeline: server.timeline, to: target) : nil
        do {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    guard let exit = await receiver.exit() else { return }
                    throw CommandFailure("The receiver of the database's log has ended: \(exit).")
                }
                group.addTask { try await tellWhenReceiving(into: log) }
                group.addTask { try await copyNewArtifacts(since: since, with: copy) }
                if let upload { group.addTask { try await upload.run() } }
                try await group.waitForAll()
            }
        } catch is CancellationError {
            // Asked to end.
        } catch {
            await receiver.stop()
            throw error
        }
        await receiver.stop()
        // Not this task, which was cancelled.
        try await Task.detached { try await upload?.upload() }.value
    }

    private func tellWhenReceiving(into log: URL) async throws {
        // A folder that is not there yet has no files.
        while (try? FileManager.default.contentsOfDirectory(atPath: log.path))?.isEmpty ?? true {
            try await Task.sleep(for: .milliseconds(50))
        }
        printLine("receiving into \(target.place)")
        let hasBackup = try await target.backups().last != nil
        if !hasBackup { printLine("Make a backup now: what is received is of use only after one.") }
    }

    /// Rows name artifacts after their bytes are stored, so asking for rows is enough.
    private func copyNewArtifacts(since begin: Date, with copy: ArtifactCopy) async throws {
        var known: Set<ContentHash> = []
        var since = begin.addingTimeInterval(-Self.overlap)
        let client = PostgresClient(configuration: .init(connectionString: source.connectionString), logger: .service)
        do {
            while true {
                try await Task.sleep(for: .seconds(1))
                do {
                    let server = try await BackupStore.server(client)
                    let recent = try await BackupStore.artifacts(since: since, client)
                    let summary = try await copy.copy(recent.filter { !known.contains($0) })
                    for hash in summary.damaged {
                        Logger.service.error("an artifact is damaged in the storage", metadata: ["sha256": "\(hash)"])
                    }
                    known = Set(recent).subtracting(summary.damaged)
                    since = server.now.addingTimeInterval(-Self.overlap)
                } catch let error as StorageError {
                    Logger.service.warning("artifacts wait to be copied", metadata: ["error": "\(error)"])
                } catch let error as PostgresError {
                    // The server may be starting again; the receiver waits for it, too.
                    Logger.service.warning("the database does not answer", metadata: ["error": "\(error)"])
                }
            }
        } catch {
            await client.shutdown()
            throw error
        }
    }
}
