// SPDX-License-Identifier: Apache-2.0
import Logging
import MarketPages
import MarketPlatform
import Postgres

/// Whether a node can do its work now, part by part.
struct Readiness {
    struct Report: Codable, Sendable {
        var ready: Bool
        /// `ok`, or what is wrong, by part. Details are in the log, not here: anybody may ask.
        var checks: [String: String]

        /// Whoever asks should send nothing here any more.
        mutating func tellEnding() {
            ready = false
            checks["server"] = "failing"
        }
    }

    /// How long each part has to answer: whoever asks waits no longer, either.
    private static let limit = Duration.seconds(3)

    let features: Features

    func report(logger: Logger) async -> Report {
        async let database = check("database", logger) {
            _ = try await features.database.scalar("SELECT 1", as: Int.self)
        }
        async let storage = check("storage", logger) { try await features.storage.check() }
        async let queue = check("queue", logger) {
            _ = try await JobQueue(platform: features.platform).statistics()
        }
        let checks = await ["database": database, "storage": storage, "queue": queue]
        return Report(ready: checks.values.allSatisfy { $0 == "ok" }, checks: checks)
    }

    private func check(
        _ part: String, _ logger: Logger, _ body: @escaping @Sendable () async throws -> Void
    ) async -> String {
        do {
            try await withTimeLimit(Self.limit, body)
            return "ok"
        } catch {
            logger.warning("not ready", metadata: ["component": "\(part)", "error": "\(String(reflecting: error))"])
            return "failing"
        }
    }
}
