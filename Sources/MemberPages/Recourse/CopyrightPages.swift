// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Hummingbird
import MarketAccounts
import MarketCatalog
import MarketHTTP
import MarketPages
import MarketPlatform
import MarketWire
import ModerationService
import SheetCore

/// Copyright notices in a browser: the form for whoever claims, with or without an account, and a notice's own page, on
/// which its claimant reads how it stands and the owner of the sheet objects.
struct CopyrightPages: Sendable {
    static let home = "/account/copyright"
    /// Versions to choose from, the newest.
    private static let versionsShown = 50

    let features: Features
    let pages: WebPages

    func register(on routes: APIRoutes) {
        let moving = routes.wrapping(MovedTemplates(database: features.database).redirectingMovedSlugs)
        moving.get("/sheets/{id}/copyright", access: .optionalAuthentication, show)
        // It may bring somebody an e-mail.
        moving.withCost(.upload).post("/sheets/{id}/copyright", access: .optionalAuthentication, submit)
        routes.get("\(Self.home)/{id}", access: .user(.read)) { try await page(try Self.id($1), $1) }
        routes.post("\(Self.home)/{id}", access: .user(.templatesWrite), object)
    }

    private var service: CopyrightService { CopyrightService(moderation: features.moderation) }

    private static func id(_ context: MarketRequestContext) throws(APIError) -> CopyrightNoticeID {
        guard let id = CopyrightNoticeID(try context.path("id")) else { throw .notFound("This notice") }
        return id
    }

    // MARK: Giving a notice

    /// Also one of which nothing is on offer: whoever copied it has it still.
    private func sheet(_ context: MarketRequestContext) async throws -> TemplateHeading {
        guard let found = try await TemplateHeading.fetch(try context.template, features.database) else {
            throw APIError.notFound("This template")
        }
        return found
    }

    /// The form; where the address has a notice's number, what is said once it was sent. A browser without the flash
    /// cookie gets a wording that is true for anyone who opens the address.
    private func show(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let number = request.query("done").flatMap { CopyrightNoticeID($0) }
        return try await form(of: try await sheet(context), sent: number, context)
    }

    private func submit(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        try CSRFProtection.checkIfFromBrowser(request)
        let fields = try await request.form()
        let sheet = try await sheet(context)
        do {
            let notice = try await service.submit(
                CopyrightNoticeRequest(fields, on: sheet.id), by: context.identity,
                language: context.language.rawValue)
            return .seeOther(
                PageAddress(PagePaths.sheet(sheet.slug, "copyright")).with("done", notice.id.description).text)
        } catch {
            return try await form(of: sheet, problem: try FormProblem(error), fields: fields, context)
        }
    }

    private func form(
        of sheet: TemplateHeading, sent: CopyrightNoticeID? = nil, problem: FormProblem? = nil,
        fields: QueryParameters = QueryParameters(nil), _ context: MarketRequestContext
    ) async throws -> Response {
        let versions = try await service.versions(of: sheet.id, limit: Self.versionsShown)
        let view = CopyrightView(
            sheet, versions: versions.map(\.description), sent: sent, isLedHere: context.done != nil,
            isSignedIn: context.identity != nil, problem: problem, fields: fields)
        return try pages.answer(
            .copyright, view,
            head: PageHead(
                title: "Copyright notice: \(sheet.name)", viewer: context.identity, language: context.language),
            status: problem?.status ?? .ok, headers: problem?.headers ?? [:])
    }

    // MARK: A notice

    private func object(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let fields = try await request.form()
        let id = try Self.id(context)
        do {
            _ = try await service.counter(
                id, CounterNoticeRequest(fields), by: try context.requireIdentity(), requestID: context.requestID)
            return .seeOther(PageAddress("\(Self.home)/\(id)").with("done", "countered").text)
        } catch {
            return try await page(id, problem: try FormProblem(error), fields: fields, context)
        }
    }

    private func page(
        _ id: CopyrightNoticeID, problem: FormProblem? = nil, fields: QueryParameters = QueryParameters(nil),
        _ context: MarketRequestContext
    ) async throws -> Response {
        let identity = try context.requireIdentity()
        let view = CopyrightNoticeView(
            try await service.told(id, for: identity), isCountered: context.done == "countered", problem: problem,
            fields: fields, now: features.now())
        return try pages.answer(
            .copyrightNotice, view,
            head: PageHead(title: "Copyright notice: \(view.sheetName)", place: .account, viewer: identity),
            status: problem?.status ?? .ok, headers: problem?.headers ?? [:])
    }
}

extension CopyrightNoticeRequest {
    /// As the form was filled in; without a version it is about the whole sheet.
    fileprivate init(_ fields: QueryParameters, on sheet: TemplateID) {
        let version = fields["version"]
        self.init(
            subject: ReportSubject(
                kind: version == nil ? .template : .version, id: sheet.description, version: version),
            name: fields["name"] ?? "", email: fields["email"] ?? "", address: fields["address"] ?? "",
            phone: fields["phone"] ?? "", work: fields["work"] ?? "", explanation: fields["explanation"] ?? "",
            inGoodFaith: fields["inGoodFaith"] == "yes",
            underPenaltyOfPerjury: fields["underPenaltyOfPerjury"] == "yes", signature: fields["signature"] ?? "")
    }
}

extension CounterNoticeRequest {
    /// As the form was filled in.
    fileprivate init(_ fields: QueryParameters) {
        self.init(
            name: fields["name"] ?? "", address: fields["address"] ?? "", phone: fields["phone"] ?? "",
            explanation: fields["explanation"] ?? "", underPenaltyOfPerjury: fields["underPenaltyOfPerjury"] == "yes",
            consentsToJurisdiction: fields["consentsToJurisdiction"] == "yes", signature: fields["signature"] ?? "")
    }
}
