// SPDX-License-Identifier: Apache-2.0
import Crypto
import Foundation
import HTTPTypes
import Hummingbird
import MarketPlatform
import Postgres
import ServiceLifecycle

/// Caches the identity behind each credential for some seconds, so that reads in a row cost one query.
///
/// Only reads use it: calls that change something always look the identity up. Entries go after those seconds, whenever
/// a credential or an account changes on any node (NOTIFY `credentials`, sent by triggers), and whenever this node has
/// handled a call that may have changed one, so that nobody sees their own revocation late. A node whose listening
/// connection is lost is late by those seconds at most. Credentials are kept as hashes.
package struct CredentialCache: Sendable {
    private let known: TTLCache<SHA256.Digest, Identity?>

    /// Remembers for at most `seconds`; with 0 nothing.
    package init(seconds: Double) {
        known = TTLCache(capacity: 16_384, seconds: seconds)
    }

    /// The identity behind the credential of `request`, from the cache or from `authenticate`.
    package func identity(of request: Request, _ authenticate: APIRoutes.Authenticate) async throws -> Identity? {
        // Both fields together: a proxy's `Authorization: Basic` is the same for everybody behind it, and says nothing
        // of whose cookie came with it.
        let shown = [request.headers[.authorization], request.headers[.cookie]]
        guard request.method.isSafe, known.isEnabled, shown.contains(where: { $0 != nil }) else {
            return try await authenticate(request)
        }
        // No field holds a line feed.
        let key = SHA256.hash(data: Data(shown.map { $0 ?? "" }.joined(separator: "\n").utf8))
        // What a token for named templates may do depends on the address: it is asked anew each time.
        return try await known.value(for: key, keeping: { $0.map { !$0.isLimited } ?? false }) {
            try await authenticate(request)
        }
    }

    package func removeAll() { known.removeAll() }
}

/// Empties the cache when any node changes a credential or an account.
package struct CredentialChangeListener: Service {
    package let database: PostgresClient
    package let cache: CredentialCache

    package init(database: PostgresClient, cache: CredentialCache) {
        self.database = database
        self.cache = cache
    }

    package func run() async throws {
        await cancelWhenGracefulShutdown {
            for await _ in database.listen(["credentials"]) { cache.removeAll() }
        }
    }
}
