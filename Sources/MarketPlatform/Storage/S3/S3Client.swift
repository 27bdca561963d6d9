// SPDX-License-Identifier: Apache-2.0
import Foundation
import Outgoing
import SheetCore

/// Requests to a bucket, signed, and tried again while the server is only overloaded or away.
struct S3Client: Sendable {
    /// A part of an object as the server sent it.
    struct Part: Sendable {
        let bytes: [UInt8]
        /// Bytes of the whole object.
        let total: Int
    }

    private static let attempts = 5
    /// Bytes a second that are waited for at least, beside the time for an answer.
    private static let slowest = 256 << 10
    private static let answerSeconds = 10.0
    /// How much of the time that one request may take all attempts may take before the last begins: whoever waits for a
    /// server that is silent hears of it in twice that time.
    private static let patience = 1.5
    private static let emptyHash = ContentHash(hashing: Data()).hex

    let bucket: S3Bucket
    private let outgoing: OutgoingClient
    private let signature: S3Signature
    private let clock: S3Clock

    init(bucket: S3Bucket, outgoing: OutgoingClient, clock: S3Clock = S3Clock()) {
        self.bucket = bucket
        self.outgoing = outgoing
        self.clock = clock
        signature = S3Signature(bucket: bucket)
    }

    /// Bytes of the object's size; nil when there is none.
    func size(of key: String) async throws -> Int? {
        let answer = try await send("HEAD", key, taking: [200, 404])
        guard answer.status == 200 else { return nil }
        guard let size = answer["content-length"].flatMap({ Int($0) }) else {
            throw StorageError.unavailable("\(bucket) names no size of \(key).")
        }
        return size
    }

    /// The bytes in `range`, as far as there are some; nil when there is no such object.
    func part(of key: String, _ range: Range<Int>) async throws -> Part? {
        let field = ("range", "bytes=\(range.lowerBound)-\(range.upperBound - 1)")
        let answer = try await send("GET", key, fields: [field], taking: [200, 206, 404, 416], upTo: range.count)
        switch answer.status {
        case 206:
            guard let total = answer["content-range"]?.split(separator: "/").last.flatMap({ Int($0) }),
                answer.body.count == min(range.upperBound, total) - range.lowerBound
            else { throw StorageError.unavailable("\(bucket) sent another part of \(key) than was asked for.") }
            return Part(bytes: answer.body, total: total)
        case 200: return Part(bytes: answer.body, total: answer.body.count)
        case 416: return try await size(of: key).map { Part(bytes: [], total: $0) }
        default: return nil
        }
    }

    /// Stores the bytes; the server refuses those whose hash is another.
    func put(_ key: String, _ bytes: [UInt8], hash: ContentHash) async throws {
        _ = try await send("PUT", key, body: bytes, hash: hash.hex, taking: [200])
    }

    /// Makes the object one that was stored just now, without sending its bytes again.
    func renew(_ key: String) async throws {
        let answer = try await send(
            "PUT", key, fields: [("x-amz-copy-source", bucket.path(of: key)), ("x-amz-metadata-directive", "REPLACE")],
            taking: [200])
        // A copy may fail after the status was sent.
        if let error = S3Document(answer.body).error { throw StorageError.unavailable("\(bucket): \(error).") }
    }

    func delete(_ key: String) async throws {
        _ = try await send("DELETE", key, taking: [200, 204, 404])
    }

    /// The next objects whose keys begin with `prefix`, and what goes on after them.
    func list(_ prefix: String, after token: String?) async throws -> S3Document.Listing {
        var query = [("list-type", "2"), ("prefix", prefix), ("max-keys", "1000")]
        if let token { query.append(("continuation-token", token)) }
        let answer = try await send("GET", "", query: query, taking: [200], upTo: 4 << 20)
        guard let listing = S3Document(answer.body).listing else {
            throw StorageError.unavailable("\(bucket) sent a list that cannot be read.")
        }
        return listing
    }

    /// An address at `endpoint` with which anybody may get the object for `seconds`.
    func presigned(_ key: String, endpoint: String, query: S3Signature.Fields, seconds: Int) -> String {
        signature.presigned(key: key, endpoint: endpoint, query: query, seconds: seconds, at: clock.now)
    }

    // MARK: - Objects in parts

    /// Begins an object that comes in parts; answers its name among those that are not complete.
    func beginUpload(_ key: String) async throws -> String {
        let answer = try await send("POST", key, query: [("uploads", "")], taking: [200])
        guard let id = S3Document(answer.body)["UploadId"] else {
            throw StorageError.unavailable("\(bucket) began no upload.")
        }
        return id
    }

    /// Stores a part, numbered from 1; answers its tag.
    func putPart(_ number: Int, of upload: String, _ key: String, _ bytes: [UInt8]) async throws -> String {
        let answer = try await send(
            "PUT", key, query: [("partNumber", String(number)), ("uploadId", upload)], body: bytes,
            hash: ContentHash(hashing: bytes).hex, taking: [200])
        guard let tag = answer["etag"] else { throw StorageError.unavailable("\(bucket) gave a part no tag.") }
        return tag
    }

    func completeUpload(_ upload: String, _ key: String, tags: [String]) async throws {
        let parts = tags.enumerated().map { index, tag in
            "<Part><PartNumber>\(index + 1)</PartNumber><ETag>\(S3Document.escaped(tag))</ETag></Part>"
        }
        let body = Array("<CompleteMultipartUpload>\(parts.joined())</CompleteMultipartUpload>".utf8)
        let answer = try await send(
            "POST", key, query: [("uploadId", upload)], body: body, hash: ContentHash(hashing: body).hex, taking: [200])
        // Joining may fail after the status was sent.
        if let error = S3Document(answer.body).error { throw StorageError.unavailable("\(bucket): \(error).") }
    }

    func abortUpload(_ upload: String, _ key: String) async throws {
        _ = try await send("DELETE", key, query: [("uploadId", upload)], taking: [200, 204, 404])
    }

    // MARK: - One request

    private func send(
        _ method: String, _ key: String, query: S3Signature.Fields = [], fields: S3Signature.Fields = [],
        body: [UInt8] = [], hash: String = S3Client.emptyHash, taking statuses: Set<Int>, upTo bytes: Int = 64 << 10
    ) async throws -> OutgoingAnswer {
        let text = S3Signature.text(of: query)
        var request = OutgoingRequest(
            url: bucket.endpoint + bucket.path(of: key) + (text.isEmpty ? "" : "?\(text)"), method: method, body: body,
            seconds: Self.answerSeconds + Double(body.count + bytes) / Double(Self.slowest),
            // Room for an error's words, where few bytes were asked for.
            maximumAnswerBytes: max(bytes, 64 << 10))
        let begin = ContinuousClock.now
        var attempt = 1
        var mayTryAgain: Bool {
            attempt < Self.attempts && ContinuousClock.now - begin < .seconds(request.seconds * Self.patience)
        }
        while true {
            // Signed anew each time: a signature holds for minutes only.
            request.fields = signature.headers(
                method: method, key: key, query: query, fields: fields, payloadHash: hash, at: clock.now)
            do {
                let answer = try await outgoing.send(request)
                if statuses.contains(answer.status) { return answer }
                guard mayGoWell(after: answer), mayTryAgain else { throw failure(answer) }
            } catch let error as OutgoingError {
                if error == .cancelled { throw CancellationError() }
                guard error.isTransient, mayTryAgain else {
                    throw StorageError.unavailable("\(bucket): \(error)")
                }
            }
            try await Task.sleep(for: .milliseconds(Int.random(in: 50...100) << attempt))
            attempt += 1
        }
    }

    /// Whether the same may go well a moment later: the server is overloaded, got other bytes than we sent, or took our
    /// signature for one of another time, which we know then.
    private func mayGoWell(after answer: OutgoingAnswer) -> Bool {
        switch answer.status {
        case 429, 500, 502, 503, 504: return true
        case 400:
            let error = S3Document(answer.body).error ?? ""
            return ["BadDigest", "XAmzContentSHA256Mismatch"].contains { error.hasPrefix($0) }
        case 403: return clock.learn(from: answer["date"])
        default: return false
        }
    }

    private func failure(_ answer: OutgoingAnswer) -> StorageError {
        let error = S3Document(answer.body).error
        if answer.status == 507 || error?.hasPrefix("QuotaExceeded") == true { return .full }
        return .unavailable("\(bucket) answered \(answer.status): \(error ?? "no reason").")
    }
}

extension OutgoingAnswer {
    fileprivate subscript(name: String) -> String? { fields.first { $0.name == name }?.value }
}
