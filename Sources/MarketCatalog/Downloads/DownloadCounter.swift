// SPDX-License-Identifier: Apache-2.0
import Crypto
import Foundation
import Logging
import MarketPlatform
import Postgres
import ServiceLifecycle
import SheetCore

/// Counts downloads in the background, once for each client and day. They are buffered for two seconds at most, or
/// until there are a thousand; addresses are hashed before anything is written, with a salt that is deleted after the
/// day. A crash loses what is buffered: one batch.
package actor DownloadCounter: Service {
    /// Most downloads in one transaction; that many are written at once.
    package static let batch = 1000
    /// Most downloads that are buffered while the database is away; more are lost, and the log says so.
    package static let capacity = 50_000
    /// How long downloads are buffered.
    private static let pause = Duration.seconds(2)
    /// Flushes after which the totals are brought up to date.
    private static let flushesPerFold = 5

    private struct Download: Sendable {
        let purpose: DownloadPurpose
        let address: String
    }

    private let platform: Platform
    private var waiting: [Download] = []
    private var lost = 0
    private var isFlushing = false
    private var unfolded = 0

    package init(platform: Platform) {
        self.platform = platform
    }

    /// One more download.
    package func count(_ purpose: DownloadPurpose, address: String) {
        guard waiting.count < Self.capacity else {
            lost += 1
            return
        }
        waiting.append(Download(purpose: purpose, address: address))
        // Needs no owner: what it cannot write, also because the pool is gone, goes on waiting for the next flush.
        if waiting.count == Self.batch { Task { await flush() } }
    }

    /// Writes every two seconds until the service shuts down, then once more.
    package func run() async throws {
        await cancelWhenGracefulShutdown {
            // Each server has counts of its own, so it is no `PeriodicTask`: workers run those, for all.
            await repeating(every: Self.pause, firstAfter: Self.pause) {
                await self.flush()
                await self.foldPeriodically()
            }
        }
        // A task of its own: this one may be cancelled.
        await Task {
            await flush()
            await fold()
        }.value
    }

    /// Writes what waits; keeps it for the next time when that fails.
    package func flush() async {
        if lost > 0 {
            platform.logger.warning("downloads were not counted: too many wait", metadata: ["count": "\(lost)"])
            lost = 0
        }
        guard !isFlushing else { return }
        isFlushing = true
        defer { isFlushing = false }
        while !waiting.isEmpty {
            let part = Array(waiting.prefix(Self.batch))
            do {
                try await write(part)
                // Only this flush takes away, and only from the front.
                waiting.removeFirst(part.count)
                unfolded += 1
            } catch {
                platform.logger.warning("downloads could not be counted yet", metadata: ["error": "\(error)"])
                return
            }
        }
    }

    /// Brings the totals of templates up to date.
    package func fold() async {
        guard unfolded > 0 else { return }
        do {
            try await DownloadStore.fold(platform.database)
            unfolded = 0
        } catch {
            platform.logger.warning("downloads could not be added up yet", metadata: ["error": "\(error)"])
        }
    }

    private var flushes = 0

    private func foldPeriodically() async {
        flushes += 1
        if flushes.isMultiple(of: Self.flushesPerFold) { await fold() }
    }

    private func write(_ downloads: [Download]) async throws {
        let now = platform.now()
        let day = UTCDay(now)
        let offered = SymmetricKey(size: .bits256).withUnsafeBytes { Data($0) }
        let salt = try await DownloadStore.salt(of: day, offering: offered, platform.database)
        var counted: Set<DownloadStore.Counted> = []
        var kept: Set<DownloadStore.Kept> = []
        for download in downloads {
            let purpose = download.purpose
            let client = purpose.account.map { ClientKey(account: $0) } ?? ClientKey(address: download.address)
            counted.insert(
                .init(
                    template: purpose.template, client: client.hash(for: purpose.template, on: day, salt: salt)))
            if let account = purpose.account {
                kept.insert(.init(account: account, template: purpose.template, version: purpose.version))
            }
        }
        let (clients, installs) = (Array(counted), Array(kept))
        try await platform.database.withTransaction { connection in
            try await DownloadStore.enter(clients, kept: installs, on: day, at: now, connection)
        }
    }
}
