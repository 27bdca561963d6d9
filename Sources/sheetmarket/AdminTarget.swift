// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import MarketAPI
import MarketAccounts
import MarketHTTP
import MarketPages
import MarketWire
import ModerationService
import PostgresCluster

/// On which market a command works.
struct AdminTarget: ParsableArguments {
    @Option(help: ArgumentHelp("The data folder of `sheetmarket up`.", valueName: "dir"))
    var data: String?

    @OptionGroup var options: NodeOptions

    func setDisabled(_ isDisabled: Bool, _ handle: String) async throws {
        try await withNode { node in
            try await AccountService(accounts: node.features.accounts).setDisabled(
                isDisabled, of: handle, by: .operatorCommand)
        }
    }

    /// Lends a node on the market's database; the private database of a folder is started for it when it does not run.
    func withNode<R: Sendable>(_ body: @Sendable (Node) async throws -> R) async throws -> R {
        guard let data else {
            var configuration = try options.load(requiring: ["DATABASE_URL", "SHEETMARKET_STORAGE"])
            configuration.limits.accounts.staffSecondFactor = configuration.staffSecondFactor != .off
            return try await Self.lend(configuration, body)
        }
        var configuration = try options.load()
        let folder = DataFolder(data)
        try folder.requireMarket()
        configuration.directDatabaseURL = nil
        configuration.storage.folder = folder.storage
        configuration.limits.accounts.staffSecondFactor = configuration.staffSecondFactor == .required
        configuration.auditKeys = try configuration.auditKeys ?? folder.keptAuditKeys
        configuration.secretKeys = try configuration.secretKeys ?? folder.keptSecretKeys
        if let running = PostgresCluster.connectionStringOfRunningServer(in: folder.database) {
            configuration.databaseURL = running
            return try await Self.lend(configuration, body)
        }
        let database = PrivateDatabase(folder: folder, logger: .service)
        configuration.databaseURL = try await database.start()
        do {
            let result = try await Self.lend(configuration, body)
            try await database.stop()
            return result
        } catch {
            // What failed first is what the operator has to know.
            try? await database.stop()
            throw error
        }
    }

    /// The stores that the settings name.
    func stores() async throws -> StorageSettings.Stores {
        var configuration = try options.load()
        if let data {
            let folder = DataFolder(data)
            try folder.requireMarket()
            configuration.storage.folder = folder.storage
        }
        return try await configuration.storage.open(logger: .service)
    }

    private static func lend<R: Sendable>(
        _ configuration: ServerConfiguration, _ body: @Sendable (Node) async throws -> R
    ) async throws -> R {
        var configuration = configuration
        configuration.fillDownloadKeys()
        let node = try await Node.open(configuration, logger: .service)
        do {
            let result = try await body(node)
            await node.close()
            return result
        } catch let error as CaseError {
            await node.close()
            let more = error.apiError.errors.map(\.detail).joined(separator: " ")
            throw CommandFailure([error.apiError.detail ?? "\(error)", more].joined(separator: " "))
        } catch let error as any APIErrorConvertible {
            await node.close()
            throw CommandFailure(error.apiError.detail ?? "\(error)")
        } catch {
            await node.close()
            throw error
        }
    }
}
