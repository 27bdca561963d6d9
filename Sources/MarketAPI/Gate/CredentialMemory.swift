// SPDX-License-Identifier: Apache-2.0
import Crypto
import Foundation
import HTTPTypes
import Hummingbird
import Postgres
import ServiceLifecycle
import SheetCore
import Synchronization

/// Who showed which credential a moment ago, so that reading on costs no further query.
///
/// For reads alone: who changes something is always looked up. What is known is forgotten after some seconds; whenever
/// a credential or an account changes, on whatever node (NOTIFY `credentials`, sent by triggers); and whenever this node
/// has taken a change, so that nobody sees their own revocation late. A node that hears nothing for a while, since its
/// connection is lost, is late by those seconds at most. Secrets are remembered as hashes.
final class CredentialMemory: Sendable {
    /// Who somebody is, and when that was asked.
    private struct Answer: Sendable {
        let identity: Identity?
        let asked: ContinuousClock.Instant
    }

    /// Most people whose changes are remembered one by one.
    private static let maximumChanges = 4096

    private let known: ShortMemory<SHA256.Digest, Answer>
    /// When people last changed something here. What was asked about them before is not believed.
    private let changes = Mutex<[UserID: ContinuousClock.Instant]>([:])

    /// Remembers for at most `seconds`; with 0 nothing.
    init(seconds: Double) {
        known = ShortMemory(capacity: 16_384, seconds: seconds)
    }

    /// Who shows the credential of `request`, as is known or as `authenticate` says.
    func identity(of request: Request, _ authenticate: APIRoutes.Authenticate) async throws -> Identity? {
        // Both fields together: a proxy's `Authorization: Basic` is the same for everybody behind it, and says nothing
        // of whose cookie came with it.
        let shown = [request.headers[.authorization], request.headers[.cookie]]
        guard request.method.isSafe, known.remembers, shown.contains(where: { $0 != nil }) else {
            return try await authenticate(request)
        }
        // No field holds a line feed.
        let key = SHA256.hash(data: Data(shown.map { $0 ?? "" }.joined(separator: "\n").utf8))
        // What a token for named templates may do depends on the address: it is asked anew each time.
        let answer = try await known.value(
            for: key, keeping: { $0.identity.map { !$0.isLimited } ?? false }, trusting: { !isOutdated($0) }
        ) {
            let asked = ContinuousClock.now
            return Answer(identity: try await authenticate(request), asked: asked)
        }
        return answer.identity
    }

    private func isOutdated(_ answer: Answer) -> Bool {
        guard let user = answer.identity?.userID else { return false }
        return changes.withLock { changes in changes[user].map { answer.asked <= $0 } ?? false }
    }

    /// Forgets everything.
    func forget() {
        let now = ContinuousClock.now
        known.forget()
        // A later one may have come after somebody who asks by now.
        changes.withLock { changes in changes = changes.filter { $0.value >= now } }
    }

    /// Forgets whom a change of this node may concern. Nobody changes who others are by what anybody signed in may do.
    func forget(after route: RouteDescription, by caller: Identity?) {
        guard !route.method.isSafe, known.remembers else { return }
        guard case .user = route.access, let caller else { return forget() }
        let count = changes.withLock { changes in
            changes[caller.userID] = .now
            return changes.count
        }
        if count > Self.maximumChanges { forget() }
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
