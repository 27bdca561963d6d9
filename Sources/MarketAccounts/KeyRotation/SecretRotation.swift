// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketPlatform
import MarketWire
import Postgres
import SheetCore

/// Moves what the database holds sealed from older keys to the first one, beside running nodes. It can be broken off
/// and begun again, and does nothing to what the first key sealed.
package struct SecretRotation: Sendable {
    /// How much one key sealed of one kind.
    package struct Holding: Sendable, Equatable {
        /// What it is, for people.
        package let name: String
        /// The key's id.
        package let key: String
        package let count: Int
    }

    /// What there is, and what stands in the way of dropping old keys.
    package struct Report: Sendable {
        /// The key that seals.
        package var sealingKey: String
        /// What each key sealed.
        package var holdings: [Holding]
        /// How many were sealed anew.
        package var resealed = 0
        /// How many no key opens.
        package var lost = 0
        /// Accounts with recovery codes that were marked with an older release's scheme: they need the key of that
        /// time.
        package var accountsWithOldCodes: Int

        package init(
            sealingKey: String, holdings: [Holding], resealed: Int = 0, lost: Int = 0, accountsWithOldCodes: Int
        ) {
            self.sealingKey = sealingKey
            self.holdings = holdings
            self.resealed = resealed
            self.lost = lost
            self.accountsWithOldCodes = accountsWithOldCodes
        }

        /// Keys that something still needs, besides the first.
        package var stillNeeded: [String] { Set(holdings.map(\.key)).subtracting([sealingKey]).sorted() }
    }

    private static let batch = 500

    private let secrets: SecretBox
    private let platform: Platform
    private let columns: [SealedColumn]

    /// `columns` are those of all features; `nil` where no key is set.
    package init?(platform: Platform, columns: [SealedColumn]) {
        guard let secrets = platform.secrets else { return nil }
        self.platform = platform
        self.secrets = secrets
        self.columns = columns
    }

    /// What each key sealed.
    package func report() async throws -> Report {
        var holdings: [Holding] = []
        for column in columns {
            holdings += try await SealedStore.counts(of: column.stored, in: platform.database).map {
                Holding(name: column.name, key: $0.key, count: $0.count)
            }
        }
        return Report(
            sealingKey: secrets.sealingKeyID, holdings: holdings,
            accountsWithOldCodes: try await SecondFactorStore.accountsWithOldCodes(in: platform.database))
    }

    /// Seals with the first key whatever others sealed.
    package func reseal() async throws -> Report {
        var resealed = 0
        var lost = 0
        for column in columns {
            var last: UUID?
            while true {
                let rows = try await SealedStore.page(
                    of: column.stored, after: last, limit: Self.batch, in: platform.database)
                guard let end = rows.last else { break }
                last = end.id
                for (id, sealed) in rows where SecretBox.keyID(of: sealed) != secrets.sealingKeyID {
                    guard let plain = secrets.open(sealed, for: column.context(id)) else {
                        lost += 1
                        continue
                    }
                    let fresh = try secrets.seal(plain, for: column.context(id))
                    // Whoever set another secret meanwhile sealed it with a key of their own: it stays.
                    let isReplaced = try await SealedStore.replace(
                        sealed, with: fresh, of: id, at: column.stored, in: platform.database)
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
        try await platform.database.withTransaction { connection in
            try await AuditLog.append(
                connection, actor: .operatorCommand, action: "secrets.resealed",
                subject: "key:\(secrets.sealingKeyID)", details: ["count": String(resealed)], at: platform.now())
        }
    }
}
