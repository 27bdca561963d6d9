// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketPlatform
import Postgres
import SheetCore

/// Which role an online key is for.
package enum OnlineRole: String, Sendable, CaseIterable {
    case timestamp, snapshot, bins
}

/// SQL of the sealed keys, and their opening.
package enum TrustKeyStore {
    /// Where sealed keys stand.
    package static let sealedColumn = SealedColumn(
        name: "signing keys", table: "trust_keys", key: "id", context: context)

    private static func context(_ id: UUID) -> String { "signing key \(id.lowercaseText)" }

    /// Makes a key and keeps it sealed; answers its public half.
    static func make(_ role: OnlineRole, secrets: SecretBox, at now: Date, _ connection: some PostgresExecutor)
        async throws
        -> TrustKey
    {
        let key = TrustSigningKey()
        let id = UUID.version7(at: now)
        let sealed = try secrets.seal(key.bytes, for: context(id))
        try await connection.execute(
            """
            INSERT INTO trust_keys (id, key_id, role, secret, created_at)
            VALUES (\(id), \(key.publicKey.id), \(role.rawValue), \(sealed), \(now))
            """)
        return key.publicKey
    }

    /// The private keys of a role, those that can be opened here. Throws unless they reach its threshold.
    static func keys(
        of role: OnlineRole, named keys: TrustRoleKeys, secrets: SecretBox, _ database: some PostgresExecutor
    ) async throws -> [TrustSigningKey] {
        let rows = try await database.all(
            "SELECT id, secret FROM trust_keys WHERE key_id = ANY (\(keys.keyIDs)::text[])"
        ) { row in (id: try row.get(0, as: UUID.self), sealed: try row.get(1, as: Data.self)) }
        let opened = rows.compactMap {
            secrets.open($0.sealed, for: context($0.id)).flatMap { TrustSigningKey(bytes: $0) }
        }
        guard opened.count >= keys.threshold else { throw TrustPublishingError.noKey(role: role.rawValue) }
        return opened
    }

    /// Ids and ages of all online keys.
    package static func all(_ database: some PostgresExecutor) async throws
        -> [(keyID: String, role: String, createdAt: Date)]
    {
        try await database.all("SELECT key_id, role, created_at FROM trust_keys ORDER BY created_at") { row in
            (keyID: try row.get(0), role: try row.get(1), createdAt: try row.get(2))
        }
    }
}
