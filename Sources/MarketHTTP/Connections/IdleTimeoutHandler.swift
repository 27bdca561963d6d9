// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Closes connections that keep us waiting: no next request head in time (which idle connections and heads that come a
/// byte at a time have in common), a body that hardly moves, an answer that nobody fetches. How long whoever is behind
/// a connection works on an answer does not matter.
package final class IdleTimeoutHandler: ChannelDuplexHandler, RemovableChannelHandler {
    package typealias InboundIn = HTTPRequestPart
    package typealias InboundOut = HTTPRequestPart
    package typealias OutboundIn = HTTPResponsePart
    package typealias OutboundOut = HTTPResponsePart

    /// How long we wait, and for how much.
    package struct Limits: Sendable {
        /// Longest wait for a whole request head, the time between requests included. More than the minute for which
        /// nginx keeps its connections to us, so that it is never us who close one that it is about to use.
        package var head = TimeAmount.seconds(75)
        /// In this time a body must bring `bodyBytes`, and a client take something of an answer.
        package var progress = TimeAmount.seconds(30)
        /// No real connection is slower than 100 bytes per second.
        var bodyBytes = 3000
        /// How often we look.
        package var interval = TimeAmount.seconds(15)
    }

    private let limits: Limits
    private var look: RepeatedTask?
    /// Requests whose heads came and whose answers did not end.
    private var unanswered = 0
    private var isInBody = false
    private var isReading = false
    private var bodyBytes = 0
    /// When what we wait for began.
    private var since: NIODeadline
    /// When we stopped asking for more of a body.
    private var pausedSince: NIODeadline
    /// When the client stopped fetching what we send.
    private var stalledSince: NIODeadline?

    package init(limits: Limits = Limits()) {
        self.limits = limits
        since = .now()
        pausedSince = since
    }

    package func handlerAdded(context: ChannelHandlerContext) {
        since = context.eventLoop.now
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        let this = NIOLoopBound(self, eventLoop: context.eventLoop)
        look = context.eventLoop.scheduleRepeatedTask(initialDelay: limits.interval, delay: limits.interval) { _ in
            this.value.check(bound.value)
        }
    }

    package func handlerRemoved(context: ChannelHandlerContext) {
        look?.cancel()
        look = nil
    }

    private func check(_ context: ChannelHandlerContext) {
        let now = context.eventLoop.now
        let isTooSlow =
            if isInBody {
                // What we have not asked for cannot come.
                isReading && now - since >= limits.progress && bodyBytes < limits.bodyBytes
            } else if unanswered == 0 {
                now - since >= limits.head
            } else {
                stalledSince.map { now - $0 >= limits.progress } ?? false
            }
        if isTooSlow { return context.close(promise: nil) }
        if isInBody, now - since >= limits.progress { (since, bodyBytes) = (now, 0) }
    }

    package func read(context: ChannelHandlerContext) {
        // The time in which we did not want any is not the client's.
        if !isReading, isInBody { since = since + (context.eventLoop.now - pausedSince) }
        isReading = true
        context.read()
    }

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head:
            unanswered += 1
            isInBody = true
            (since, bodyBytes) = (context.eventLoop.now, 0)
        case .body(let bytes): bodyBytes += bytes.readableBytes
        case .end: isInBody = false
        }
        context.fireChannelRead(data)
    }

    package func channelReadComplete(context: ChannelHandlerContext) {
        isReading = false
        pausedSince = context.eventLoop.now
        context.fireChannelReadComplete()
    }

    package func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .end = unwrapOutboundIn(data) {
            unanswered = max(0, unanswered - 1)
            since = context.eventLoop.now
        }
        context.write(data, promise: promise)
    }

    package func channelWritabilityChanged(context: ChannelHandlerContext) {
        stalledSince = context.channel.isWritable ? nil : context.eventLoop.now
        context.fireChannelWritabilityChanged()
    }
}
