// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import MarketWire
import SheetCore

extension MarketClient {
    /// How a submission stands.
    public func submission(_ id: SubmissionID) async throws -> SubmissionStatus {
        try await requests.json(.get(Paths.submission(id.description)))
    }

    /// The caller's own submissions, newest first; those in one state alone, if wanted.
    public func submissions(state: SubmissionState? = nil, limit: Int? = nil) -> CursorSequence<SubmissionStatus> {
        entries("\(Paths.base)/submissions", [("state", state?.rawValue)], limit: limit, as: SubmissionList.self) {
            ($0.submissions, $0.nextCursor)
        }
    }

    /// A picture of an upload's page, counted from 0.
    public func pagePicture(of id: SubmissionID, page: Int, width: Int? = nil) async throws -> PagePicture {
        try await picture(at: Paths.submission(id.description) + "/pages/\(page)/preview", width: width)
    }

    /// Takes an upload back before it is published.
    public func withdraw(_ id: SubmissionID) async throws -> SubmissionStatus {
        try await requests.json(try .send(.post, Paths.submission(id.description) + "/withdraw"))
    }

    /// Declines the clean copy that took the file's place; the upload ends as refused.
    public func declineCleaning(_ id: SubmissionID) async throws -> SubmissionStatus {
        try await requests.json(try .send(.post, Paths.submission(id.description) + "/decline-cleaning"))
    }

    /// Uploads a file as a new template or, with `template` (id or slug), as a new version of one.
    ///
    /// The file is read as it is sent and never held in memory. The answer is the submission as the server
    /// received it; follow it by `events(of:)`. Where the connection breaks before that it is sent again as `retry` says,
    /// whole and by the same key.
    public func publish(
        _ file: URL, metadata: UploadMetadata, newVersionOf template: String? = nil,
        progress: @escaping @Sendable (TransferProgress) -> Void = { _ in }
    ) async throws -> SubmissionStatus {
        var path = "\(Paths.base)/templates"
        if let template { path = try templatePath(template) + "/versions" }
        let body = UploadBody(
            metadata: try WireJSON.encoder().encode(metadata), file: file, fileName: file.lastPathComponent,
            fileBytes: try Self.size(of: file), report: progress)
        var call = Call(method: .post, path: path, repeatable: true, timeout: .seconds(86_400))
        call.headers[.contentType] = body.contentType
        call.setIdempotencyKey()
        call.body = .stream(body.bytes, length: body.length)
        let response = try await requests.send(call)
        let location = response.headers[.location]
        let data = try await requests.collect(response, upTo: Requests.maximumAnswerBytes)
        // A later server may answer with more or less; then the address tells which submission it is.
        if let status = try? WireJSON.decoder().decode(SubmissionStatus.self, from: data) { return status }
        guard let last = location?.split(separator: "/").last, let id = SubmissionID(String(last)) else {
            throw MarketClientError.unreadableAnswer("it took the upload but does not say as which submission")
        }
        return try await submission(id)
    }

    private static func size(of file: URL) throws -> Int {
        do {
            // Of a link the attributes are its own, and the bytes those of its file.
            let values = try FileManager.default.attributesOfItem(atPath: file.resolvingSymlinksInPath().path)
            guard values[.type] as? FileAttributeType == .typeRegular, let size = values[.size] as? NSNumber else {
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
