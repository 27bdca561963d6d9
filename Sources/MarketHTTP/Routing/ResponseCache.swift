// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Hummingbird
import MarketPlatform
import NIOCore
import SheetCore
import Synchronization

/// Ready answers to anonymous, repeatable reads of the catalog, by path and query.
///
/// An answer lives until the catalog changes (NOTIFY `catalog`, sent by triggers) or for half a minute, whichever is
/// shorter: the seconds are for what has no trigger, such as counts of downloads. Signed-in callers always read the
/// database, so they see what they have just done. A cold answer is made once however many ask for it.
package final class ResponseCache: Sendable {
    private struct Answer: Sendable {
        let body: ByteBuffer
        let headers: HTTPFields
        let tag: String
        let expires: ContinuousClock.Instant
    }

    private struct State {
        var answers: LRUCache<String, Answer>
        var underWay: [String: InFlight] = [:]
        /// Counts changes of the catalog: what was begun before one is not kept after it.
        var generation = 0
    }

    /// How an answer is come by.
    private enum Lookup {
        case ready(Answer)
        /// Somebody makes it already.
        case join(InFlight)
        /// Nobody does yet.
        case make(InFlight, generation: Int)
    }

    /// What a handler makes on a miss.
    package struct GeneratedResponse: Sendable {
        package var body: ByteBuffer
        package var headers: HTTPFields = [:]
        /// The entity tag, where the bytes of the body are not to make it.
        package var tag: String?
        fileprivate var expires: ContinuousClock.Instant?

        package init(body: ByteBuffer, headers: HTTPFields = [:], tag: String? = nil) {
            self.body = body
            self.headers = headers
            self.tag = tag
        }
    }

    /// What others may do with anonymous answers: a CDN may keep one for some seconds, everybody else asks whether it
    /// holds.
    package static let shared = "public, max-age=0, s-maxage=10, stale-while-revalidate=20"

    private let state: Mutex<State>
    private let timeToLive: Duration

    /// Whether any answer is kept at all.
    package var isEnabled: Bool { timeToLive > .zero }

    /// Keeps at most `capacityBytes` of answers, each for at most `timeToLive`.
    package init(capacityBytes: Int = 64 << 20, timeToLive: Duration = .seconds(30)) {
        state = Mutex(State(answers: LRUCache(capacity: capacityBytes)))
        self.timeToLive = timeToLive
    }

    /// The answer for `request`, ready or made by `make`; `304` when the client holds it. `variant` tells answers apart
    /// that depend on more than the address.
    package func response(
        to request: Request, context: MarketRequestContext, variant: String? = nil,
        make: @escaping @Sendable () async throws -> GeneratedResponse
    ) async throws -> Response {
        guard context.identity == nil else {
            let fresh = try await make()
            var headers = fresh.headers
            headers[.cacheControl] = "private, no-cache"
            headers[.vary] = Self.varying(headers[.vary])
            return request.conditionalResponse(fresh.body, headers: headers, tag: fresh.tag)
        }
        let key = request.uri.string + (variant.map { " \($0)" } ?? "")
        let answer =
            if request.acceptsGzip { try await smaller(for: key, make: make) } else {
                try await self.answer(for: key, make: make)
            }
        if request.holds(answer.tag) {
            var headers = answer.headers
            headers[.contentLength] = nil
            return Response(status: .notModified, headers: headers, body: .init())
        }
        return Response(status: .ok, headers: answer.headers, body: .init(byteBuffer: answer.body))
    }

    private func answer(for key: String, make: () async throws -> GeneratedResponse) async throws -> Answer {
        while true {
            switch lookup(to: key) {
            case .ready(let answer): return answer
            case .join(let flight):
                // The maker may have given up, which says nothing about the answer: then we make it ourselves.
                if let result = await flight.result() { return try result.get() }
            case .make(let flight, let generation):
                do {
                    let answer = answer(of: try await make())
                    end(flight, key, generation, .success(answer))
                    return answer
                } catch {
                    end(flight, key, generation, Task.isCancelled ? nil : .failure(error))
                    throw error
                }
            }
        }
    }

    /// The same answer compressed, once; as it is where that does not pay.
    private func smaller(
        for key: String, make: @escaping @Sendable () async throws -> GeneratedResponse
    ) async throws -> Answer {
        try await answer(for: key + " gzip") {
            let plain = try await self.answer(for: key, make: make)
            var fresh = GeneratedResponse(body: plain.body, headers: plain.headers)
            fresh.tag = plain.tag
            fresh.expires = plain.expires
            guard plain.body.readableBytes >= Gzip.leastBytes, let body = Gzip.compressed(plain.body) else {
                return fresh
            }
            fresh.body = body
            fresh.headers[.contentEncoding] = "gzip"
            // Other bytes, another tag.
            fresh.tag = EntityTag.compressed(plain.tag)
            return fresh
        }
    }

    private func lookup(to key: String) -> Lookup {
        state.withLock { state in
            if let ready = state.answers.use(key), ready.expires > .now { return .ready(ready) }
            if let flight = state.underWay[key] { return .join(flight) }
            let flight = InFlight()
            state.underWay[key] = flight
            return .make(flight, generation: state.generation)
        }
    }

    private func end(_ flight: InFlight, _ key: String, _ generation: Int, _ result: Result<Answer, any Error>?) {
        state.withLock { state in
            guard state.generation == generation else { return }
            state.underWay[key] = nil
            guard case .success(let answer)? = result else { return }
            // The key and the table's own upkeep count too, so that many tiny answers stay bounded.
            state.answers.enter(answer, for: key, cost: answer.body.readableBytes + key.utf8.count + 512)
        }
        flight.land(result)
    }

    private func answer(of fresh: GeneratedResponse) -> Answer {
        let tag = fresh.tag ?? EntityTag.of(fresh.body)
        var headers = fresh.headers
        headers[.eTag] = tag
        if headers[.cacheControl] == nil { headers[.cacheControl] = Self.shared }
        headers[.vary] = Self.varying(headers[.vary])
        if headers[.contentType] == nil { headers[.contentType] = "application/json; charset=utf-8" }
        headers[.contentLength] = String(fresh.body.readableBytes)
        return Answer(body: fresh.body, headers: headers, tag: tag, expires: fresh.expires ?? .now + timeToLive)
    }

    /// Compressed or not is not all that an answer may go by.
    private static func varying(_ others: String?) -> String {
        guard let others else { return "Accept-Encoding" }
        let names = others.split(separator: ",").map { String($0.drop { $0 == " " }) }
        return (["Accept-Encoding"] + names.filter { $0.lowercased() != "accept-encoding" }).joined(separator: ", ")
    }

    /// Forgets everything: the catalog has changed.
    package func removeAll() {
        state.withLock { state in
            state.generation += 1
            state.answers.removeAll()
            state.underWay.removeAll()
        }
    }

    /// How many answers are kept.
    package var count: Int { state.withLock { $0.answers.count } }
    /// How often the catalog has changed.
    package var changes: Int { state.withLock { $0.generation } }
}

extension ResponseCache {
    /// An answer that one caller makes and others wait for.
    private final class InFlight: Sendable {
        private typealias Waiting = CheckedContinuation<Result<Answer, any Error>?, Never>

        private enum State {
            case underWay([Waiting])
            case landed(Result<Answer, any Error>?)
        }

        private let state = Mutex(State.underWay([]))

        /// What came of it; `nil` when its maker gave up.
        func result() async -> Result<Answer, any Error>? {
            await withCheckedContinuation { waiting in
                let landed: Result<Answer, any Error>?? = state.withLock { state in
                    switch state {
                    case .landed(let result): return .some(result)
                    case .underWay(let others):
                        state = .underWay(others + [waiting])
                        return nil
                    }
                }
                if let landed { waiting.resume(returning: landed) }
            }
        }

        func land(_ result: Result<Answer, any Error>?) {
            let waiting: [Waiting] = state.withLock { state in
                guard case .underWay(let waiting) = state else { return [] }
                state = .landed(result)
                return waiting
            }
            for one in waiting { one.resume(returning: result) }
        }
    }
}
