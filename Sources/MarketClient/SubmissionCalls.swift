// SPDX-License-Identifier: Apache-2.0
import AsyncHTTPClient
import Foundation
import MarketWire
import NIOCore
import NIOFoundationCompat
import NIOHTTP1
import SheetCore

extension MarketClient {
    /// How a submission stands.
    public func submission(_ id: SubmissionID) async throws -> SubmissionStatus {
        try await transport.json(.get(Paths.submission(id.description)))
    }

    /// The caller's own submissions, newest first; those in one state alone, if wanted.
    public func submissions(
        state: SubmissionState? = nil, limit: Int? = nil
    ) -> CursorSequence<SubmissionStatus> {
        let filter = state.map { [(name: "state", value: $0.rawValue)] } ?? []
        return CursorSequence { cursor in
            let call = Call.get("\(Paths.base)/submissions", filter + Self.page(cursor, limit))
            let page = try await transport.json(call, as: SubmissionList.self)
            return (page.submissions, page.nextCursor)
        }
    }

    /// Takes an upload back before it is published.
    public func withdraw(_ id: SubmissionID) async throws -> SubmissionStatus {
        try await transport.discard(try .send(.POST, Paths.submission(id.description) + "/withdraw", repeatable: true))
        return try await submission(id)
    }

    /// Declines the clean copy that took the file's place; the upload ends as refused.
    public func declineCleaning(_ id: SubmissionID) async throws -> SubmissionStatus {
        try await transport.discard(
            try .send(.POST, Paths.submission(id.description) + "/decline-cleaning", repeatable: true))
        return try await submission(id)
    }

    /// Uploads a file as a new template or, with `template` (id or slug), as a new version of one.
    ///
    /// The file is read as it is sent and never held in memory. The answer is the submission as the server
    /// received it; follow it by `events(of:)`. An upload is never tried again by itself.
    public func publish(
        _ file: URL, metadata: UploadMetadata, newVersionOf template: String? = nil,
        progress: @escaping @Sendable (TransferProgress) -> Void = { _ in }
    ) async throws -> SubmissionStatus {
        var path = "\(Paths.base)/templates"
        if let template { path = Paths.template(try Self.segment(template)) + "/versions" }
        let body = UploadBody(
            metadata: try WireJSON.encoder().encode(metadata), file: file, fileName: file.lastPathComponent,
            fileBytes: try Self.size(of: file), report: progress)
        var call = Call(method: .POST, path: path, repeatable: false, timeout: .seconds(86_400))
        call.headers.add(name: "Content-Type", value: "multipart/form-data; boundary=\(body.boundary)")
        call.headers.add(name: "Idempotency-Key", value: UUID().lowercaseText)
        call.body = .stream(body, length: .known(body.length))
        let response = try await transport.send(call)
        let location = response.headers.first(name: "Location")
        let data = try await transport.collect(response, upTo: Transport.maximumAnswerBytes)
        // A later server may answer with more or less; then the address tells which submission it is.
        if let status = try? WireJSON.decoder().decode(SubmissionStatus.self, from: data) { return status }
        guard let last = location?.split(separator: "/").last, let id = SubmissionID(String(last)) else {
            throw MarketClientError.unreadableAnswer("it took the upload but does not say as which submission")
        }
        return try await submission(id)
    }

    private static func size(of file: URL) throws -> Int {
        do {
            let values = try FileManager.default.attributesOfItem(atPath: file.path)
            guard values[.type] as? FileAttributeType != .typeDirectory, let size = values[.size] as? NSNumber else {
                throw MarketClientError.badRequest("\(file.path) is not a file.")
            }
            return size.intValue
        } catch let error as MarketClientError {
            throw error
        } catch {
            throw MarketClientError.badRequest("\(file.path) cannot be read: there is no such file, or no permission.")
        }
    }
}
