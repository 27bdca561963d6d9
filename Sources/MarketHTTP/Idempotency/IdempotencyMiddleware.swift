// SPDX-License-Identifier: Apache-2.0
import Crypto
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import MarketPlatform
import MarketWire
import NIOCore
import NIOFoundationCompat
import Postgres
import SheetCore
import Synchronization

/// Handles `Idempotency-Key`: a call that is sent again is not made again; its answer is kept for a day and replayed.
///
/// A call is not looked for before it is made. The first transaction in which it writes something notes it, in the same
/// commit, under a name that can be there only once: the second of two that are the same is rolled back as a whole, and
/// answered as the first. So, whenever a node dies, either nothing was written, and the call can be sent again, or it
/// is known that it was: then it is not made again, even where its answer was lost.
package struct IdempotencyMiddleware: Sendable {
    package let platform: Platform
    /// How long an answer is kept, in seconds.
    private let keepSeconds: Double
    /// Largest body of a call with files, in bytes.
    private let largestBody: Int
    /// This node's calls under way, and answers that are not written yet.
    package let tracker: IdempotencyTracker
    /// How long an answer may be on its way after its call was committed, in seconds.
    var answerSeconds = 45

    /// Largest answer that is kept, in bytes.
    private static let largestAnswer = 1 << 20
    /// Header fields that are kept with an answer; the others belong to the moment.
    private static let keptFields: [HTTPField.Name] = [
        .contentType, .location, .link, .eTag, .cacheControl, .retryAfter,
    ]

    package init(platform: Platform, keepSeconds: Double, largestBody: Int) {
        self.platform = platform
        self.keepSeconds = keepSeconds
        self.largestBody = largestBody
        tracker = IdempotencyTracker(database: platform.database, logger: platform.logger)
    }

    private var database: PostgresClient { platform.database }

    /// Answers a call, or gives the answer of before. `checksStoreFirst`: whether to look for an earlier call before
    /// this one is made. That costs a query, and pays for calls that are expensive, or that count attempts even when
    /// they fail.
    package func answer(
        _ request: Request, _ context: MarketRequestContext, key: IdempotencyKey, checksStoreFirst: Bool,
        _ handler: @escaping RouteHandler
    ) async throws -> Response {
        var request = request
        let head = Self.digest(of: request)
        var body: Data?
        let watched = try watched(request)
        if watched == nil {
            let bytes = try await request.body.collect(upTo: Request.maximumJSONBytes)
            body = Data(SHA256.hash(data: bytes.readableBytesView))
            request.body = RequestBody(buffer: bytes)
        }
        let call = IdempotentCall(
            entry: .init(
                slot: key.slot(for: context), user: context.identity?.userID, head: head, body: body,
                attempt: .version7()),
            watched: watched, isForm: key.isForm)
        switch tracker.enter(call.slot) {
        case .taken:
            throw Self.inUse(after: 1)
        case .ended(let entry, let end):
            try await check(call, request, against: entry)
            return try replay(end, secondsLeft: 0)
        case .entered:
            defer { tracker.leave(call.slot) }
            if checksStoreFirst || watched != nil, let record = try await IdempotencyStore.find(call.slot, database) {
                guard record.isOver else { return try await replay(record, to: call, request) }
                try await IdempotencyStore.removeExpired(call.slot, database)
            }
            return try await enter(call, request, context, handler)
        }
    }

    private func watched(_ request: Request) throws -> HashingRequestBody? {
        guard let type = request.headers[.contentType], type.lowercased().hasPrefix("multipart/form-data") else {
            return nil
        }
        var limits = MultipartLimits()
        limits.totalBytes = largestBody
        return HashingRequestBody(MultipartDigest(boundary: try MultipartBoundary(contentType: type), limits: limits))
    }

    /// Method, address and preconditions.
    private static func digest(of request: Request) -> Data {
        let parts = [
            request.method.rawValue, request.uri.string, request.headers[.ifMatch] ?? "",
            request.headers[.ifNoneMatch] ?? "",
        ]
        var text = parts.joined(separator: "\n")
        return text.withUTF8 { Data(SHA256.hash(data: UnsafeRawBufferPointer($0))) }
    }

    // MARK: - Making it

    /// Makes a call that is not under way on this node.
    private func enter(
        _ call: IdempotentCall, _ request: Request, _ context: MarketRequestContext, _ handler: @escaping RouteHandler
    ) async throws -> Response {
        // The place may become free between two looks at it.
        for _ in 0..<3 {
            if let response = try await make(call, request, context, handler) { return response }
            // A body that streams by cannot be read twice.
            guard call.watched == nil else { break }
        }
        throw Self.inUse(after: 1)
    }

    /// Makes the call; `nil` when it was rolled back for another in its place whose time turned out to be over.
    private func make(
        _ call: IdempotentCall, _ request: Request, _ context: MarketRequestContext, _ handler: @escaping RouteHandler
    ) async throws -> Response? {
        var request = request
        if let watched = call.watched { request.body = watched.watching(request.body) }
        let hook = call.hook(
            answerSeconds: answerSeconds, keptSeconds: Int(keepSeconds.rounded(.up)))
        let outcome: Result<Response, any Error>
        do {
            outcome = .success(
                try await PostgresCommitHook.$current.withValue(hook) { try await handler(request, context) })
        } catch {
            outcome = .failure(error)
        }
        let isNoted = call.finish()
        // A form that wrote nothing was shown again, with what is wrong, or led elsewhere first: it may do better
        // another time.
        let kept = try await isNoted || !call.isForm ? kept(outcome, of: call, context) : nil
        if isNoted {
            guard let kept else {
                await abandon(call, context)
                return try outcome.get()
            }
            tracker.write(kept.end, of: call.entry)
            return kept.response
        }
        if let kept {
            do {
                let isOurs = try await IdempotencyStore.insert(
                    call.entry, kept.end, keptSeconds: keepSeconds, database)
                if isOurs { return kept.response }
            } catch  where (try? outcome.get()) != nil {
                // It wrote nothing, so making it again does no harm.
                context.logger.warning("the end of a call is not noted", metadata: ["error": "\(error)"])
                return kept.response
            }
        }
        // It wrote nothing: perhaps since it was made before.
        guard let record = try await IdempotencyStore.find(call.slot, database) else {
            if case .failure(is IdempotentCall.MadeBefore) = outcome { return nil }
            return try outcome.get()
        }
        // A commit whose outcome is unknown.
        if record.entry.attempt == call.entry.attempt { return try outcome.get() }
        if record.isOver {
            try await IdempotencyStore.removeExpired(call.slot, database)
            return nil
        }
        return try await replay(record, to: call, nil)
    }

    /// The answer to a call and what is kept of it; `nil` when the same call may be answered otherwise another time.
    private func kept(
        _ outcome: Result<Response, any Error>, of call: IdempotentCall, _ context: MarketRequestContext
    ) async throws -> (response: Response, end: IdempotencyStore.End)? {
        switch outcome {
        case .success(var response):
            let end = try await end(&response)
            return (response, end)
        case .failure(let error):
            let (mapped, isFault) = APIError.mapping(error)
            guard !isFault, !call.isForm, Self.isStorable(mapped), call.entry.body != nil else { return nil }
            var response = mapped.answer(requestID: context.requestID, site: context.site)
            let end = try await end(&response, isProblem: true)
            return (response, end)
        }
    }

    /// Whether the same call would be answered so again: not for what may be mended without another call.
    private static func isStorable(_ error: APIError) -> Bool {
        error.status.code < 500 && ![401, 403, 408, 413, 429].contains(error.status.code)
    }

    /// The stored form of a response; responses that hold a secret, are too long or stream are not stored.
    private func end(_ response: inout Response, isProblem: Bool = false) async throws -> IdempotencyStore.End {
        let isSecret =
            response.headers[.setCookie] != nil
            || (!isProblem && response.headers[.cacheControl]?.contains("no-store") == true)
        var end = IdempotencyStore.End(status: response.status.code)
        if !isSecret, let length = response.body.contentLength, length <= Self.largestAnswer {
            let bytes = try await response.collectedBody()
            response.body = .init(byteBuffer: bytes)
            let fields = Self.keptFields.compactMap { name in
                response.headers[name].map { [name.rawName, $0] }
            }
            end.answer = IdempotencyStore.Answer(fields: fields, body: Data(buffer: bytes))
        }
        return end
    }

    /// Says that no answer will come, also when the client has gone away.
    private func abandon(_ call: IdempotentCall, _ context: MarketRequestContext) async {
        let logger = context.logger
        await Task {
            do {
                try await IdempotencyStore.abandon(call.entry, database)
            } catch {
                logger.warning("the end of a call is not noted", metadata: ["error": "\(error)"])
            }
        }.value
    }

    // MARK: - The next times

    /// Throws unless a call is the same as the one that was made; reads `request` to its end where its body streams.
    private func check(_ call: IdempotentCall, _ request: Request?, against made: IdempotencyStore.Entry) async throws {
        if made.head != call.entry.head { throw Self.reused }
        if let watched = call.watched, call.entry.body == nil {
            // An earlier reader did not read the body to its end.
            guard let request else { throw Self.inUse(after: 1) }
            for try await bytes in request.body { watched.take(bytes) }
            if call.entry.body == nil { throw Self.reused }
        }
        if let known = made.body, known != call.entry.body { throw Self.reused }
    }

    private func replay(
        _ record: IdempotencyStore.Record, to call: IdempotentCall, _ request: Request?
    ) async throws -> Response {
        // Refuse before the body is read.
        if record.end == nil, call.watched != nil, record.secondsLeft > 0 {
            throw Self.inUse(after: record.secondsLeft)
        }
        try await check(call, request, against: record.entry)
        return try replay(record.end, secondsLeft: record.secondsLeft)
    }

    private func replay(_ end: IdempotencyStore.End?, secondsLeft: Double) throws -> Response {
        guard let end, let answer = end.answer else {
            if end == nil, secondsLeft > 0 { throw Self.inUse(after: secondsLeft) }
            throw APIError(
                .conflict, .idempotencyAnswerNotKept,
                "This call was made before, with this key, and is not made again; its answer is not kept, since it held "
                    + "a secret or was lost. Look at what it was about, or make another call with another key.")
        }
        var headers: HTTPFields = [.idempotencyReplayed: "true"]
        for field in answer.fields where field.count == 2 {
            if let name = HTTPField.Name(field[0]) { headers[name] = field[1] }
        }
        return Response(
            status: .init(code: end.status), headers: headers, body: .init(byteBuffer: ByteBuffer(data: answer.body)))
    }

    private static let reused = APIError(
        .unprocessableContent, .idempotencyKeyReused,
        "This Idempotency-Key was sent with another call. Make a new key for each call.")

    private static func inUse(after seconds: Double) -> APIError {
        APIError(
            .conflict, .idempotencyKeyInUse, "The call with this Idempotency-Key is under way. Send it again later.",
            headers: [.retryAfter: String(max(1, Int(min(5, seconds).rounded(.up))))])
    }
}

/// One attempt at a call that came with a key.
private final class IdempotentCall: Sendable {
    /// The same call, or another with its key, was committed before this one.
    struct MadeBefore: Error {}

    /// While a commit with the note is under way no other carries one: it would stand in its own way.
    private enum Phase { case open, noting, noted, over }

    /// Where the body streams by; `nil` when it was read at once.
    let watched: HashingRequestBody?
    /// Whether a page's form was sent: what is wrong with one is told on a page, and never kept.
    let isForm: Bool
    private let base: IdempotencyStore.Entry
    private let phase = Mutex(Phase.open)

    init(entry: IdempotencyStore.Entry, watched: HashingRequestBody?, isForm: Bool) {
        base = entry
        self.watched = watched
        self.isForm = isForm
    }

    var slot: ContentHash { base.slot }

    /// What is known of the call by now.
    var entry: IdempotencyStore.Entry {
        var entry = base
        if let watched { entry.body = watched.value }
        return entry
    }

    /// Notes the call with the first of its commits. What it has left running may go on committing after it.
    func hook(answerSeconds: Int, keptSeconds: Int) -> PostgresCommitHook {
        phase.withLock { $0 = .open }
        return PostgresCommitHook(
            statement: { [self] in
                let isFirst = phase.withLock { phase in
                    defer { if phase == .open { phase = .noting } }
                    return phase == .open
                }
                guard isFirst else { return nil }
                return IdempotencyStore.insertQuery(entry, answerSeconds: answerSeconds, keptSeconds: keptSeconds)
            },
            failure: { [self] error -> any Error in
                phase.withLock { if $0 == .noting { $0 = .open } }
                return error.isUniqueViolation(constraint: "idempotency_keys_pkey") ? MadeBefore() : error
            },
            committed: { [self] in phase.withLock { if $0 == .noting { $0 = .noted } } },
            rest: { [self] in phase.withLock { if $0 == .open { $0 = .over } } })
    }

    /// Ends the attempt; tells whether it was noted.
    func finish() -> Bool {
        phase.withLock { phase in
            defer { phase = .over }
            return phase == .noted
        }
    }
}
