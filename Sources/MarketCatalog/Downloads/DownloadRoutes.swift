// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Hummingbird
import MarketHTTP
import MarketPlatform
import MarketWire
import SheetCore

/// Signed downloads of versions, and the pictures of their pages.
package struct DownloadRoutes: Sendable {
    package let catalog: CatalogDependencies
    package let objects: ObjectServer

    package init(catalog: CatalogDependencies, objects: ObjectServer) {
        self.catalog = catalog
        self.objects = objects
    }

    package func register(on routes: APIRoutes) {
        let moving = routes.wrapping(MovedTemplates(database: catalog.database).redirectingMovedSlugs)
        moving.get("/templates/{id}/versions/{v}/download", access: .optionalAuthentication, download)
        moving.get("/templates/{id}/versions/{v}/pages/{n}/preview", access: .optionalAuthentication, preview)
        moving.get("/templates/{id}/downloads", access: .user(.read), timeline)
        routes.asking.post("/installs", access: .optionalAuthentication, installs)
        routes.get("/submissions/{id}/pages/{n}/preview", access: .user(.read), submissionPreview)
    }

    @Sendable private func download(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let isTicket = try request.flag("redirect") == false
        let key = try context.template
        let version = try context.version(request)
        guard let artifact = try await DownloadStore.artifact(version, of: key, catalog.database) else {
            // The same question to the reader of versions, which knows how to say why not.
            _ = try await VersionReader(database: catalog.database).version(version, of: key)
            throw APIError.notFound("This version")
        }
        if artifact.state == .takenDown {
            throw CatalogError.takenDown(reason: artifact.reason, code: artifact.takedownCode)
        }
        let ticket = catalog.signedDownload(of: artifact, for: context.identity?.userID)
        guard isTicket else {
            return Response(status: .found, headers: [.location: ticket.url, .cacheControl: "no-store"])
        }
        return try .json(ticket, headers: [.cacheControl: "no-store"])
    }

    /// What is on offer of many templates, for a client that is about to install them.
    @Sendable private func installs(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let query = try await request.json(InstallQuery.self)
        guard query.templates.count <= InstallQuery.maximumCount else {
            throw APIError.validation([
                .init(pointer: "/templates", detail: "At most \(InstallQuery.maximumCount) templates in one query.")
            ])
        }
        let report = try await InstallOffers(catalog: catalog, objects: objects).report(
            query.templates, channel: query.channel ?? .stable, withPictures: query.pictures ?? false,
            for: context.identity?.userID)
        return try .json(report, headers: [.cacheControl: "no-store"])
    }

    /// Day by day, for those who work on the template; everybody sees the total in the template.
    @Sendable private func timeline(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let caller = try context.requireIdentity()
        let days = try DayRange(request, now: catalog.now())
        guard let found = try await DownloadStore.part(in: try context.template, of: caller.userID, catalog.database)
        else { throw APIError.notFound("This template") }
        let permissions = TemplatePermissions(caller, author: found.part)
        guard permissions.author != nil || permissions.role >= .moderator else {
            throw APIError(.forbidden, .forbidden, "Only the template's authors see its downloads by day.")
        }
        let timeline = try await DownloadStore.timeline(
            of: found.template, from: days.from, to: days.to, catalog.database)
        return request.conditionalResponse(try .json(timeline), headers: [.cacheControl: "private, no-cache"])
    }

    @Sendable private func preview(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let version = try context.version(request)
        let look = try await VersionReader(database: catalog.database).preview(
            page: try context.page, width: try Self.width(request), version, of: try context.template)
        switch look {
        case .picture(let hash):
            // An exact version's page never changes; shared caches ask again soon all the same: it may be taken down.
            let caching =
                version.isExact
                ? "public, max-age=86400, s-maxage=10, immutable" : "public, max-age=60, s-maxage=10"
            return try await picture(request, hash, caching: caching)
        case .kind(let kind): return KindPlaceholder.response(to: request, of: kind)
        }
    }

    @Sendable private func submissionPreview(
        _ request: Request, _ context: MarketRequestContext
    ) async throws -> Response {
        let caller = try context.requireIdentity()
        guard let id = SubmissionID(try context.path("id")),
            let found = try await VersionStore.preview(
                page: try context.page, width: try Self.width(request), submission: id, catalog.database),
            // For others it does not exist: unreviewed uploads are private.
            found.uploader == caller.userID || caller.moderates
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
        guard let text = request.query("width") else { return DownloadStore.usualPreviewWidth }
        guard let width = Int(text), (1...10_000).contains(width) else {
            throw .validation([.init(pointer: "width", detail: "Pixels, from 1 to 10000.")])
        }
        return width
    }
}

extension CatalogDependencies {
    /// A signed address of a version's file; `account` is whose download it is.
    func signedDownload(of artifact: DownloadStore.Artifact, for account: UserID?) -> DownloadTicket {
        let expires = now().addingTimeInterval(TimeInterval(limits.downloadSeconds))
        let path = signer.sign(
            hash: artifact.hash, fileName: artifact.fileName, expires: expires,
            for: DownloadPurpose(template: artifact.template, version: artifact.id, account: account))
        return DownloadTicket(
            url: (publicURL ?? "") + path, version: artifact.version, fileName: artifact.fileName,
            sizeBytes: artifact.sizeBytes, sha256: artifact.hash,
            expiresAt: Date(timeIntervalSince1970: expires.timeIntervalSince1970.rounded(.down)))
    }
}
