// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Hummingbird
import MarketCatalog
import MarketHTTP
import MarketIngest
import MarketPlatform
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
        let baseTemplate = try await UploadService(ingest: features.ingest).open(target, for: identity.userID)
        var values = baseTemplate?.metadata ?? UploadMetadata(license: "CC-BY-4.0", language: "en", version: "1.0.0")
        if let slug = request.query("gameSystem"), baseTemplate == nil { values.gameSystem = slug }
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
        let view = UploadView(
            values: values, baseTemplate: baseTemplate, problem: problem, systems: systems,
            maximumBytes: features.ingest.limits.uploadBytes)
        return try pages.answer(
            .upload, view,
            head: PageHead(title: view.heading, place: .upload, viewer: viewer, scripts: ["upload.js"]),
            status: problem?.status ?? .ok, headers: problem?.headers ?? [:])
    }
}

/// The upload form with what was filled in, and what is wrong with it.
struct UploadView: Sendable {
    let heading: String
    let isNewVersion: Bool
    let action: String
    let problem: String?
    let mistakes: [String: String]
    let values: [String: String]
    let gameSystems: [Choice]
    let licenses: [Choice]
    let otherLicenses: [Choice]
    let maximumSize: String
    let maximumBytes: Int

    private static let usualLicenses = [
        "CC-BY-4.0", "CC-BY-SA-4.0", "CC-BY-NC-4.0", "CC-BY-NC-SA-4.0", "CC0-1.0", "LicenseRef-ORC",
        "LicenseRef-OGL-1.0a",
    ]

    /// Which field a problem of the whole belongs to.
    private static let fieldOfCode: [ErrorCode: String] = [
        .missingFile: "file", .emptyFile: "file", .notAPDF: "file", .tooLarge: "file", .badVersion: "version",
        .versionExists: "version", .unknownGameSystem: "gameSystem",
    ]

    init(
        values: UploadMetadata, baseTemplate: BaseTemplate?, problem: FormProblem?, systems: [GameSystem],
        maximumBytes: Int
    ) {
        isNewVersion = baseTemplate != nil
        heading = baseTemplate.map { "New version of \($0.metadata.name ?? "a sheet")" } ?? "Upload a sheet"
        action = PageAddress("/upload").with("template", baseTemplate?.id.description).text
        var mistakes = problem?.mistakes ?? [:]
        if let code = problem?.code, mistakes.isEmpty, let field = Self.fieldOfCode[code] {
            mistakes[field] = problem?.summary
            self.problem = "One field needs another look."
        } else {
            self.problem = problem?.summary
        }
        self.mistakes = mistakes
        self.values = [
            "name": values.name ?? "", "summary": values.summary ?? "", "description": values.description ?? "",
            "tags": (values.tags ?? []).joined(separator: ", "), "language": values.language ?? "",
            "version": values.version ?? "", "changelog": values.changelog ?? "",
        ]
        gameSystems = systems.map {
            Choice(value: $0.slug, label: $0.name, isSelected: $0.slug == values.gameSystem)
        }
        let menu = Self.licenseMenu(chosen: values.license)
        licenses = menu.usual
        otherLicenses = menu.others
        maximumSize = DisplayText.size(maximumBytes)
        self.maximumBytes = maximumBytes
    }

    /// The licences to choose from: the usual ones, and all others.
    static func licenseMenu(chosen: String?) -> (usual: [Choice], others: [Choice]) {
        func choice(_ id: String) -> Choice {
            Choice(value: id, label: title(id), isSelected: id == chosen)
        }
        let others = LicenseCatalog.identifiers.filter { !usualLicenses.contains($0) }
        return (usual: usualLicenses.map(choice), others: others.map(choice))
    }

    private static func title(_ id: String) -> String {
        id.hasPrefix("LicenseRef-") ? String(id.dropFirst("LicenseRef-".count)) : id
    }
}
