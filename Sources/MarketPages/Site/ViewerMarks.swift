// SPDX-License-Identifier: Apache-2.0
import Hummingbird
import MarketCommunity
import MarketHTTP
import SheetCore
import Synchronization

/// What the masthead shows whoever is signed in of themselves: their disc, and how much waits for them. It is asked for
/// before a page is made, at most once in half a minute and person on this node, and again after whatever that person
/// changes.
package final class ViewerMarks: Sendable {
    struct Mark: Sendable {
        var unread = 0
        var disc: PersonDisc?
    }

    private struct Known {
        let mark: Mark
        let until: ContinuousClock.Instant
    }

    private static let timeToLive = Duration.seconds(30)
    /// People remembered at once.
    private static let capacity = 10_000

    private let known = Mutex<[UserID: Known]>([:])

    package init() {}

    /// As it was when it was last asked for.
    func mark(of user: UserID) -> Mark { known.withLock { $0[user]?.mark ?? Mark() } }

    /// Wraps pages so that the mark is at hand when they are made.
    package func refreshing(_ features: Features) -> @Sendable (@escaping RouteHandler) -> RouteHandler {
        { [self] handler in
            { [self] request, context in
                guard let user = context.identity?.userID else { return try await handler(request, context) }
                await refresh(user, features)
                // What a form changes is asked for afterwards: a form that is shown again with mistakes has a head, too.
                let response = try await handler(request, context)
                if !request.method.isSafe { forget(user) }
                return response
            }
        }
    }

    private func forget(_ user: UserID) { known.withLock { $0[user] = nil } }

    /// A page is shown without a mark rather than not at all.
    private func refresh(_ user: UserID, _ features: Features) async {
        let now = ContinuousClock.now
        if let last = known.withLock({ $0[user] }), last.until > now { return }
        guard let unread = try? await UnreadService(platform: features.platform).unread(of: user),
            let profile = try? await ProfileService(catalog: features.catalog).own(user)
        else { return }
        let mark = Mark(unread: unread.total, disc: PersonDisc(profile))
        known.withLock { known in
            if known.count >= Self.capacity { known.removeAll() }
            known[user] = Known(mark: mark, until: now + Self.timeToLive)
        }
    }
}
