// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Hummingbird
import MarketClient
import MarketWire
import NIOCore
import SheetCore
import Synchronization
import Testing

/// `URLSessionTransport.swift` is compiled into the tests: on Linux the products are built with another transport.
@Suite("The transport that Apple's platforms use, against a server")
struct URLSessionTests {
    private func client(_ server: StubServer, token: String? = nil) throws -> MarketClient {
        MarketClient(server: try server.address, token: token, retry: .hasty, transport: URLSessionTransport.shared)
    }

    @Test("a template is installed and verified, a download that broke off resumed")
    func installs() async throws {
        let scratch = try Scratch()
        let sheet = SampleSheet()
        let handler = sheet.market { request, server, bytes in
            server.seen("/files/1.0.0").count == 1
                ? .truncated(bytes, after: 100_000) : SampleSheet.serve(request, server, bytes)
        }
        try await withStub(handler) { server in
            let outcome = try await Installer(client: try client(server), library: scratch.library).install(.quest)
            #expect(outcome.downloaded)
        }
        #expect(try await scratch.library.verify().ok)
    }

    @Test("redirects are the client's, problems and statuses come through, and nobody listening is an outage")
    func answers() async throws {
        try await withStub { request, _ in
            switch request.uri.path {
            case "\(Paths.base)/game-systems": return .redirect(to: "/elsewhere")
            case "/elsewhere": return try .json(GameSystemList(gameSystems: []))
            default: return try .problem(404, .notFound, "There is nothing.")
            }
        } _: { server in
            let client = try self.client(server)
            let systems = try await client.gameSystems()
            #expect(systems == [])
            #expect(server.seen().map(\.path) == ["\(Paths.base)/game-systems", "/elsewhere"])
            let error = await #expect(throws: MarketClientError.self) { try await client.template("quest") }
            #expect(error?.code == .notFound)
        }
        let nowhere = try #require(ServerAddress("http://127.0.0.1:1"))
        let nobody = MarketClient(server: nowhere, retry: .hasty, transport: URLSessionTransport.shared)
        let error = await #expect(throws: MarketClientError.self) {
            try await nobody.gameSystems()
        }
        #expect(error?.isOutage == true)
    }

    @Test("bytes that are made as they are sent arrive whole")
    func uploads() async throws {
        let got = Mutex(0)
        try await withStub { request, _ in
            let body = try await request.body.collect(upTo: 1 << 22)
            got.withLock { $0 = body.readableBytes }
            return Response(status: .noContent)
        } _: { server in
            let pieces = ByteStream {
                var left = 20
                return {
                    left -= 1
                    return left >= 0 ? Data(repeating: 7, count: 50_000) : nil
                }
            }
            let url = try #require(URL(string: server.url + "/upload"))
            let answer = try await URLSessionTransport.shared.send(
                TransportRequest(method: .post, url: url, body: .stream(pieces, length: 1_000_000)))
            #expect(answer.status == 204)
            #expect(got.withLock { $0 } == 1_000_000)
        }
    }

    @Test("a reader who takes his time gets everything; one who stops ends the transfer")
    func slowReader() async throws {
        let (piece, count) = (64 << 10, 1024)
        let sent = Mutex(0)
        let isStopped = Mutex(false)
        try await withStub { _, _ in
            sent.withLock { $0 = 0 }
            return Response(
                status: .ok,
                body: .init { writer in
                    do {
                        for _ in 0..<count {
                            try await writer.write(ByteBuffer(repeating: 7, count: piece))
                            sent.withLock { $0 += piece }
                        }
                        try await writer.finish(nil)
                    } catch {
                        isStopped.withLock { $0 = true }
                        throw error
                    }
                })
        } _: { server in
            let url = try #require(URL(string: server.url + "/large"))
            let answer = try await URLSessionTransport.shared.send(TransportRequest(method: .get, url: url))
            var bytes = answer.body.makeAsyncIterator()
            var read = try await bytes.next()?.count ?? 0
            try await Task.sleep(for: .seconds(2))
            #if canImport(Darwin)
                // What the sockets of both hold comes on top of what may wait.
                let ahead = sent.withLock { $0 }
                #expect(ahead < 24 << 20, "\(ahead) bytes were sent ahead")
            #endif
            while let more = try await bytes.next() { read += more.count }
            #expect(read == piece * count)

            let task = Task {
                let other = try await URLSessionTransport.shared.send(TransportRequest(method: .get, url: url))
                for try await _ in other.body { break }
            }
            try await task.value
            for _ in 0..<6000 where !isStopped.withLock({ $0 }) { try await Task.sleep(for: .milliseconds(20)) }
            #expect(isStopped.withLock { $0 })
        }
    }
}
