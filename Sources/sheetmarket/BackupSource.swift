// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketAPI
import MarketPlatform
import Postgres
import PostgresCluster

/// The market that is backed up.
struct BackupSource: Sendable {
    /// A connection of a role that may copy the server.
    let connectionString: String
    let storage: any Storage
    /// Files with keys, by their path in a data folder.
    let keys: SealedKeys

    /// Lends the market that `target` names; the private database of a folder is started for it when it does not run.
    static func with<R: Sendable>(
        _ target: AdminTarget, _ body: @Sendable (BackupSource) async throws -> R
    ) async throws -> R {
        guard let data = target.data else {
            let configuration = try target.options.load(requiring: ["DATABASE_URL", "SHEETMARKET_STORAGE"])
            guard let database = configuration.directDatabaseURL ?? configuration.databaseURL else {
                throw CommandFailure("DATABASE_URL is needed.")
            }
            let storage = try await target.stores().all
            return try await body(
                BackupSource(connectionString: database, storage: storage, keys: Self.keys(of: configuration)))
        }
        let folder = DataFolder(data)
        let storage = try await target.stores().all
        let source = { (connection: String) in
            BackupSource(connectionString: connection, storage: storage, keys: try folder.privateFiles())
        }
        if let running = PostgresCluster.superuserConnectionStringOfRunningServer(in: folder.database) {
            return try await body(source(running))
        }
        let database = PrivateDatabase(folder: folder, logger: .service)
        _ = try await database.start()
        do {
            guard let running = PostgresCluster.superuserConnectionStringOfRunningServer(in: folder.database) else {
                throw CommandFailure("The database of \(folder.url.path) has ended.")
            }
            let result = try await body(source(running))
            try await database.stop()
            return result
        } catch {
            // What failed first is what the operator has to know.
            try? await database.stop()
            throw error
        }
    }

    /// PostgreSQL's own programs, towards this database.
    func programs() throws -> BackupPrograms {
        try BackupPrograms(environment: try ConnectionOptions(connectionString).environment)
    }

    /// Lends a client of the database.
    func withDatabase<R: Sendable>(_ body: @Sendable (PostgresClient) async throws -> R) async throws -> R {
        let client = PostgresClient(configuration: .init(connectionString: connectionString), logger: .service)
        do {
            let result = try await body(client)
            await client.shutdown()
            return result
        } catch {
            await client.shutdown()
            throw error
        }
    }

    /// Keys that are settings, as the files that `up` would have.
    private static func keys(of configuration: ServerConfiguration) -> SealedKeys {
        let settings = [
            "download-keys": configuration.downloadKeys, "secret-keys": configuration.secretKeys,
            "audit-keys": configuration.auditKeys,
        ]
        return SealedKeys(files: settings.compactMapValues { $0.map { Data(($0 + "\n").utf8) } })
    }
}

extension DataFolder {
    /// Left while a restore works on the folder.
    var unfinishedRestore: URL { url.appending(path: "restore-unfinished") }

    /// Refuses a folder where no market is, or half a one.
    func requireMarket() throws {
        try refuseUnfinishedRestore()
        guard isInitialized else {
            throw CommandFailure(
                "No market was ever started in \(url.path): run `sheetmarket up --data \(url.path)` first.")
        }
    }

    /// Refuses what a restore that was cut off has left.
    func refuseUnfinishedRestore() throws {
        guard !FileManager.default.fileExists(atPath: unfinishedRestore.path) else {
            throw CommandFailure("A restore into \(url.path) was cut off: remove the folder and restore again.")
        }
    }

    /// Keys, tokens and presets: what is neither in the database nor in the storage.
    func privateFiles() throws -> SealedKeys {
        var files: [String: Data] = [:]
        for name in ["admin-token", "download-keys", "secret-keys", "audit-keys", "trust-keys", "presets"] {
            let entry = url.appending(path: name)
            var isFolder: ObjCBool = false
            guard FileManager.default.fileExists(atPath: entry.path, isDirectory: &isFolder) else { continue }
            let inside = isFolder.boolValue ? try FileManager.default.subpathsOfDirectory(atPath: entry.path) : []
            for path in isFolder.boolValue ? inside.map({ "\(name)/\($0)" }) : [name] {
                let file = url.appending(path: path)
                guard FileManager.default.fileExists(atPath: file.path, isDirectory: &isFolder), !isFolder.boolValue
                else { continue }
                files[path] = try Data(contentsOf: file)
            }
        }
        return SealedKeys(files: files)
    }
}
