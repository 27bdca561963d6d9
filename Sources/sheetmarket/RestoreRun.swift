// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketCatalog
import MarketPlatform
import Postgres
import PostgresCluster
import SheetCore

/// Makes a data folder of a backup.
struct RestoreRun: Sendable {
    let plan: RestorePlan
    let target: DataFolder
    let time: Date?

    /// What a restore ends with.
    struct Outcome: Sendable {
        var artifacts = 0
        /// Artifacts that rows name and no backup has: stored in the last moments before the loss.
        var lost: [ContentHash] = []
    }

    /// All or nothing: what is written is removed again when something fails.
    func run() async throws -> Outcome {
        try target.make()
        do {
            try Data().write(to: target.unfinishedRestore)
            try plan.keys?.write(into: target)
            let outcome = try await restoreDatabase()
            try FileManager.default.removeItem(at: target.unfinishedRestore)
            return outcome
        } catch {
            // The mark stays where the rest cannot be removed, and `up` refuses the folder.
            try? FileManager.default.removeItem(at: target.url)
            throw error
        }
    }

    private func restoreDatabase() async throws -> Outcome {
        let restore = ClusterRestore(
            PostgresClusterConfiguration(dataDirectory: target.database, settings: PrivateDatabase.settings),
            logger: .service)
        try await restore.unpack(base: plan.backup.base, log: plan.backup.log, received: plan.log)
        let cluster = try await recover(with: restore)
        let outcome: Outcome
        do {
            outcome = try await finish(cluster)
        } catch {
            // What failed first is what the operator has to know.
            try? await cluster.stop()
            throw error
        }
        try await cluster.stop()
        try restore.tidy()
        return outcome
    }

    private func recover(with restore: ClusterRestore) async throws -> PostgresCluster {
        do {
            return try await restore.recover(to: time.map(Self.text))
        } catch let error as PostgresClusterError where error.message.contains("before configured recovery target") {
            throw CommandFailure(
                "The log that was received ends before \(time.map(Self.text) ?? "that time"): "
                    + "leave --to away to restore all there is.")
        }
    }

    private func finish(_ cluster: PostgresCluster) async throws -> Outcome {
        let connection = cluster.connectionString(user: "postgres", database: plan.manifest.database)
        let client = PostgresClient(configuration: .init(connectionString: connection), logger: .service)
        do {
            // Mirrors may have seen more than was restored.
            try await ChangeStore.rename(client)
            let outcome = try await copyArtifacts(try await BackupStore.artifacts(client))
            await client.shutdown()
            return outcome
        } catch {
            await client.shutdown()
            throw error
        }
    }

    private func copyArtifacts(_ wanted: [ContentHash]) async throws -> Outcome {
        let storage = try await DiskStorage.open(target.storage)
        let copied = try await ArtifactCopy(source: plan.objects, target: storage).copy(wanted)
        guard copied.damaged.isEmpty else {
            throw CommandFailure(
                "Artifacts of the backup are damaged: \(copied.damaged.map(\.hex).joined(separator: ", "))")
        }
        return Outcome(artifacts: copied.list.entries.count, lost: copied.missing)
    }

    /// A time as PostgreSQL reads it.
    private static func text(_ time: Date) -> String {
        time.formatted(.iso8601.year().month().day().dateTimeSeparator(.space).time(includingFractionalSeconds: true))
            + "+00"
    }
}
