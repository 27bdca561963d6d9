// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import MarketAPI
import MarketAccounts
import MarketPlatform
import Postgres

/// Brings the database's schema up to date.
struct Migrate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Bring the database's schema up to date.",
        discussion: """
            Run it before a new release serves; running servers of the release before go on meanwhile. Many may run it \
            at the same time: one does the work. Needs DATABASE_URL. With SHEETMARKET_SERVICE_ROLE the role of that name \
            gets the rights that `serve` and `work` need, so that they need not own the tables they work on.
            """)

    @Flag(help: "Only tell what is applied and what is pending. Exits with 2 when something is.")
    var status = false

    @OptionGroup var options: NodeOptions

    func run() async throws {
        let configuration = try options.load(requiring: ["DATABASE_URL"])
        let executable = URL(filePath: Bundle.main.executablePath ?? CommandLine.arguments[0])
        guard let assets = AssetFolder(named: configuration.assets, executable: executable) else {
            throw CommandFailure(
                "The folder 'migrations' was not found; name the one that holds it in SHEETMARKET_ASSETS.")
        }
        let database = PostgresClient(
            configuration: PostgresConfiguration(
                connectionString: configuration.directDatabaseURL ?? configuration.databaseURL ?? ""),
            logger: .service)
        let migrator = PostgresMigrator(directory: assets.migrations)
        do {
            if status {
                try Self.tell(try await migrator.status(database))
            } else {
                let applied = try await migrator.migrate(database, logger: .service)
                print(applied.isEmpty ? "Nothing to do." : "Applied:")
                for migration in applied { print("  \(migration.name)  \(migration.milliseconds) ms") }
                if let role = configuration.serviceRole {
                    try await ServiceRole.grant(to: role, by: database)
                    print("The role '\(role)' may serve, and cannot change the audit log.")
                }
            }
        } catch {
            await database.shutdown()
            throw error
        }
        await database.shutdown()
    }

    private static func tell(_ statuses: [MigrationStatus]) throws {
        for status in statuses {
            let state =
                switch status.state {
                case .applied(let date): "applied \(date.formatted(.iso8601))"
                case .pending: "pending"
                case .changed(let date): "applied \(date.formatted(.iso8601)), but the file is another one now"
                case .unknown(let date): "applied \(date.formatted(.iso8601)), but there is no such file"
                }
            print("\(status.name)  \(state)")
        }
        if statuses.contains(where: { !$0.isApplied }) { throw ExitCode(2) }
    }
}

extension MigrationStatus {
    /// Whether it stands as it should.
    var isApplied: Bool {
        if case .applied = state { true } else { false }
    }
}

/// A node must not work on a schema it was not written for, nor in sessions that mean something else.
struct SchemaCheck {
    let node: Node

    func run() async throws {
        let statuses = try await PostgresMigrator(directory: node.assets.migrations).status(node.features.database)
        let pending = statuses.filter { $0.state == .pending }.map(\.name)
        guard pending.isEmpty else {
            throw CommandFailure(
                "The database's schema is older than this program: run `sheetmarket migrate` first. "
                    + "Pending: \(pending.joined(separator: ", ")).")
        }
        let settings = try await node.features.database.missingRoleSettings()
        guard settings.isEmpty else {
            throw CommandFailure(
                "Sessions of the pooler that DATABASE_URL leads to must begin otherwise. Run, and have it connect anew:\n"
                    + settings.map { "  \($0);" }.joined(separator: "\n"))
        }
    }
}
