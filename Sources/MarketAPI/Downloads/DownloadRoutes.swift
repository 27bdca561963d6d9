// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Hummingbird
import MarketWire
import SheetCore

/// Signed downloads of versions, and the pictures of their pages.
struct DownloadRoutes: Sendable {
    /// The width that is meant when none is asked for, in pixels.
    static let usualPreviewWidth = 480

    let market: Market
    let objects: ObjectServer
    let counter: DownloadCounter

    func register(on routes: APIRoutes) {
        let moving = routes.wrapping(MovedTemplates(database: market.database).following)
        moving.get("/templates/{id}/versions/{v}/download", access: .anyone, download)
        moving.get("/templates/{id}/versions/{v}/pages/{n}/preview", access: .anyone, preview)
        routes.get("/submissions/{id}/pages/{n}/preview", access: .user(.read), submissionPreview)
    }

    @Sendable private func download(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let key = try context.template
        let version = try context.version(request)
        guard let artifact = try await DownloadStore.artifact(version, of: key, market.database) else {
            // The same question to the reader of versions, which knows how to say why not.
            _ = try await VersionReader(database: market.database).version(version, of: key)
            throw APIError.notFound("This version")
        }
        if artifact.state == .takenDown { throw VersionReader.takenDown(artifact.reason) }
        let expires = market.now().addingTimeInterval(TimeInterval(market.limits.downloadSeconds))
        let url =
            (market.publicURL ?? "")
            + market.signer.sign(hash: artifact.hash, fileName: artifact.fileName, expires: expires)
        if request.method == .get { await counter.count(artifact.template) }
        guard request.query("redirect") == "false" else {
            return Response(status: .found, headers: [.location: url, .cacheControl: "no-store"])
        }
        let ticket = DownloadTicket(
            url: url, version: artifact.version, fileName: artifact.fileName, sizeBytes: artifact.sizeBytes,
            sha256: artifact.hash, expiresAt: Date(timeIntervalSince1970: expires.timeIntervalSince1970.rounded(.down)))
        return try .json(ticket, headers: [.cacheControl: "no-store"])
    }

    @Sendable private func preview(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let version = try context.version(request)
        let look = try await VersionReader(database: market.database).preview(
            page: try context.page, width: try Self.width(request), version, of: try context.template)
        switch look {
        case .picture(let hash):
            // An exact version's page never changes; a day lets a take-down reach caches all the same.
            return try await picture(
                request, hash, caching: version.isExact ? "public, max-age=86400, immutable" : "public, max-age=60")
        case .kind(let kind): return KindPicture.response(of: kind)
        }
    }

    @Sendable private func submissionPreview(
        _ request: Request, _ context: MarketRequestContext
    ) async throws -> Response {
        let caller = try context.requireIdentity()
        guard let id = SubmissionID(try context.path("id")),
            let found = try await VersionStore.preview(
                page: try context.page, width: try Self.width(request), submission: id, market.database),
            // To others it does not exist: what waits for review is nobody's business.
            found.uploader == caller.userID || caller.role >= .moderator
        else { throw APIError.notFound("This page") }
        return try await picture(request, found.hash, caching: "private, max-age=3600")
    }

    private func picture(_ request: Request, _ hash: ContentHash, caching: String) async throws -> Response {
        try await objects.response(
            to: request, hex: hash.hex,
            headers: [
                .contentType: "image/webp", .cacheControl: caching,
                .contentSecurityPolicy: "sandbox; default-src 'none'",
            ])
    }

    private static func width(_ request: Request) throws(APIError) -> Int {
        guard let text = request.query("width") else { return usualPreviewWidth }
        guard let width = Int(text), (1...10_000).contains(width) else {
            throw .validation([.init(pointer: "width", detail: "Pixels, from 1 to 10000.")])
        }
        return width
    }
}
