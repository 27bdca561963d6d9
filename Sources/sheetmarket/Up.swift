// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import Logging
import MarketAPI
import MarketAccounts
import MarketPages
import MarketPlatform
import MarketWire
import PostgresCluster
import ServiceLifecycle

/// A whole marketplace on one machine, from nothing but a folder.
struct Up: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Run everything on this machine: database, API, web pages and ingest workers.",
        discussion: """
            The first start makes the data folder with a private PostgreSQL in it, publishes the example sheets and \
            writes an administrator's API token to DIR/admin-token. Until the administrator has a password, each start prints \
            a link that signs in as one, once. Later starts go on where the last one ended, however \
            it ended. Prints one line `ready http://HOST:PORT` when it serves; ends on SIGINT (Ctrl-C) and SIGTERM.

            Settings of `serve` and `work` apply too, but for DATABASE_URL and SHEETMARKET_STORAGE.
            """)

    @Option(help: ArgumentHelp("The folder with everything this market has.", valueName: "dir"))
    var data = "data"

    @Option(help: ArgumentHelp("Where to take connections.", valueName: "host:port"))
    var listen: String?

    @Flag(help: "Do not publish the example sheets.")
    var noExamples = false

    @OptionGroup var node: NodeOptions

    func validate() throws {
        if let listen, ListenAddress(listen) == nil {
            throw ValidationError("--listen takes HOST:PORT, such as 127.0.0.1:8080, not '\(listen)'.")
        }
    }

    func run() async throws {
        var configuration = try node.load()
        if let address = listen.flatMap(ListenAddress.init) { configuration.takeConnections(at: address) }
        try ListenCheck.run(configuration.listen)
        let folder = DataFolder(data)
        try folder.refuseUnfinishedRestore()
        try folder.make()
        configuration.storage.folder = folder.storage
        configuration.presets = configuration.presets ?? folder.presets
        if configuration.downloadKeys == nil { configuration.downloadKeys = try folder.signingKeys() }
        if configuration.secretKeys == nil { configuration.secretKeys = try folder.secretKeys() }
        if configuration.mail.server == nil { configuration.mail.folder = configuration.mail.folder ?? folder.mail }
        // One machine, one person who tries it out: `make run` would be no fun otherwise.
        configuration.limits.accounts.staffSecondFactor = configuration.staffSecondFactor == .required
        if !configuration.limits.accounts.staffSecondFactor {
            Logger.service.notice(
                "moderators and administrators need no second factor here (SHEETMARKET_STAFF_SECOND_FACTOR=required)")
        }
        if configuration.auditKeys == nil { configuration.auditKeys = try folder.auditKeys() }

        let database = PrivateDatabase(folder: folder, logger: .service)
        let market = OneMachineMarket(
            folder: folder, database: database, configuration: configuration, withExamples: !noExamples)
        do {
            try await ServiceRun(grace: configuration.shutdownGrace, logger: .service).run {
                try await market.prepare()
            }
        } catch {
            // What failed first is what the operator has to know.
            try? await database.stop()
            throw error
        }
        // A signal may have come before the service that would have stopped it was running.
        try await database.stop()
    }
}

/// Brings a data folder to where it can be served.
private struct OneMachineMarket {
    let folder: DataFolder
    let database: PrivateDatabase
    var configuration: ServerConfiguration
    let withExamples: Bool

    /// The services, first the one that must end last.
    func prepare() async throws -> [any Service] {
        var configuration = configuration
        configuration.databaseURL = try await database.start()
        configuration.directDatabaseURL = nil
        let metrics = MarketMetrics()
        metrics.bootstrap()
        let traces = TraceExport.bootstrap(configuration, metrics: metrics, logger: .service)
        let node = try await Node.open(configuration, metrics: metrics, logger: .service)
        try await database.withSuperuser { try await AuditOwnership.release($0, to: PostgresCluster.role) }
        try await node.migrate()
        try await database.withSuperuser { try await AuditOwnership.take($0, from: PostgresCluster.role) }
        let seeder = ExampleSeeder(features: node.features, examples: node.assets.examples)
        try await seeder.seedGameSystems()
        if !FileManager.default.fileExists(atPath: folder.administratorToken.path) {
            let token = try await AccountService(accounts: node.features.accounts).administratorToken()
            try DataFolder.writeSecret(token.token + "\n", to: folder.administratorToken)
        }
        let trustLine = try await TrustSet(folder: folder.trustKeys).make(node.features.platform)
        let listen = configuration.listen
        let link = try await AccountService(accounts: node.features.accounts).makeSignInLink(for: "admin")
        let site = configuration.publicURL
        let emails = configuration.mail.server == nil ? configuration.mail.folder?.path : nil
        let folder = folder
        let application = node.application { port in
            let address = "http://\(ListenAddress(host: listen.host, port: port))"
            printLine("ready \(address)")
            if let trustLine { printLine(trustLine) }
            if let emails {
                printLine("E-mails are not sent: they lie in \(emails), and are read at \(address)/operation/emails")
            }
            guard let link else { return }
            let way = "\(site ?? address)/sign-in-link?code=\(link)"
            if isatty(STDOUT_FILENO) == 1 {
                printLine("Sign in as the administrator in a browser, once and within a day:")
                printLine("  \(way)")
            } else {
                // What is no terminal ends up in a log.
                do {
                    try DataFolder.writeSecret(way + "\n", to: folder.signInLink)
                    printLine(
                        "Sign in as the administrator by the link in \(folder.signInLink.path), once and within a day")
                } catch {
                    printLine("The link that signs the administrator in cannot be written: \(error)")
                }
            }
        }
        let workers = try node.workers()
        var services: [any Service] = [database] + traces + [NodeShutdown(node: node), application] + workers
        // Examples are read by workers, as any upload; without workers here there may be none anywhere.
        if withExamples && !workers.isEmpty { services.append(ExampleService(seeder: seeder, logger: .service)) }
        return services
    }
}

/// Lets go of the database connections after all that use them, and before the database itself ends.
struct NodeShutdown: Service {
    let node: Node

    func run() async throws {
        // Cancelled or shut down, it is over either way.
        try? await gracefulShutdown()
        await node.close()
    }
}
