// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Hummingbird
import NIOCore
import Postgres
import ServiceLifecycle
import SheetCore
import Synchronization

/// Ready answers to anonymous, repeatable reads of the catalog, by path and query.
///
/// An answer lives until the catalog changes (NOTIFY `catalog`, sent by triggers) or for a few seconds, whichever is
/// shorter: the seconds are for what has no trigger, such as counts of downloads. Signed-in callers always read the
/// database, so they see what they have just done. A cold answer is made once however many ask for it.
public final class ResponseCache: Sendable {
    private struct Answer: Sendable {
        let body: ByteBuffer
        let headers: HTTPFields
        let tag: String
        let expires: ContinuousClock.Instant
    }

    private struct State {
        var answers: RecentlyUsed<String, Answer>
        var underWay: [String: Task<Answer, any Error>] = [:]
        /// Counts changes of the catalog: what was begun before one is not kept after it.
        var generation = 0
    }

    /// What a handler makes on a miss.
    struct Fresh: Sendable {
        var body: ByteBuffer
        var headers: HTTPFields = [:]
    }

    private let state: Mutex<State>
    private let timeToLive: Duration

    /// Keeps at most `capacityBytes` of answers, each for at most `timeToLive`.
    public init(capacityBytes: Int = 32 << 20, timeToLive: Duration = .seconds(3)) {
        state = Mutex(State(answers: RecentlyUsed(capacity: capacityBytes)))
        self.timeToLive = timeToLive
    }

    /// The answer for `request`, ready or made by `make`; `304` when the client holds it.
    func response(
        to request: Request, context: MarketRequestContext, make: @escaping @Sendable () async throws -> Fresh
    ) async throws -> Response {
        guard context.identity == nil else {
            let fresh = try await make()
            return request.revalidated(fresh.body, headers: fresh.headers)
        }
        let key = request.uri.string
        let answer: Answer
        if let ready = state.withLock({ $0.answers.use(key) }), ready.expires > .now {
            answer = ready
        } else {
            answer = try await flight(key, make: make).value
        }
        if request.holds(answer.tag) {
            var headers = answer.headers
            headers[.contentLength] = nil
            return Response(status: .notModified, headers: headers, body: .init())
        }
        return Response(status: .ok, headers: answer.headers, body: .init(byteBuffer: answer.body))
    }

    /// Joins the making of an answer that is under way, or begins one. It is nobody's child: the caller who began it
    /// may give up, the others still want it.
    private func flight(_ key: String, make: @escaping @Sendable () async throws -> Fresh) -> Task<Answer, any Error> {
        state.withLock { state in
            if let task = state.underWay[key] { return task }
            let generation = state.generation
            let task = Task { [self] in
                do {
                    let answer = answer(of: try await make())
                    end(key, generation, answer)
                    return answer
                } catch {
                    end(key, generation, nil)
                    throw error
                }
            }
            state.underWay[key] = task
            return task
        }
    }

    private func end(_ key: String, _ generation: Int, _ answer: Answer?) {
        state.withLock { state in
            guard state.generation == generation else { return }
            state.underWay[key] = nil
            guard let answer else { return }
            // The key and the table's own upkeep count too, so that many tiny answers stay bounded.
            state.answers.enter(answer, for: key, cost: answer.body.readableBytes + key.utf8.count + 512)
        }
    }

    private func answer(of fresh: Fresh) -> Answer {
        let tag = EntityTag.of(fresh.body)
        var headers = fresh.headers
        headers[.eTag] = tag
        if headers[.cacheControl] == nil { headers[.cacheControl] = "no-cache" }
        if headers[.contentType] == nil { headers[.contentType] = "application/json; charset=utf-8" }
        headers[.contentLength] = String(fresh.body.readableBytes)
        return Answer(body: fresh.body, headers: headers, tag: tag, expires: .now + timeToLive)
    }

    /// Forgets everything: the catalog has changed.
    public func removeAll() {
        state.withLock { state in
            state.generation += 1
            state.answers.removeAll()
            state.underWay.removeAll()
        }
    }

    /// How many answers are kept.
    var count: Int { state.withLock { $0.answers.count } }
}

/// Empties the cache when any node changes the catalog.
struct CatalogListener: Service {
    let database: PostgresClient
    let cache: ResponseCache

    func run() async throws {
        await cancelWhenGracefulShutdown {
            for await event in database.listen(["catalog"]) {
                switch event {
                case .notification, .reconnected: cache.removeAll()
                }
            }
        }
    }
}
