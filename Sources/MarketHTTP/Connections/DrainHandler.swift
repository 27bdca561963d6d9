// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import NIOCore
import NIOHTTPTypes
import Synchronization

/// Whether a server is about to end: it still answers, and each answer ends its connection.
package final class Drain: Sendable {
    private let hasBegun = Atomic(false)

    package init() {}

    /// Whether it has begun.
    package var isOn: Bool { hasBegun.load(ordering: .relaxed) }

    /// From now on; there is no way back.
    package func begin() { hasBegun.store(true, ordering: .relaxed) }
}

/// Ends the connections of a server that is about to end, each with an answer that says so. A proxy would otherwise send a
/// request over one that is closed at the same moment, and may not send a change again, since it cannot know.
package final class DrainHandler: ChannelOutboundHandler, RemovableChannelHandler {
    package typealias OutboundIn = HTTPResponsePart
    package typealias OutboundOut = HTTPResponsePart

    private let drain: Drain

    package init(_ drain: Drain) {
        self.drain = drain
    }

    package func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard drain.isOn, case .head(var head) = unwrapOutboundIn(data) else {
            return context.write(data, promise: promise)
        }
        head.headerFields[.connection] = "close"
        context.write(wrapOutboundOut(.head(head)), promise: promise)
        // The handler behind this one closes when the answer has been written.
        context.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
    }
}
