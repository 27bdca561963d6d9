// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import Testing

@testable import MarketHTTP

@Suite("How long connections may keep us waiting")
struct IdleTimeoutTests {
    private static let get = HTTPRequestPart.head(
        HTTPRequest(method: .get, scheme: "http", authority: "m", path: "/"))
    private static let answer: [HTTPResponsePart] = [.head(HTTPResponse(status: .ok)), .end(nil)]

    private func channel() throws -> EmbeddedChannel {
        let channel = EmbeddedChannel()
        try channel.pipeline.syncOperations.addHandler(IdleTimeoutHandler())
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        return channel
    }

    private func wait(_ channel: EmbeddedChannel, _ seconds: Int64) {
        for _ in 0..<seconds { channel.embeddedEventLoop.advanceTime(by: .seconds(1)) }
    }

    @Test("one that sends no head is closed, also after a request")
    func idle() throws {
        let silent = try channel()
        wait(silent, 60)
        #expect(silent.isActive)
        wait(silent, 40)
        #expect(!silent.isActive)

        let lively = try channel()
        for _ in 0..<5 {
            wait(lively, 60)
            try lively.writeInbound(Self.get)
            try lively.writeInbound(HTTPRequestPart.end(nil))
            for part in Self.answer { try lively.writeOutbound(part) }
        }
        #expect(lively.isActive)
        wait(lively, 100)
        #expect(!lively.isActive)
    }

    @Test("one whose answer takes its time is kept")
    func longAnswer() throws {
        let channel = try channel()
        try channel.writeInbound(Self.get)
        try channel.writeInbound(HTTPRequestPart.end(nil))
        wait(channel, 600)
        #expect(channel.isActive)
        try channel.close().wait()
    }

    /// What a channel does when as much waits to be fetched as it holds, and when that was fetched.
    private func fetches(_ channel: EmbeddedChannel, _ isFetched: Bool) {
        channel.isWritable = isFetched
        channel.pipeline.fireChannelWritabilityChanged()
    }

    @Test("one that does not fetch its answer is closed, one that fetches it slowly is kept, however long it takes")
    func unfetchedAnswer() throws {
        let deaf = try channel()
        let slow = try channel()
        for channel in [deaf, slow] {
            try channel.writeInbound(Self.get)
            try channel.writeInbound(HTTPRequestPart.end(nil))
            try channel.writeOutbound(Self.answer[0])
        }
        // Waiting for us does not count: the answer came late.
        wait(deaf, 300)
        #expect(deaf.isActive)
        fetches(deaf, false)
        wait(deaf, 29)
        #expect(deaf.isActive)
        wait(deaf, 16)
        #expect(!deaf.isActive)

        for _ in 0..<20 {
            fetches(slow, false)
            wait(slow, 25)
            fetches(slow, true)
            wait(slow, 25)
        }
        #expect(slow.isActive)
        fetches(slow, false)
        wait(slow, 45)
        #expect(!slow.isActive)
    }

    @Test("a body that comes a byte a second is cut off, one that flows is not, however long it is")
    func bodies() throws {
        let slow = try channel()
        try slow.writeInbound(Self.get)
        for _ in 0..<100 where slow.isActive {
            slow.read()
            try slow.writeInbound(HTTPRequestPart.body(ByteBuffer(string: "a")))
            slow.pipeline.fireChannelReadComplete()
            slow.read()
            wait(slow, 1)
        }
        #expect(!slow.isActive)

        let fine = try channel()
        try fine.writeInbound(Self.get)
        for _ in 0..<300 {
            fine.read()
            try fine.writeInbound(HTTPRequestPart.body(ByteBuffer(repeating: 1, count: 500)))
            fine.pipeline.fireChannelReadComplete()
            fine.read()
            wait(fine, 1)
        }
        #expect(fine.isActive)
        try fine.close().wait()
    }

    @Test("a body that we do not ask for is not the client's fault")
    func backPressure() throws {
        let channel = try channel()
        try channel.writeInbound(Self.get)
        try channel.writeInbound(HTTPRequestPart.body(ByteBuffer(repeating: 1, count: 500)))
        channel.pipeline.fireChannelReadComplete()
        wait(channel, 300)
        #expect(channel.isActive)
        try channel.close().wait()
    }
}
