// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketWire
import Postgres
import SheetCore

/// Moves what the database holds sealed from older keys to the first one, beside running nodes. It can be broken off and
/// begun again, and does nothing to what the first key sealed.
public struct SecretRotation: Sendable {
    /// Where sealed values stand. Whoever seals something new enters it here.
    private struct Place: Sendable {
        let name: String
        let stored: SealedStore.Place
        let context: @Sendable (UUID) -> String
    }

    /// How much one key sealed of one kind.
    public struct Holding: Sendable, Equatable {
        /// What it is, for people.
        public let name: String
        /// The key's id.
        public let key: String
        /// How many.
        public let count: Int
    }

    /// What there is, and what stands in the way of dropping old keys.
    public struct Report: Sendable {
        /// The key that seals.
        public var sealingKey: String
        /// What each key sealed.
        public var holdings: [Holding]
        /// How many were sealed anew.
        public var resealed = 0
        /// How many no key opens.
        public var lost = 0
        /// Accounts with recovery codes that were marked with an older release's scheme: they need the key of that time.
        public var accountsWithOldCodes: Int

        /// Keys that something still needs, besides the first.
        public var stillNeeded: [String] { Set(holdings.map(\.key)).subtracting([sealingKey]).sorted() }
    }

    private static let places: [Place] = [
        Place(name: "second factors", stored: .init(table: "second_factors", key: "user_id")) {
            SecondFactorService.context(UserID(rawValue: $0))
        },
        Place(name: "webhooks", stored: .init(table: "webhooks", key: "id")) {
            WebhookService.context(WebhookID(rawValue: $0))
        },
    ]
    private static let batch = 500

    private let secrets: SecretBox
    private let market: Market

    /// `nil` where no key is set.
    public init?(market: Market) {
        guard let secrets = market.secrets else { return nil }
        self.market = market
        self.secrets = secrets
    }

    /// What each key sealed.
    public func report() async throws -> Report {
        var holdings: [Holding] = []
        for place in Self.places {
            holdings += try await SealedStore.counts(of: place.stored, in: market.database).map {
                Holding(name: place.name, key: $0.key, count: $0.count)
            }
        }
        return Report(
            sealingKey: secrets.sealingKeyID, holdings: holdings,
            accountsWithOldCodes: try await SecondFactorStore.accountsWithOldCodes(in: market.database))
    }

    /// Seals with the first key whatever others sealed.
    public func reseal() async throws -> Report {
        var resealed = 0
        var lost = 0
        for place in Self.places {
            var last: UUID?
            while true {
                let rows = try await SealedStore.page(
                    of: place.stored, after: last, limit: Self.batch, in: market.database)
                guard let end = rows.last else { break }
                last = end.id
                for (id, sealed) in rows where SecretBox.keyID(of: sealed) != secrets.sealingKeyID {
                    guard let plain = secrets.open(sealed, for: place.context(id)) else {
                        lost += 1
                        continue
                    }
                    let fresh = try secrets.seal(plain, for: place.context(id))
                    // Whoever set another secret meanwhile sealed it with a key of their own: it stays.
                    let isReplaced = try await SealedStore.replace(
                        sealed, with: fresh, of: id, at: place.stored, in: market.database)
                    if isReplaced { resealed += 1 }
                }
            }
        }
        try await note(resealed)
        var report = try await report()
        report.resealed = resealed
        report.lost = lost
        return report
    }

    private func note(_ resealed: Int) async throws {
        guard resealed > 0 else { return }
        try await market.database.withTransaction { connection in
            try await AuditLog.append(
                connection, actor: .operatorCommand, action: "secrets.resealed",
                subject: "key:\(secrets.sealingKeyID)", details: ["count": String(resealed)], at: market.now())
        }
    }
}
