// SPDX-License-Identifier: Apache-2.0
import Crypto
import Foundation
import Logging
import MarketCatalog
import MarketPlatform
import Postgres
import ServiceLifecycle
import SheetCore

/// Counts what leads people to sheets: visits of their pages, where the links stood, what was searched for, and which
/// versions are downloaded. Everybody counts once a day for each. Only sums are ever written; who was here is known for
/// the day, as hashes in memory by a key that never leaves it. A term is not written before three people have used it
/// that day. Each node counts for itself; a crash loses what one minute brought.
package actor InterestCounter: Service {
    /// People who must have used a term on a day before it is kept.
    static let leastVisitors = 3
    /// Most hashes of a day; who comes later is not counted.
    private static let mostSeen = 200_000
    /// Most sums that wait to be written.
    private static let mostSums = 20_000
    /// Most sources, and most terms, of a sheet and a day; sources beyond go under "other".
    private static let mostValues = 50
    private static let pause = Duration.seconds(60)

    private let platform: Platform
    private var day: UTCDay
    /// Makes hashes of visitors that mean nothing without it, and nothing on another day.
    private var secret = SymmetricKey(size: .bits256)
    private var seen: Set<Data> = []
    private var sums: [InterestKey: Int] = [:]
    /// Sources and terms of the day so far.
    private var values: [InterestKey: Int] = [:]
    private var valueCounts: [InterestKey: Int] = [:]
    private var isFlushing = false

    package init(platform: Platform) {
        self.platform = platform
        day = UTCDay(platform.now())
    }

    /// One more visit of a sheet's page.
    package func note(_ visit: Visit) async {
        await beginDay()
        let subject: InterestKey.Subject =
            switch visit.sheet {
            case .id(let id): .id(id)
            case .slug(let slug): .slug(slug.text)
            }
        if isNew(visit.visitor, InterestKey(subject: subject, kind: .view, value: "")) {
            add(1, InterestKey(subject: subject, kind: .view, value: ""))
            let source = InterestKey(subject: subject, kind: .source, value: visit.source)
            if knows(source) {
                add(1, source)
            } else {
                add(1, InterestKey(subject: subject, kind: .source, value: Visit.other))
            }
        }
        guard let term = visit.term else { return }
        let key = InterestKey(subject: subject, kind: .search, value: term)
        guard knows(key), isNew(visit.visitor, key) else { return }
        let count = (values[key] ?? 0) + 1
        values[key] = count
        if count >= Self.leastVisitors { add(count == Self.leastVisitors ? count : 1, key) }
    }

    /// One more download; the catalog's hook.
    package func noteDownload(_ purpose: DownloadPurpose, address: String, isByProgram: Bool) async {
        await beginDay()
        let visitor = Visit.visitor(account: purpose.account, address: address)
        let key = InterestKey(
            subject: .id(purpose.template), kind: isByProgram ? .install : .download,
            value: purpose.version.description)
        if isNew(visitor, key) { add(1, key) }
    }

    /// Writes every minute until the service shuts down, then once more.
    package func run() async throws {
        await cancelWhenGracefulShutdown {
            await repeating(every: Self.pause, firstAfter: Self.pause) { await self.flush() }
        }
        // A task of its own: this one may be cancelled.
        await Task { await flush() }.value
    }

    /// Writes the sums; keeps them for the next time when that fails.
    package func flush() async {
        guard !isFlushing, !sums.isEmpty else { return }
        isFlushing = true
        defer { isFlushing = false }
        let (part, written) = (sums, day)
        sums = [:]
        let isDone = await write(part, on: written)
        // What belongs to a day that is over meanwhile would count for the next one.
        if !isDone, written == day { for (key, count) in part { add(count, key) } }
    }

    private func write(_ part: [InterestKey: Int], on day: UTCDay) async -> Bool {
        do {
            try await StatisticsStore.add(part, on: day, platform.database)
            return true
        } catch {
            platform.logger.warning("statistics could not be written", metadata: ["error": "\(error)"])
            return false
        }
    }

    // MARK: Counting

    /// Forgets everybody when the day is over; what waits is written as that day's.
    private func beginDay() async {
        let today = UTCDay(platform.now())
        guard today != day else { return }
        let (part, over) = (sums, day)
        sums = [:]
        day = today
        secret = SymmetricKey(size: .bits256)
        seen = []
        values = [:]
        valueCounts = [:]
        if !part.isEmpty { _ = await write(part, on: over) }
    }

    private func isNew(_ visitor: String, _ key: InterestKey) -> Bool {
        guard seen.count < Self.mostSeen else { return false }
        let text = "\(key.subject.text)\n\(key.kind.rawValue)\n\(key.value)\n\(visitor)"
        return seen.insert(Data(HMAC<SHA256>.authenticationCode(for: Data(text.utf8), using: secret).prefix(16)))
            .inserted
    }

    /// Whether a source or term is among the first so many of its sheet.
    private func knows(_ key: InterestKey) -> Bool {
        if values[key] != nil { return true }
        let all = InterestKey(subject: key.subject, kind: key.kind, value: "")
        let count = valueCounts[all] ?? 0
        guard count < Self.mostValues, values.count < Self.mostSums else { return false }
        valueCounts[all] = count + 1
        values[key] = 0
        return true
    }

    private func add(_ count: Int, _ key: InterestKey) {
        guard sums.count < Self.mostSums || sums[key] != nil else { return }
        sums[key, default: 0] += count
    }
}
