// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import MarketAPI
import Postgres

/// Brings the database's schema up to date.
struct Migrate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Bring the database's schema up to date.",
        discussion: """
            Run it before a new release serves; running servers of the release before go on meanwhile. Many may run it \
            at the same time: one does the work. Needs DATABASE_URL.
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
            configuration: PostgresConfiguration(connectionString: configuration.databaseURL ?? ""), logger: .service)
        let migrator = PostgresMigrator(directory: assets.migrations)
        do {
            if status {
                try Self.tell(try await migrator.status(database))
            } else {
                let applied = try await migrator.migrate(database, logger: .service)
                print(applied.isEmpty ? "Nothing to do." : "Applied:")
                for migration in applied { print("  \(migration.version)_\(migration.name)") }
            }
        } catch {
            await database.shutdown()
            throw error
        }
        await database.shutdown()
    }

    private static func tell(_ statuses: [MigrationStatus]) throws {
        for status in statuses {
            let state: String
            switch status.state {
            case .applied(let time): state = "applied \(time.formatted(.iso8601))"
            case .pending: state = "pending"
            case .changed(let time): state = "applied \(time.formatted(.iso8601)), but its file has changed since"
            case .unknown(let time): state = "applied \(time.formatted(.iso8601)), but its file is not here"
            }
            print("\(status.version)_\(status.name)  \(state)")
        }
        if statuses.contains(where: { !$0.isApplied }) { throw ExitCode(2) }
    }
}

extension MigrationStatus {
    /// Whether it was applied as its file says.
    fileprivate var isApplied: Bool {
        if case .applied = state { true } else { false }
    }
}

/// A node must not work on a schema it was not written for.
struct SchemaCheck {
    let node: Node

    func run() async throws {
        let statuses = try await PostgresMigrator(directory: node.assets.migrations).status(node.market.database)
        let pending = statuses.filter { $0.state == .pending }.map { "\($0.version)_\($0.name)" }
        guard pending.isEmpty else {
            throw CommandFailure(
                "The database's schema is older than this program: run `sheetmarket migrate` first. "
                    + "Pending: \(pending.joined(separator: ", ")).")
        }
    }
}
