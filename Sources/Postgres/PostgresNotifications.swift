// SPDX-License-Identifier: Apache-2.0

/// What a subscription tells.
public enum PostgresNotification: Sendable, Hashable {
    case notification(channel: String, payload: String)
    /// The subscription is live (the first time, or again after a lost connection), or fell so far behind that
    /// notifications were dropped. What happened before went unheard: look at the state itself.
    case reconnected
}

/// Notifications of some channels, over a connection of its own that is made again whenever it is lost.
///
/// The subscription begins with `listen` and ends with the iteration, its task's cancellation, or the client's
/// shutdown. One consumer only. A consumer that lags by more than a thousand notifications loses the oldest, and is
/// told by `.reconnected`.
public struct PostgresNotifications: AsyncSequence, Sendable {
    /// One piece of news.
    public typealias Element = PostgresNotification

    let stream: AsyncStream<PostgresNotification>

    /// Takes the news one by one.
    public struct AsyncIterator: AsyncIteratorProtocol {
        var base: AsyncStream<PostgresNotification>.Iterator

        /// Waits for the next piece of news; nil when the subscription has ended.
        public mutating func next() async -> PostgresNotification? {
            await base.next()
        }
    }

    /// Begins the iteration; only one may run.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(base: stream.makeAsyncIterator())
    }
}

/// One subscription, as the engine sees it.
final class Listener: @unchecked Sendable {
    static let backlog = 1000

    let channels: [String]
    private let continuation: AsyncStream<PostgresNotification>.Continuation

    // Engine thread only.
    unowned(unsafe) var session: Session?
    var isEnded = false
    var isConnecting = false
    var failures = 0
    var retryAt: UInt64 = 0

    init(channels: [String], continuation: AsyncStream<PostgresNotification>.Continuation) {
        self.channels = channels
        self.continuation = continuation
    }

    func yield(_ notification: PostgresNotification) {
        if case .dropped = continuation.yield(notification) {
            // The newest place goes to the news that something is missing.
            continuation.yield(.reconnected)
        }
    }

    func end() {
        isEnded = true
        continuation.finish()
    }
}
