// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Hummingbird
import MarketCatalog
import MarketCommunity
import MarketHTTP
import MarketPages
import MarketPlatform
import MarketWire
import ModerationService
import SheetCore

/// Reporting a sheet or a review, and what became of one's reports.
struct ReportPages: Sendable {
    static let home = "/account/reports"
    /// Reports on a page.
    private static let rowsShown = 20

    /// What a form reports.
    struct Subject: Sendable {
        let reported: ReportSubject
        /// The form's own.
        let address: String
        /// `sheet`, `review`, `collection` or `profile`.
        let what: Phrase
        let sheetName: String
        let sheetAddress: String
        /// Of the form of a copyright notice, which is about sheets alone.
        let copyrightAddress: String?
        /// A review's words.
        let quote: String?
    }

    let features: Features
    let pages: WebPages

    func register(on routes: APIRoutes) {
        let moving = routes.wrapping(MovedTemplates(database: features.database).redirectingMovedSlugs)
        moving.get("/sheets/{id}/report", access: .user(.read)) { try show(try await sheet($1), $1) }
        moving.post("/sheets/{id}/report", access: .user(.reviewsWrite)) {
            try await file($0, try await sheet($1), $1)
        }
        routes.get("/reviews/{id}/report", access: .user(.read)) { try show(try await review($1), $1) }
        routes.post("/reviews/{id}/report", access: .user(.reviewsWrite)) {
            try await file($0, try await review($1), $1)
        }
        for (path, subject) in [
            ("/authors/{handle}/collections/{id}/report", collection), ("/authors/{handle}/report", profile),
        ] {
            routes.get(path, access: .user(.read)) { try show(try await subject($1), $1) }
            routes.post(path, access: .user(.reviewsWrite)) { try await file($0, try await subject($1), $1) }
        }
        routes.get(Self.home, access: .user(.read), list)
    }

    private var service: ReportService { ReportService(moderation: features.moderation) }

    // MARK: The form

    private func sheet(_ context: MarketRequestContext) async throws -> Subject {
        let sheet = try await VersionReader(database: features.database).detail(try context.template).summary
        return Subject(
            reported: ReportSubject(kind: .template, id: sheet.id.description),
            address: PagePaths.sheet(sheet.slug, "report"), what: "sheet", sheetName: sheet.name,
            sheetAddress: PagePaths.sheet(sheet.slug), copyrightAddress: PagePaths.sheet(sheet.slug, "copyright"),
            quote: nil)
    }

    private func review(_ context: MarketRequestContext) async throws -> Subject {
        let review = try await ReviewService(platform: features.platform).visible(
            try context.review, for: try context.requireIdentity().userID)
        let sheet = try await VersionReader(database: features.database).detail(.id(review.templateId)).summary
        return Subject(
            reported: ReportSubject(kind: .review, id: review.id.description),
            address: "/reviews/\(review.id)/report", what: "review", sheetName: sheet.name,
            sheetAddress: PagePaths.sheet(sheet.slug), copyrightAddress: nil,
            quote: review.text.isEmpty ? nil : review.text)
    }

    private func collection(_ context: MarketRequestContext) async throws -> Subject {
        guard let id = MemberCollectionID(try context.path("id")) else {
            throw MemberCollectionError.noSuchCollection
        }
        let found = try await MemberCollectionService(catalog: features.catalog).detail(
            id, for: try context.requireIdentity().userID
        ).collection
        let address = PagePaths.memberCollection(found)
        return Subject(
            reported: ReportSubject(kind: .user, id: found.owner, part: .collection, collection: id),
            address: "\(address)/report",
            what: "collection", sheetName: found.title, sheetAddress: address, copyrightAddress: nil,
            quote: found.summary.isEmpty ? nil : found.summary)
    }

    private func profile(_ context: MarketRequestContext) async throws -> Subject {
        guard let handle = Slug(try context.path("handle")) else { throw ProfileError.noSuchPerson }
        let found = try await ProfileService(catalog: features.catalog).shown(handle.text)
        let address = PagePaths.author(found.handle)
        return Subject(
            reported: ReportSubject(kind: .user, id: found.handle, part: .profile), address: "\(address)/report",
            what: "profile", sheetName: found.displayName, sheetAddress: address, copyrightAddress: nil,
            quote: found.bio.isEmpty ? nil : found.bio)
    }

    private func show(_ subject: Subject, _ context: MarketRequestContext) throws -> Response {
        try page(subject, filed: context.done.flatMap { ReportReason(rawValue: $0) }, context)
    }

    private func file(
        _ request: Request, _ subject: Subject, _ context: MarketRequestContext
    ) async throws -> Response {
        let form = try await request.form()
        do {
            guard let reason = ReportReason(rawValue: form["reason"] ?? "") else {
                throw APIError.validation([.init(pointer: "/reason", detail: "Choose one of these.")])
            }
            _ = try await service.report(
                ReportRequest(subject: subject.reported, reason: reason, text: form["text"]),
                by: try context.requireIdentity(), requestID: context.requestID)
            return .seeOther(PageAddress(subject.address).with("done", reason.rawValue).text)
        } catch {
            return try page(subject, filed: nil, problem: try FormProblem(error), form: form, context)
        }
    }

    private func page(
        _ subject: Subject, filed: ReportReason?, problem: FormProblem? = nil,
        form: QueryParameters = QueryParameters(nil), _ context: MarketRequestContext
    ) throws -> Response {
        let view = ReportView(subject, filed: filed, problem: problem, form: form)
        return try pages.answer(
            .report, view,
            head: PageHead(title: "\(view.heading): \(subject.sheetName)", viewer: try context.requireIdentity()),
            status: problem?.status ?? .ok, headers: problem?.headers ?? [:])
    }

    // MARK: What became of them

    private func list(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let identity = try context.requireIdentity()
        let reports = try await service.mine(
            identity.userID, PageRequest(cursor: request.query("cursor"), limit: Self.rowsShown))
        let view = ReportsView(
            reports, names: try await service.names(of: reports),
            dismissals: try await OwnDecisionService(moderation: features.moderation).dismissing(
                reports.reports.filter { $0.outcome == "dismissed" }.map(\.id), of: identity.userID),
            now: features.now())
        return try pages.answer(
            .reports, view, head: PageHead(title: "Your reports", place: .account, viewer: identity))
    }
}

/// The form that reports something, and what is said once it was sent.
struct ReportView: Sendable {
    struct Reason: Sendable {
        let reasonCode: String
        let label: Phrase
        let isChosen: Bool
    }

    let heading: Phrase
    let what: Phrase
    let address: String
    let sheetName: String
    let sheetAddress: String
    let quote: String?
    let isFiled: Bool
    /// The form of a copyright notice, for a sheet; the second after a report for that reason.
    let copyrightAddress: String?
    let copyrightFiled: String?
    let reasons: [Reason]
    let words: String
    let problem: Phrase?
    let mistakes: [String: Phrase]

    init(_ subject: ReportPages.Subject, filed: ReportReason?, problem: FormProblem?, form: QueryParameters) {
        heading = "Report this \(subject.what)"
        what = subject.what
        address = subject.address
        sheetName = subject.sheetName
        sheetAddress = subject.sheetAddress
        quote = subject.quote
        isFiled = filed != nil
        copyrightAddress = subject.copyrightAddress
        copyrightFiled = filed == .copyright ? subject.copyrightAddress : nil
        // Who finds nothing that fits has read all the others.
        reasons = (ReportReason.allCases.filter { $0 != .other } + [.other]).map {
            Reason(reasonCode: $0.rawValue, label: $0.words, isChosen: form["reason"] == $0.rawValue)
        }
        words = form["text"] ?? ""
        self.problem = problem?.summary
        mistakes = problem?.mistakes ?? [:]
    }
}

/// A person's reports and what became of them.
struct ReportsView: Sendable {
    struct Line: Sendable {
        let about: Phrase
        let aboutAddress: String?
        let standing: StateLabel
        let complaint: Phrase
        let words: String?
        let told: DisplayTime
        let ended: DisplayTime?
        let answer: String?
        let recourse: AppealOptions?
    }

    let lines: [Line]
    let hasLines: Bool
    let more: String?

    init(
        _ list: ReportList, names: [ReportID: ReportStore.Naming], dismissals: [ReportID: UserDecision], now: Date
    ) {
        lines = list.reports.map { report in
            let naming = names[report.id]
            let dismissal = dismissals[report.id]
            return Line(
                about: Self.about(report, naming), aboutAddress: naming?.slug.map { PagePaths.sheet($0) },
                standing: Self.standing(report), complaint: report.reason.words,
                words: report.text.isEmpty ? nil : report.text, told: DisplayTime(report.createdAt, now: now),
                ended: report.closedAt.map { DisplayTime($0, now: now) }, answer: dismissal?.decision.message,
                recourse: dismissal.map { AppealOptions($0, now: now) })
        }
        hasLines = !lines.isEmpty
        more = list.nextCursor.map { PageAddress(ReportPages.home).with("cursor", $0).text }
    }

    private static func about(_ report: ReportList.Item, _ naming: ReportStore.Naming?) -> Phrase {
        let name = naming?.name
        return switch report.subject.kind {
        case .template: name.map { Phrase(verbatim: $0) } ?? "A sheet"
        case .version:
            [name.map { Phrase(verbatim: $0) } ?? "A sheet", report.subject.version.map { Phrase(verbatim: $0) }]
                .compactMap { $0 }.joined(separator: " ")
        case .review: name.map { "A review of \($0)" } ?? "A review"
        case .user:
            switch report.subject.part {
            case .collection: name.map { "The collection “\($0)”" } ?? "A collection"
            case .profile: name.map { "The profile of \($0)" } ?? "A profile"
            case nil: name.map { "The account \($0)" } ?? "An account"
            }
        }
    }

    private static func standing(_ report: ReportList.Item) -> StateLabel {
        switch report.outcome {
        case _ where report.state == "open": StateLabel("With the moderators", "wait")
        case "upheld": StateLabel("Found right", "good")
        case "dismissed": StateLabel("Dismissed", "quiet")
        default: StateLabel("Closed", "quiet")
        }
    }
}
