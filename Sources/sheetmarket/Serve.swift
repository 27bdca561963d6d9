// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import MarketAPI
import MarketAccounts
import MarketPlatform
import ServiceLifecycle

/// The API and the web pages, on a database and a storage folder that others may share.
struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Serve the API and the web pages.", discussion: NodeOptions.discussion)

    @OptionGroup var options: NodeOptions

    func run() async throws {
        var loaded = try options.load(
            requiring: [
                "DATABASE_URL", "SHEETMARKET_STORAGE", "SHEETMARKET_DOWNLOAD_KEYS", "SHEETMARKET_SECRET_KEYS",
            ])
        loaded.limits.accounts.staffSecondFactor = loaded.staffSecondFactor != .off
        let configuration = loaded
        try ListenCheck.run(configuration.listen)
        let grace = configuration.drain + configuration.shutdownGrace
        try await ServiceRun(grace: grace, logger: .service).run {
            let metrics = MarketMetrics()
            metrics.bootstrap()
            let traces = TraceExport.bootstrap(configuration, metrics: metrics, logger: .service)
            let node = try await Node.open(configuration, metrics: metrics, logger: .service)
            try await SchemaCheck(node: node).run()
            try await node.warnOfOwnership()
            let listen = configuration.listen
            let application = node.application { port in
                printLine("ready http://\(ListenAddress(host: listen.host, port: port))")
            }
            return traces + [
                NodeShutdown(node: node), application, application.drainPeriod(configuration.drain),
            ]
        }
    }
}

/// Reads what is uploaded, beside other workers on the same database.
struct Work: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Read uploaded files: the ingest workers.", discussion: NodeOptions.discussion)

    @OptionGroup var options: NodeOptions

    func run() async throws {
        var configuration = try options.load(requiring: ["DATABASE_URL", "SHEETMARKET_STORAGE"])
        guard configuration.workers > 0 else {
            throw CommandFailure("SHEETMARKET_WORKERS=0 leaves `work` nothing to do; set it to 1 or more.")
        }
        configuration.fillDownloadKeys()
        let ready = configuration
        try await ServiceRun(grace: ready.shutdownGrace, logger: .service).run {
            let metrics = MarketMetrics()
            metrics.bootstrap()
            let traces = TraceExport.bootstrap(ready, metrics: metrics, logger: .service)
            let node = try await Node.open(ready, metrics: metrics, logger: .service)
            try await SchemaCheck(node: node).run()
            try await node.warnOfOwnership()
            return try traces + [NodeShutdown(node: node)] + node.workers()
        }
    }
}

extension ServerConfiguration {
    /// Roles that sign nothing need no key of the operator's: one that nobody else has does.
    mutating func fillDownloadKeys() {
        if downloadKeys == nil { downloadKeys = DownloadSigner.makeKeySetting(id: "unused") }
    }
}
