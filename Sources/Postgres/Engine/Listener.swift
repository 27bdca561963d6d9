// SPDX-License-Identifier: Apache-2.0

/// What a subscription tells.
package enum PostgresNotification: Sendable, Hashable {
    case notification(channel: String, payload: String)
    /// The subscription is live (the first time, or again after a lost connection), or fell so far behind that
    /// notifications were dropped. What happened before went unheard: look at the state itself.
    case reconnected
}

/// One subscription, as the engine sees it.
///
/// `@unchecked Sendable`: what changes is touched by the engine's thread alone.
final class Listener: @unchecked Sendable {
    static let backlog = 1000

    let channels: [String]
    private let continuation: AsyncStream<PostgresNotification>.Continuation
    /// Called before each piece of news is handed on.
    private let heard: @Sendable () -> Void

    // From here on: the engine's thread only.
    /// The session that listens, while there is one.
    var sessionID: Int?
    var isEnded = false
    var isConnecting = false
    var failures = 0
    var retryAt: UInt64 = 0

    init(
        channels: [String], continuation: AsyncStream<PostgresNotification>.Continuation,
        heard: @escaping @Sendable () -> Void = {}
    ) {
        self.channels = channels
        self.continuation = continuation
        self.heard = heard
    }

    func yield(_ notification: PostgresNotification) {
        heard()
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
