// SPDX-License-Identifier: Apache-2.0
import Foundation
import Hummingbird
import Logging
import NIOCore
import Synchronization
import TestSupport
import Testing

@testable import Outgoing

@Suite("Asking other servers")
struct OutgoingTests {
    private static func client(_ policy: AddressPolicy = .anywhere, authorities: URL? = nil) -> OutgoingClient {
        OutgoingClient(policy: policy, authorities: authorities?.path, logger: TestLog.logger)
    }

    @Test("a request arrives with its fields and its body, and the answer comes back with its own")
    func exchange() async throws {
        let server = OtherServer { request, body in
            #expect(request.method == .post)
            #expect(request.uri.string == "/hook?a=b")
            #expect(request.headers[.contentType] == "application/json")
            #expect(request.headers[.userAgent] == "sheetmarket")
            #expect(request.headers[values: .expect].isEmpty)
            return Response(
                status: .accepted, headers: [.location: "http://127.0.0.1/elsewhere", .server: " spaced "],
                body: .init(byteBuffer: body))
        }
        try await server.run { url in
            let body = [UInt8](repeating: 7, count: 2 << 20)
            let answer = try await Self.client().send(
                OutgoingRequest(
                    url: "\(url)/hook?a=b", method: "POST", fields: [("Content-Type", "application/json")], body: body,
                    seconds: 300, maximumAnswerBytes: 4 << 20))
            #expect(answer.status == 202)
            #expect(answer.body == body)
            #expect(answer.fields.contains { $0.name == "location" && $0.value == "http://127.0.0.1/elsewhere" })
            #expect(answer.fields.contains { $0.name == "server" && $0.value == "spaced" })
        }
    }

    @Test("every method goes out as itself, with and without a body")
    func methods() async throws {
        let server = OtherServer { request, body in
            let text = request.method == .head ? "" : "\(request.method) \(body.readableBytes)"
            return Response(status: .ok, body: .init(byteBuffer: ByteBuffer(string: text)))
        }
        try await server.run { url in
            for method in ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"] {
                let bare = try await Self.client().send(OutgoingRequest(url: url, method: method, seconds: 300))
                #expect(String(decoding: bare.body, as: UTF8.self) == (method == "HEAD" ? "" : "\(method) 0"))
                guard method != "HEAD", method != "GET" else { continue }
                let laden = try await Self.client().send(
                    OutgoingRequest(url: url, method: method, body: [1, 2, 3], seconds: 300))
                #expect(String(decoding: laden.body, as: UTF8.self) == "\(method) 3")
            }
        }
    }

    @Test("a redirect is an answer and is not followed")
    func redirect() async throws {
        let server = OtherServer { request, _ in
            #expect(request.uri.path == "/")
            return Response(status: .found, headers: [.location: "/secret"])
        }
        try await server.run { url in
            let answer = try await Self.client().send(OutgoingRequest(url: "\(url)/", seconds: 300))
            #expect(answer.status == 302)
        }
        #expect(server.count == 1)
    }

    @Test("the policy for the public internet reaches no server of this machine, whatever it is called by")
    func privateServers() async throws {
        let server = OtherServer { _, _ in Response(status: .ok) }
        try await server.run { url in
            let port = url.split(separator: ":").last.map(String.init) ?? ""
            // Names that lead here, numbers that are read as addresses of here, and IPv6 with an IPv4 address inside.
            for host in [
                "127.0.0.1", "localhost", "2130706433", "0x7f.1", "0", "[::1]", "[::ffff:127.0.0.1]",
                "[::ffff:7f00:1]", "[64:ff9b::7f00:1]", "[2002:7f00:1::]", "[fe80::1]", "[fd00::1]", "169.254.169.254",
                "10.0.0.1", "100.64.0.1", "224.0.0.1", "255.255.255.255", "198.18.0.1", "192.0.2.1",
            ] {
                let error = await Self.failure(.publicOnly, "http://\(host):\(port)/")
                #expect(error == .addressRefused, "\(host): \(error.map { "\($0)" } ?? "reached")")
            }
            let answer = try await Self.client().send(OutgoingRequest(url: url, seconds: 300))
            #expect(answer.status == 200)
        }
        #expect(server.count == 1)
    }

    private static func failure(_ policy: AddressPolicy, _ url: String) async -> OutgoingError? {
        do throws(OutgoingError) {
            _ = try await client(policy).send(OutgoingRequest(url: url, seconds: 300))
            return nil
        } catch {
            return error
        }
    }

    @Test(
        "addresses are public or not",
        arguments: [
            ("8.8.8.8", true), ("1.1.1.1", true), ("172.32.0.1", true), ("172.15.0.1", true), ("100.128.0.1", true),
            ("0.1.2.3", false), ("10.255.255.255", false), ("100.127.255.255", false), ("127.8.8.8", false),
            ("169.254.0.1", false), ("172.16.0.1", false), ("172.31.255.255", false), ("192.0.0.8", false),
            ("192.88.99.1", false), ("192.168.1.1", false), ("198.19.1.1", false), ("198.51.100.3", false),
            ("203.0.113.9", false), ("239.1.1.1", false), ("240.0.0.1", false), ("255.255.255.255", false),
            ("2606:4700::1111", true), ("2a00:1450::1", true), ("2001:4860::8888", true), ("2001:200::1", true),
            ("::", false), ("::1", false), ("::ffff:8.8.8.8", false), ("::8.8.8.8", false), ("64:ff9b::808:808", false),
            ("64:ff9b:1::1", false), ("100::1", false), ("2001::1", false), ("2001:10::1", false),
            ("2001:db8::1", false), ("2002:808:808::1", false), ("3fff:0fff::1", false), ("5f00::1", false),
            ("fc00::1", false), ("fdff::1", false), ("fe80::1", false), ("fec0::1", false), ("ff02::1", false),
        ])
    func addresses(_ text: String, isPublic: Bool) throws {
        var v4: UInt32 = 0
        var v6 = [UInt8](repeating: 0, count: 16)
        if inet_pton(AF_INET, text, &v4) == 1 {
            #expect(AddressPolicy.isPublic(v4: UInt32(bigEndian: v4)) == isPublic)
        } else {
            try #require(inet_pton(AF_INET6, text, &v6) == 1)
            #expect(AddressPolicy.isPublic(v6: v6) == isPublic)
        }
    }

    @Test("a larger answer than was asked for is refused, or cut off where that was asked for")
    func largeAnswers() async throws {
        let server = OtherServer { _, _ in
            Response(status: .ok, body: .init(byteBuffer: ByteBuffer(repeating: 65, count: 300_000)))
        }
        try await server.run { url in
            await #expect(throws: OutgoingError.answerTooLarge) {
                try await Self.client().send(OutgoingRequest(url: url, seconds: 300, maximumAnswerBytes: 299_999))
            }
            let whole = try await Self.client().send(
                OutgoingRequest(url: url, seconds: 300, maximumAnswerBytes: 300_000))
            #expect(whole.body.count == 300_000)
            let cut = try await Self.client().send(
                OutgoingRequest(url: url, seconds: 300, maximumAnswerBytes: 500, cutsLongAnswer: true))
            #expect(cut.status == 200)
            #expect(cut.body == [UInt8](repeating: 65, count: 500))
        }
    }

    @Test("a head without end is refused")
    func largeHead() async throws {
        let server = OtherServer { _, _ in
            var response = Response(status: .ok)
            for _ in 0..<1000 {
                response.headers.append(.init(name: .server, value: String(repeating: "x", count: 99)))
            }
            return response
        }
        try await server.run { url in
            await #expect(throws: OutgoingError.answerTooLarge) {
                try await Self.client().send(OutgoingRequest(url: url, seconds: 300, cutsLongAnswer: true))
            }
        }
    }

    @Test("a server that does not answer is given up at the time that was set, or when nobody waits any more")
    func patience() async throws {
        let server = OtherServer { _, _ in
            try await Task.sleep(for: .seconds(3600))
            return Response(status: .ok)
        }
        try await server.run { url in
            await #expect(throws: OutgoingError.timedOut) {
                try await Self.client().send(OutgoingRequest(url: url, seconds: 0.3))
            }
            let client = Self.client()
            let waiting = Task { () async -> OutgoingError? in
                do throws(OutgoingError) {
                    _ = try await client.send(OutgoingRequest(url: url, seconds: 3600))
                    return nil
                } catch {
                    return error
                }
            }
            try await Self.until { server.open == 1 }
            waiting.cancel()
            #expect(await waiting.value == .cancelled)
            // The connection goes too, not only the wait for it.
            try await Self.until { server.open == 0 }
        }
    }

    private static func until(_ condition: @Sendable () -> Bool) async throws {
        let deadline = ContinuousClock.now + .seconds(600)
        while !condition() {
            try #require(ContinuousClock.now < deadline)
            try await Task.sleep(for: .milliseconds(10))
        }
    }

    @Test("many requests share a few threads, and all are answered")
    func crowd() async throws {
        let server = OtherServer { request, _ in
            try await Task.sleep(for: .milliseconds(5))
            return Response(status: .ok, body: .init(byteBuffer: ByteBuffer(string: request.uri.path)))
        }
        try await server.run { url in
            let client = Self.client()
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for number in 0..<100 {
                    group.addTask {
                        let answer = try await client.send(OutgoingRequest(url: "\(url)/\(number)", seconds: 300))
                        return String(decoding: answer.body, as: UTF8.self) == "/\(number)"
                    }
                }
                for try await isRight in group { #expect(isRight) }
            }
        }
        #expect(server.count == 100)
        #expect(server.mostOpen <= OutgoingClient.concurrency)
    }

    @Test(
        "what cannot be sent as it is meant is refused",
        arguments: [
            OutgoingRequest(url: "file:///etc/passwd"), OutgoingRequest(url: "gopher://127.0.0.1/"),
            OutgoingRequest(url: "http://127.0.0.1/a b"), OutgoingRequest(url: "http://127.0.0.1/\r\nX: y"),
            OutgoingRequest(url: "http://127.0.0.1/", method: "GET /x"),
            OutgoingRequest(url: "http://127.0.0.1/", fields: [("X", "a\r\nY: b")]),
            OutgoingRequest(url: "http://127.0.0.1/", fields: [("X: y", "a")]), OutgoingRequest(url: "http://"),
        ])
    func refused(_ request: OutgoingRequest) async throws {
        let error = await #expect(throws: OutgoingError.self) { try await Self.client().send(request) }
        guard case .badRequest = error else {
            Issue.record("\(request.url): \(error.map { "\($0)" } ?? "sent")")
            return
        }
    }

    @Test("nobody there, and no such name, are told apart")
    func nobody() async throws {
        let server = OtherServer { _, _ in Response(status: .ok) }
        let url = Mutex("")
        try await server.run { address in url.withLock { $0 = address } }
        #expect(await Self.failure(.anywhere, url.withLock { $0 }) == .notConnected)
        #expect(await Self.failure(.anywhere, "http://nothing.invalid/") == .nameNotFound)
    }

    @Test("a certificate is checked: by whom it was issued, and for which name")
    func certificates() async throws {
        let servers = try await MailAndTLS.start(tls: true)
        let port = try #require(servers.httpsPort)
        let url = "https://localhost:\(port)/"
        let stranger = await Self.failure(.anywhere, url)
        guard case .notSecure = stranger else {
            Issue.record("a certificate of nobody's: \(stranger.map { "\($0)" } ?? "taken")")
            return
        }
        let trusting = Self.client(authorities: servers.certificate)
        let answer = try await trusting.send(OutgoingRequest(url: url, seconds: 300))
        #expect(String(decoding: answer.body, as: UTF8.self) == "over TLS")
        await #expect(throws: OutgoingError.self) {
            try await trusting.send(OutgoingRequest(url: "https://127.0.0.2:\(port)/"))
        }
    }

    @Test("a mail goes through STARTTLS with its password, dots and line ends unharmed")
    func mail() async throws {
        let servers = try await MailAndTLS.start(tls: true)
        let client = Self.client(authorities: servers.certificate)
        let server = SMTPServer(
            url: "smtp://localhost:\(servers.smtpPort)", user: "postbox", password: "open sesame", requiresTLS: true)
        let message = "Subject: dots\n\n.\n..two\r\nlast"
        try await client.deliver(
            Array(message.utf8), from: "market@example.org", to: ["anna@example.org", "bert@example.org"],
            through: server)
        let mail = try #require(await servers.nextMail())
        #expect(mail.from == "market@example.org")
        #expect(mail.to == ["anna@example.org", "bert@example.org"])
        #expect(mail.tls)
        #expect(mail.user == "postbox")
        #expect(mail.text == "Subject: dots\r\n\r\n.\r\n..two\r\nlast\r\n")
    }

    @Test("no mail and no password leaves when the connection cannot be made secure, and refusals have their code")
    func mailRefusals() async throws {
        let plain = try await MailAndTLS.start(tls: false)
        let message = Array("Subject: s\r\n\r\nt\r\n".utf8)
        let relay = "smtp://127.0.0.1:\(plain.smtpPort)"
        await #expect(throws: OutgoingError.self) {
            try await Self.client().deliver(
                message, from: "m@example.org", to: ["anna@example.org"],
                through: SMTPServer(url: relay, user: "postbox", password: "open sesame"))
        }
        // The operator says that this one needs none.
        try await Self.client().deliver(
            message, from: "m@example.org", to: ["anna@example.org"],
            through: SMTPServer(url: relay, requiresTLS: false))
        let mail = try #require(await plain.nextMail())
        #expect(!mail.tls)
        await #expect(throws: OutgoingError.mailRefused(550)) {
            try await Self.client().deliver(
                message, from: "m@example.org", to: ["refused@example.org"],
                through: SMTPServer(url: relay, requiresTLS: false))
        }
        await #expect(throws: OutgoingError.self) {
            try await Self.client().deliver(
                message, from: "m@example.org", to: ["a@example.org>\r\nRCPT TO:<b@example.org"],
                through: SMTPServer(url: relay, requiresTLS: false))
        }
        let stranger = try await MailAndTLS.start(tls: true)
        await #expect(throws: OutgoingError.self) {
            try await Self.client().deliver(
                message, from: "m@example.org", to: ["anna@example.org"],
                through: SMTPServer(url: "smtp://localhost:\(stranger.smtpPort)", user: "postbox", password: "x"))
        }
    }
}

/// Somebody else's server.
final class OtherServer: Sendable {
    private struct State {
        var count = 0
        var open = 0
        var mostOpen = 0
    }
    private let state = Mutex(State())
    private let handler: @Sendable (Request, ByteBuffer) async throws -> Response

    init(_ handler: @escaping @Sendable (Request, ByteBuffer) async throws -> Response) {
        self.handler = handler
    }

    /// Requests so far.
    var count: Int { state.withLock { $0.count } }
    /// Requests that are not answered yet, and whose sender still waits.
    var open: Int { state.withLock { $0.open } }
    /// The most of these at a time.
    var mostOpen: Int { state.withLock { $0.mostOpen } }

    /// Serves on a port of its own while `body` runs, which is told `http://127.0.0.1:PORT`.
    func run(_ body: @escaping @Sendable (String) async throws -> Void) async throws {
        let (ports, port) = AsyncStream.makeStream(of: Int.self)
        let application = Application(
            responder: CallbackResponder<BasicRequestContext> { [self] request, _ in try await answer(request) },
            configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { port.yield($0.localAddress?.port ?? 0) }, logger: TestLog.logger)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await application.run() }
            guard let port = await ports.first(where: { _ in true }) else { return }
            let outcome: Result<Void, any Error>
            do {
                outcome = .success(try await body("http://127.0.0.1:\(port)"))
            } catch {
                outcome = .failure(error)
            }
            group.cancelAll()
            while await group.nextResult() != nil {}
            try outcome.get()
        }
    }

    private func answer(_ request: Request) async throws -> Response {
        state.withLock {
            $0.count += 1
            $0.open += 1
            $0.mostOpen = max($0.mostOpen, $0.open)
        }
        defer { state.withLock { $0.open -= 1 } }
        return try await request.body.consumeWithCancellationOnInboundClose { body in
            let collected = try await body.collect(upTo: 64 << 20)
            return try await self.handler(request, collected)
        }
    }
}
