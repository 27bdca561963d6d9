// SPDX-License-Identifier: Apache-2.0
import Crypto
import Foundation
import HTTPTypes
import Hummingbird
import Postgres
import ServiceLifecycle
import Synchronization

/// Who showed which credential a moment ago, so that reading on costs no further query.
///
/// For reads alone: who changes something is always looked up. What is known is forgotten after some seconds; whenever
/// a credential or an account changes, on whatever node (NOTIFY `credentials`, sent by triggers); and whenever this node
/// has taken a change, so that nobody sees their own revocation late. A node that hears nothing for a while, since its
/// connection is lost, is late by those seconds at most. Secrets are remembered as hashes.
final class CredentialMemory: Sendable {
    private struct Known: Sendable {
        let identity: Identity
        let until: ContinuousClock.Instant
    }

    private struct State {
        var known = RecentlyUsed<SHA256.Digest, Known>(capacity: 16_384)
        /// Counts changes: what was looked up before one is not remembered after it.
        var generation = 0
    }

    private let state = Mutex(State())
    private let timeToLive: Duration

    /// Remembers for at most `seconds`; with 0 nothing.
    init(seconds: Double) {
        timeToLive = .milliseconds(Int64(seconds * 1000))
    }

    /// Who shows the credential of `request`, as is known or as `authenticate` says.
    func identity(of request: Request, _ authenticate: APIRoutes.Authenticate) async throws -> Identity? {
        // Both fields together: a proxy's `Authorization: Basic` is the same for everybody behind it, and says nothing
        // of whose cookie came with it.
        let shown = [request.headers[.authorization], request.headers[.cookie]]
        guard request.method.isSafe, timeToLive > .zero, shown.contains(where: { $0 != nil }) else {
            return try await authenticate(request)
        }
        // No field holds a line feed.
        let key = SHA256.hash(data: Data(shown.map { $0 ?? "" }.joined(separator: "\n").utf8))
        let now = ContinuousClock.now
        let (known, generation) = state.withLock { ($0.known.use(key), $0.generation) }
        if let known, known.until > now { return known.identity }
        let identity = try await authenticate(request)
        // What a token for named templates may do depends on the address: it is asked anew each time.
        if let identity, !identity.isLimited {
            let fresh = Known(identity: identity, until: now + timeToLive)
            state.withLock { state in
                if state.generation == generation { state.known.enter(fresh, for: key, cost: 1) }
            }
        }
        return identity
    }

    /// Forgets everything.
    func forget() {
        state.withLock { state in
            state.generation += 1
            if state.known.count > 0 { state.known.removeAll() }
        }
    }
}

/// Forgets who showed what when any node changes a credential or an account.
struct CredentialListener: Service {
    let database: PostgresClient
    let memory: CredentialMemory

    func run() async throws {
        await cancelWhenGracefulShutdown {
            for await _ in database.listen(["credentials"]) { memory.forget() }
        }
    }
}
