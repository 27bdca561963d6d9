// SPDX-License-Identifier: Apache-2.0

/// Notifications of some channels, over a connection of its own that is made again whenever it is lost.
///
/// The subscription begins with `listen` and ends with the iteration, its task's cancellation, or the client's
/// shutdown. One consumer only. A consumer that lags by more than a thousand notifications loses the oldest, and is
/// told by `.reconnected`.
package struct PostgresNotifications: AsyncSequence, Sendable {
    /// One piece of news.
    package typealias Element = PostgresNotification

    let stream: AsyncStream<PostgresNotification>

    /// Takes the news one by one.
    package struct AsyncIterator: AsyncIteratorProtocol {
        var base: AsyncStream<PostgresNotification>.Iterator

        /// Waits for the next piece of news; nil when the subscription has ended.
        package mutating func next() async -> PostgresNotification? {
            await base.next()
        }
    }

    /// Begins the iteration; only one may run.
    package func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(base: stream.makeAsyncIterator())
    }
}
