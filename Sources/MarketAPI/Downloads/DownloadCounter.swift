// SPDX-License-Identifier: Apache-2.0
import Logging
import Postgres
import ServiceLifecycle
import SheetCore

/// Counts downloads off the requests' path: they add up here and are written once a second, and at the end.
public actor DownloadCounter: Service {
    private let database: PostgresClient
    private let logger: Logger
    private var counts: [TemplateID: Int] = [:]

    /// Counts into `database`.
    public init(database: PostgresClient, logger: Logger) {
        self.database = database
        self.logger = logger
    }

    /// One more download.
    func count(_ template: TemplateID) {
        counts[template, default: 0] += 1
    }

    /// Writes every second until the service shuts down, then once more.
    public func run() async throws {
        await cancelWhenGracefulShutdown {
            while (try? await Task.sleep(for: .seconds(1))) != nil { await self.flush() }
        }
        // A task of its own: this one may be cancelled.
        await Task { await flush() }.value
    }

    /// Writes what has been counted; keeps it for the next time when that fails.
    func flush() async {
        guard !counts.isEmpty else { return }
        let written = counts
        counts = [:]
        do {
            try await DownloadStore.add(written, database)
        } catch {
            counts.merge(written) { $0 + $1 }
            logger.warning("downloads could not be counted yet", metadata: ["error": "\(error)"])
        }
    }
}
