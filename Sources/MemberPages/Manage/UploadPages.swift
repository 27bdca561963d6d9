// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Hummingbird
import MarketCatalog
import MarketHTTP
import MarketIngest
import MarketPages
import MarketPlatform
import MarketSearch
import MarketWire
import NIOCore
import SheetCore

/// The form that uploads a sheet, or a new version of one, from a browser.
struct UploadPages: Sendable {
    let features: Features
    let pages: WebPages

    func register(on routes: APIRoutes) {
        routes.get("/upload", access: .user(.templatesWrite), form)
        routes.withCost(.upload).post("/upload", access: .user(.templatesWrite), receive)
    }

    private func form(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let identity = try context.requireIdentity()
        let target = Self.target(request)
        let service = UploadService(ingest: features.ingest)
        let baseTemplate = try await service.open(target, for: identity.userID)
        var values = baseTemplate?.metadata ?? UploadMetadata(license: "CC-BY-4.0", language: "en", version: "1.0.0")
        values.language = values.language.map(EntryChoices.language)
        if let baseTemplate {
            let next = try await service.nextVersions(of: baseTemplate)
            values.version = (next.asked ?? next.patch)?.description ?? "1.0.0"
        } else if let slug = request.query("gameSystem") {
            values.gameSystem =
                try await features.catalog.formerNames.names(features.database).gameSystems[slug] ?? slug
        }
        return try await answer(request, values, baseTemplate: baseTemplate, problem: nil, viewer: identity)
    }

    /// Streams the file through the same path as the API does; on a mistake shows the form again, filled in.
    private func receive(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let identity = try context.requireIdentity()
        let target = Self.target(request)
        let baseTemplate = try await UploadService(ingest: features.ingest).open(target, for: identity.userID)
        var form = UploadForm(importableSuffixes: features.ingest.importableSuffixes)
        do {
            let sender = UploadSender(identity, requestID: context.requestID)
            let status = try await UploadRoutes.receive(
                request, into: &form, from: sender, target: target, ingest: features.ingest)
            return .seeOther("/submissions/\(status.id)")
        } catch {
            let problem = try FormProblem(error)
            return try await answer(
                request, form.metadata ?? UploadMetadata(), baseTemplate: baseTemplate, problem: problem,
                viewer: identity)
        }
    }

    /// `?template=` names the sheet that a new version is for.
    private static func target(_ request: Request) -> UploadService.Target {
        request.query("template").map { .newVersion($0) } ?? .newTemplate
    }

    private func answer(
        _ request: Request, _ values: UploadMetadata, baseTemplate: BaseTemplate?, problem: FormProblem?,
        viewer: Identity
    ) async throws -> Response {
        let systems = try await CatalogStore.gameSystems(features.database)
        var next: NextVersions?
        if let baseTemplate { next = try await UploadService(ingest: features.ingest).nextVersions(of: baseTemplate) }
        let view = UploadView(
            values: values, baseTemplate: baseTemplate, next: next, problem: problem, systems: systems,
            maximumBytes: features.ingest.limits.uploadBytes)
        var head = PageHead(
            title: view.heading, place: .upload, viewer: viewer, scripts: ["upload.js"], styles: ["upload.css"])
        if problem == nil { head.hint = VisitHint.upload.unlessClosed(request, features.platform) }
        return try pages.answer(
            .upload, view, head: head, status: problem?.status ?? .ok, headers: problem?.headers ?? [:])
    }
}
