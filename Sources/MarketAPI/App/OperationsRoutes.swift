// SPDX-License-Identifier: Apache-2.0
import Hummingbird
import Logging
import MarketWire
import NIOCore
import Postgres

/// What operators and their machines ask: is it alive, can it work, how does it do.
struct OperationsRoutes {
    let market: Market
    /// Metrics in Prometheus' text format.
    let metrics: @Sendable () async -> String

    func register(on routes: APIRoutes) {
        routes.get("/healthz", access: .anyone) { _, _ in
            try .json(["status": "alive"], headers: [.cacheControl: "no-store"])
        }
        routes.get("/readyz", access: .anyone) { [market] _, context in
            let report = await Readiness(market: market).report(logger: context.logger)
            return try .json(
                report, status: report.ready ? .ok : .serviceUnavailable, headers: [.cacheControl: "no-store"])
        }
        routes.get("/metrics", access: .anyone) { [metrics] _, _ in
            let text = await metrics()
            return Response(
                status: .ok, headers: [.contentType: "text/plain; version=0.0.4; charset=utf-8"],
                body: .init(byteBuffer: ByteBuffer(string: text)))
        }
    }
}

/// Whether a node can do its work now, part by part.
struct Readiness {
    struct Report: Codable, Sendable {
        var ready: Bool
        /// `ok`, or what is wrong, by part. Details are in the log, not here: anybody may ask.
        var checks: [String: String]
    }

    let market: Market

    func report(logger: Logger) async -> Report {
        async let database = check("database", logger) {
            _ = try await market.database.scalar("SELECT 1", as: Int.self)
        }
        async let storage = check("storage", logger) { try await market.storage.check() }
        async let queue = check("queue", logger) {
            _ = try await market.database.scalar(
                "SELECT count(*) FROM jobs WHERE state = 'queued' AND run_at < now()", as: Int.self)
        }
        let checks = await ["database": database, "storage": storage, "queue": queue]
        return Report(ready: checks.values.allSatisfy { $0 == "ok" }, checks: checks)
    }

    private func check(
        _ part: String, _ logger: Logger, _ body: @Sendable () async throws -> Void
    ) async -> String {
        do {
            try await body()
            return "ok"
        } catch {
            logger.warning("not ready", metadata: ["part": "\(part)", "error": "\(String(reflecting: error))"])
            return "failing"
        }
    }
}
