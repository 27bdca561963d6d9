// SPDX-License-Identifier: Apache-2.0
import Foundation
import Logging
import Postgres
import ServiceLifecycle
import SheetCore

/// The ratings of the whole catalog.
public struct Ratings: Sendable {
    /// A rating that would move by less than this as a day goes by stays as it is.
    static let tolerance = 0.005
    /// How long the history of a deleted review stays, in seconds.
    static let deletedSeconds = 90.0 * 86_400
    /// Templates per transaction.
    private static let batch = 200

    private let database: PostgresClient

    /// Works on `database`.
    public init(database: PostgresClient) {
        self.database = database
    }

    /// What a new day asks for: reviews are a day older, and something else may be expected of templates. Does nothing
    /// when it was done already; returns how many ratings moved.
    @discardableResult
    public func beginDay(at now: Date) async throws -> Int {
        let day = UTCDay(now).text
        guard try await RatingStore.lastDay(database) < day else { return 0 }
        try await RatingStore.sweepDeleted(before: now.addingTimeInterval(-Self.deletedSeconds), database)
        let isOurs = try await database.withTransaction { connection in
            try await RatingStore.holdDay(connection)
            // Another node may have done it while this one waited.
            guard try await RatingStore.lastDay(connection) < day else { return false }
            try await RatingStore.recomputePriors(day, connection)
            return true
        }
        return isOurs ? try await refreshAll(day: day, tolerance: Self.tolerance, everything: false) : 0
    }

    /// Makes every rating and every count of votes anew from the reviews alone.
    @discardableResult
    public func rebuild(at now: Date) async throws -> Int {
        let day = UTCDay(now).text
        try await database.withTransaction { connection in
            try await connection.execute("SET LOCAL statement_timeout = 0")
            try await RatingStore.recountVotes(connection)
            try await RatingStore.recomputePriors(day, connection)
        }
        return try await refreshAll(day: day, tolerance: 0, everything: true)
    }

    /// In small transactions, so that whoever reviews waits for a moment at most.
    private func refreshAll(day: String, tolerance: Double, everything: Bool) async throws -> Int {
        var moved = 0
        var last: TemplateID?
        while true {
            let ids = try await RatingStore.rated(
                after: last, everything: everything, limit: Self.batch, database)
            if ids.isEmpty { return moved }
            moved += try await database.withTransaction { connection in
                try await RatingStore.refresh(ids, day: day, tolerance: tolerance, connection)
            }
            last = ids.last
        }
    }
}

/// A day of the calendar in UTC.
struct UTCDay: Equatable, Sendable {
    /// `2026-11-21`.
    let text: String

    init(_ date: Date) {
        text = date.formatted(Self.style)
    }

    /// Reads `2026-11-21`; `nil` for anything else.
    init?(_ text: String) {
        guard text.utf8.count == 10, let date = try? Date(text, strategy: Self.style),
            date.formatted(Self.style) == text
        else { return nil }
        self.text = text
    }

    /// Its first moment.
    var date: Date { (try? Date(text, strategy: Self.style)) ?? .distantPast }

    private static let style = Date.ISO8601FormatStyle(timeZone: .gmt).year().month().day()
}

/// Begins each day for ratings and downloads beside the workers. Any number of nodes may run one.
public struct DayKeeper: Service {
    private let market: Market

    /// Works for `market`.
    public init(market: Market) {
        self.market = market
    }

    /// Works until the task is cancelled or the service group shuts down.
    public func run() async throws {
        await cancelWhenGracefulShutdown { [self] in
            // Spread, so that nodes that start together do not begin the day together.
            var pause = Duration.seconds(Double.random(in: 1...20))
            while (try? await Task.sleep(for: pause)) != nil {
                await work()
                pause = .seconds(Double.random(in: 50...70))
            }
        }
    }

    /// Does what is due.
    func work() async {
        await attempt("begin the day for ratings") {
            let moved = try await Ratings(database: market.database).beginDay(at: market.now())
            if moved > 0 { market.logger.info("ratings moved with the day", metadata: ["count": "\(moved)"]) }
        }
        await attempt("add up downloads") {
            try await DownloadStore.fold(market.database)
        }
        await attempt("put back what a counter-notice has freed") {
            let count = try await CopyrightService(market: market).advanceTime()
            if count > 0 { market.logger.info("works put back after counter-notices", metadata: ["count": "\(count)"]) }
        }
        await attempt("end a day of downloads") {
            try await DownloadStore.keepDays(at: market.now(), market.database)
        }
    }

    private func attempt(_ what: String, _ work: () async throws -> Void) async {
        do {
            try await work()
        } catch {
            if !Task.isCancelled {
                market.logger.warning("cannot \(what)", metadata: ["error": "\(String(reflecting: error))"])
            }
        }
    }
}
