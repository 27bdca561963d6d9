// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Hummingbird
import MarketHTTP
import MarketWire
import NIOCore
import SheetCore

/// `POST /templates` and `POST /templates/{id}/versions`.
package struct UploadRoutes {
    package let ingest: IngestDependencies

    package init(ingest: IngestDependencies) {
        self.ingest = ingest
    }

    /// Form fields and multipart syntax around the file, in bytes.
    package static let overheadBytes = 1 << 20

    package func register(on routes: APIRoutes) {
        let routes = routes.withCost(.upload)
        routes.post("/templates", access: .user(.templatesWrite)) { request, context in
            try await upload(.newTemplate, request, context)
        }
        routes.post("/templates/{id}/versions", access: .user(.templatesWrite)) { request, context in
            try await upload(.newVersion(try context.path("id")), request, context)
        }
    }

    private func upload(
        _ target: UploadService.Target, _ request: Request, _ context: MarketRequestContext
    ) async throws -> Response {
        var form = UploadForm(importableSuffixes: ingest.importableSuffixes)
        let sender = UploadSender(try context.requireIdentity(), requestID: context.requestID)
        let status = try await Self.receive(request, into: &form, from: sender, target: target, ingest: ingest)
        return try .json(
            status, status: .accepted, headers: [.location: Paths.submission(status.id.description)])
    }

    /// Takes an upload in from a request's body; the web pages' form route calls it too, and finds in `form` what came
    /// before something was wrong.
    package static func receive(
        _ request: Request, into form: inout UploadForm, from sender: UploadSender, target: UploadService.Target,
        ingest: IngestDependencies
    ) async throws -> SubmissionStatus {
        let service = UploadService(ingest: ingest)
        guard let type = request.headers[.contentType],
            type.lowercased().hasPrefix("multipart/form-data")
        else {
            throw APIError(
                .unsupportedMediaType, .unsupportedMediaType,
                "Send the upload as 'Content-Type: multipart/form-data' with the parts 'metadata' and 'file'.")
        }
        var limits = MultipartLimits()
        limits.totalBytes = ingest.limits.uploadBytes + overheadBytes
        if let length = request.headers[.contentLength].flatMap(Int.init), length > limits.totalBytes {
            throw UploadError.tooLarge(limit: ingest.limits.uploadBytes)
        }
        let boundary = try MultipartBoundary(contentType: type)
        let baseTemplate = try await service.open(target, for: sender.user)
        var reader = MultipartReader(request.body.makeAsyncIterator(), boundary: boundary, limits: limits)
        do {
            try await form.read(&reader, begin: service.beginFile)
            guard let metadata = form.metadata else { throw UploadError.missingMetadata }
            guard let file = form.file else { throw UploadError.missingFile }
            let draft = try await service.draft(of: metadata, baseTemplate: baseTemplate)
            return try await service.register(
                draft, baseTemplate: baseTemplate, from: sender, file: file.stream, fileName: file.name)
        } catch {
            await form.file?.stream.abandon()
            throw error
        }
    }
}
