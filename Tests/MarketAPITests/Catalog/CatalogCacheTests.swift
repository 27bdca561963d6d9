// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import SheetCore
import Synchronization
import Testing

@testable import MarketHTTP

@Suite("Ready answers")
struct CatalogCacheTests {
    /// Counts how often an answer was made, and holds makers until it is told to let them go.
    private final class Maker: Sendable {
        private let state = Mutex<(count: Int, waiting: [CheckedContinuation<Void, Never>], isOpen: Bool)>(
            (0, [], true))

        var count: Int { state.withLock { $0.count } }
        var waiting: Int { state.withLock { $0.waiting.count } }

        func close() { state.withLock { $0.isOpen = false } }

        func open() {
            let waiting = state.withLock { state in
                defer { state.waiting = [] }
                state.isOpen = true
                return state.waiting
            }
            for continuation in waiting { continuation.resume() }
        }

        /// Lets those go who wait, as far as their tasks still run; the next ones wait again.
        func letGo() {
            let waiting = state.withLock { state in
                defer { state.waiting = [] }
                return state.waiting
            }
            for continuation in waiting { continuation.resume() }
        }

        func make(_ text: String) async throws -> ResponseCache.GeneratedResponse {
            let number = state.withLock { state in
                state.count += 1
                return state.count
            }
            await withCheckedContinuation { continuation in
                let isOpen = state.withLock { state in
                    if !state.isOpen { state.waiting.append(continuation) }
                    return state.isOpen
                }
                if isOpen { continuation.resume() }
            }
            try Task.checkCancellation()
            return .init(body: ByteBuffer(string: "\(text) \(number)"))
        }
    }

    private func withCache(
        _ cache: ResponseCache, _ body: @escaping @Sendable (any TestClientProtocol, Maker) async throws -> Void
    ) async throws {
        let maker = Maker()
        let router = Router(context: MarketRequestContext.self)
        router.get("**") { request, context in
            var context = context
            if request.headers[.authorization] != nil {
                context.identity = Identity(
                    userID: .make(), handle: "a", role: .user, credential: .token(.make()), scopes: [])
            }
            return try await cache.response(to: request, context: context) { try await maker.make(request.uri.string) }
        }
        try await Application(router: router).test(.router) { client in try await body(client, maker) }
    }

    private func text(_ client: any TestClientProtocol, _ path: String) async throws -> String {
        String(buffer: try await client.execute(uri: path, method: .get).body)
    }

    @Test("An answer is made once, by path and query, until the catalog changes")
    func once() async throws {
        let cache = ResponseCache(timeToLive: .seconds(3600))
        try await withCache(cache) { client, maker in
            for _ in 0..<3 {
                let answer = try await text(client, "/a?x")
                #expect(answer == "/a?x 1")
            }
            #expect(try await text(client, "/a?y") == "/a?y 2")
            cache.removeAll()
            #expect(try await text(client, "/a?x") == "/a?x 3")
            #expect(maker.count == 3)
        }
    }

    @Test("Time ends an answer, and who is signed in never gets a ready one")
    func fresh() async throws {
        let cache = ResponseCache(timeToLive: .zero)
        try await withCache(cache) { client, maker in
            for _ in 0..<3 { _ = try await client.execute(uri: "/a", method: .get) }
            #expect(maker.count == 3)
        }
        try await withCache(ResponseCache(timeToLive: .seconds(3600))) { client, maker in
            for _ in 0..<3 { _ = try await client.execute(uri: "/a", method: .get, headers: [.authorization: "x"]) }
            #expect(maker.count == 3)
        }
    }

    @Test("However many ask for a cold answer, it is made once; what began before a change is not kept after it")
    func singleFlight() async throws {
        let cache = ResponseCache(timeToLive: .seconds(3600))
        try await withCache(cache) { client, maker in
            maker.close()
            try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<20 {
                    group.addTask { try await text(client, "/a") }
                }
                while maker.waiting == 0 { await Task.yield() }
                cache.removeAll()
                // Asked after the change: it must not be given what was begun before.
                group.addTask { try await text(client, "/a") }
                while maker.waiting < 2 { await Task.yield() }
                maker.open()
                let answers = try await group.reduce(into: Set<String>()) { $0.insert($1) }
                #expect(answers.isSubset(of: ["/a 1", "/a 2"]) && answers.contains("/a 2"))
            }
            #expect(try await text(client, "/a") == "/a 2")
            #expect(maker.count == 2)
        }
    }

    @Test("Who waits for an answer whose maker gives up makes it in his stead; a failure is everybody's")
    func givesUp() async throws {
        let cache = ResponseCache(timeToLive: .seconds(3600))
        try await withCache(cache) { client, maker in
            maker.close()
            let first = Task { try await text(client, "/a") }
            while maker.waiting == 0 { await Task.yield() }
            let second = Task { try await text(client, "/a") }
            first.cancel()
            try await Task.sleep(for: .milliseconds(50))
            maker.letGo()
            while maker.waiting == 0 { await Task.yield() }
            maker.open()
            let answer = try await second.value
            #expect(answer == "/a 2")
            _ = try? await first.value
        }
    }

    @Test("The cache stays within its bound, whatever is asked")
    func bounded() async throws {
        let cache = ResponseCache(capacityBytes: 10_000, timeToLive: .seconds(3600))
        try await withCache(cache) { client, _ in
            for index in 0..<200 { _ = try await client.execute(uri: "/a?\(index)", method: .get) }
            #expect(cache.count > 0 && cache.count < 20)
        }
    }
}
