// SPDX-License-Identifier: Apache-2.0
import Crypto
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import MarketWire
import NIOCore
import NIOFoundationCompat
import Postgres
import SheetCore

/// Makes a call that is sent again one call: the first answer is kept for a day and given again.
///
/// Each transaction of the call says in the database that the call has written something, in the same commit. So, whenever a
/// node dies, either nothing was written, and the call can be sent again, or it is known that it was: then it is not done
/// again, even where the answer was lost.
struct ReplayGuard: Sendable {
    let market: Market
    /// How long a call that gave no sign keeps its place, in seconds.
    var leaseSeconds = 45.0

    /// Largest answer that is kept, in bytes.
    private static let largestAnswer = 1 << 20
    /// Fields that are kept of an answer; the others are of the day.
    private static let keptFields: [HTTPField.Name] = [
        .contentType, .location, .link, .eTag, .cacheControl, .retryAfter,
    ]

    private var database: PostgresClient { market.database }

    /// One call that has begun.
    private struct Call: Sendable {
        let slot: ContentHash
        let lease: UUID
        /// Where the body streams by; `nil` when it was read at once.
        let watched: WatchedBody?
    }

    func answer(
        _ request: Request, _ context: MarketRequestContext, key: ReplayKey, _ handler: @escaping RouteHandler
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
        let call = Call(slot: key.slot(for: context), lease: UUID(), watched: watched)
        // The place may become free between two looks at it.
        for _ in 0..<3 {
            let isOurs = try await ReplayStore.begin(
                call.slot, user: context.identity?.userID, head: head, body: body, lease: call.lease,
                leaseSeconds: leaseSeconds, keptSeconds: market.gate.replaySeconds, database)
            if isOurs {
                if let watched { request.body = watched.watching(request.body) }
                return try await run(call, request, context, handler)
            }
            guard let record = try await ReplayStore.find(call.slot, database) else { continue }
            if record.head != head { throw Self.reused }
            if let watched, record.status != nil {
                for try await bytes in request.body { watched.take(bytes) }
                body = watched.value
                if body == nil { throw Self.reused }
            }
            if let known = record.body, let body, known != body { throw Self.reused }
            return try replay(record)
        }
        throw Self.inUse(after: 1)
    }

    private func watched(_ request: Request) throws -> WatchedBody? {
        guard let type = request.headers[.contentType], type.lowercased().hasPrefix("multipart/form-data") else {
            return nil
        }
        var limits = MultipartLimits()
        limits.totalBytes = market.limits.uploadBytes + UploadRoutes.overheadBytes
        return WatchedBody(MultipartDigest(boundary: try MultipartBoundary(contentType: type), limits: limits))
    }

    /// Method, address and preconditions.
    private static func digest(of request: Request) -> Data {
        let parts = [
            request.method.rawValue, request.uri.string, request.headers[.ifMatch] ?? "",
            request.headers[.ifNoneMatch] ?? "",
        ]
        return Data(SHA256.hash(data: Data(parts.joined(separator: "\n").utf8)))
    }

    // MARK: - The first time

    private func run(
        _ call: Call, _ request: Request, _ context: MarketRequestContext, _ handler: @escaping RouteHandler
    ) async throws -> Response {
        let renewal = Task { [self] in
            while (try? await Task.sleep(for: .seconds(leaseSeconds / 3))) != nil {
                try? await ReplayStore.renew(call.slot, lease: call.lease, leaseSeconds: leaseSeconds, database)
            }
        }
        defer { renewal.cancel() }
        do {
            let mark = PostgresCommitHook { connection in
                guard try await ReplayStore.markWorked(call.slot, lease: call.lease, connection) else {
                    throw Self.inUse(after: 1)
                }
            }
            let response = try await PostgresCommitHook.$current.withValue(mark) {
                try await handler(request, context)
            }
            return try await keep(response, of: call, context)
        } catch {
            let (mapped, isFault) = APIError.mapping(error)
            guard !isFault, Self.isForGood(mapped.status), call.watched == nil || call.watched?.value != nil else {
                await finish(context) { try await ReplayStore.release(call.slot, lease: call.lease, database) }
                throw error
            }
            let answer = mapped.answer(requestID: context.requestID)
            return try await keep(answer, of: call, context, isProblem: true)
        }
    }

    /// Whether the same call would be answered so again: not for what may be mended without another call.
    private static func isForGood(_ status: HTTPResponse.Status) -> Bool {
        status.code < 500 && ![401, 403, 408, 413, 429].contains(status.code)
    }

    /// Keeps the answer unless it holds a secret, is too long or streams.
    private func keep(
        _ response: Response, of call: Call, _ context: MarketRequestContext, isProblem: Bool = false
    ) async throws -> Response {
        var response = response
        let isSecret =
            response.headers[.setCookie] != nil
            || (!isProblem && response.headers[.cacheControl]?.contains("no-store") == true)
        var answer: ReplayStore.Answer?
        if !isSecret, let length = response.body.contentLength, length <= Self.largestAnswer {
            let bytes = try await response.collectedBody()
            response.body = .init(byteBuffer: bytes)
            let fields = Self.keptFields.compactMap { name in
                response.headers[name].map { [name.rawName, $0] }
            }
            answer = ReplayStore.Answer(fields: fields, body: Data(buffer: bytes))
        }
        let status = response.status.code
        await finish(context) { [answer] in
            try await ReplayStore.complete(
                call.slot, lease: call.lease, status: status, body: call.watched?.value, answer: answer, database)
        }
        return response
    }

    /// Writes the end of a call, also when its client has gone away. When that fails the place stays taken until its lease
    /// is over; what was written stays known.
    private func finish(_ context: MarketRequestContext, _ body: @escaping @Sendable () async throws -> Void) async {
        let logger = context.logger
        await Task {
            do {
                try await body()
            } catch {
                logger.warning("the end of a call is not noted", metadata: ["error": "\(error)"])
            }
        }.value
    }

    // MARK: - The next times

    private func replay(_ record: ReplayStore.Record) throws -> Response {
        guard let status = record.status, let answer = record.answer else {
            if record.status == nil, record.leaseSeconds > 0 { throw Self.inUse(after: min(5, record.leaseSeconds)) }
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
            status: .init(code: status), headers: headers, body: .init(byteBuffer: ByteBuffer(data: answer.body)))
    }

    private static let reused = APIError(
        .unprocessableContent, .idempotencyKeyReused,
        "This Idempotency-Key was sent with another call. Make a new key for each call.")

    private static func inUse(after seconds: Double) -> APIError {
        APIError(
            .conflict, .idempotencyKeyInUse, "The call with this Idempotency-Key is under way. Send it again later.",
            headers: [.retryAfter: String(max(1, Int(seconds.rounded(.up))))])
    }
}
