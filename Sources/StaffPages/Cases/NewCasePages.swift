// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Hummingbird
import MarketAccounts
import MarketCatalog
import MarketCommunity
import MarketHTTP
import MarketPages
import MarketPlatform
import MarketWire
import MemberPages
import ModerationService
import SheetCore

/// Opening a case on what nobody has reported: a sheet, a review or a person.
struct NewCasePages: Sendable {
    let features: Features
    let pages: WebPages
    let service: CaseService

    /// What the case is to be about.
    struct Subject: Sendable {
        let reported: ReportSubject
        let label: Phrase
        /// Where it is seen.
        let address: String
        /// A review's words.
        let quote: String?
    }

    func register(on routes: APIRoutes) {
        routes.get(PagePaths.newCaseForm, access: .moderator) {
            try await page(about: QueryParameters($0.uri.query), $1)
        }
        routes.post(PagePaths.newCaseForm, access: .moderator, open)
    }

    private func subject(_ asked: QueryParameters) async throws -> Subject {
        let id = asked["id"] ?? ""
        let missing = APIError.notFound("What the case is to be about")
        switch asked["kind"].flatMap({ ReportSubject.Kind(rawValue: $0) }) {
        case .template:
            guard let key = try? TemplateKey(id),
                let sheet = try await TemplateHeading.fetch(key, features.database)
            else { throw missing }
            return Subject(
                reported: ReportSubject(kind: .template, id: sheet.id.description), label: "The sheet \(sheet.name)",
                address: PagePaths.sheet(sheet.slug), quote: nil)
        case .review:
            guard let review = ReviewID(id) else { throw missing }
            let history = try await ReviewService(platform: features.platform).history(review)
            return Subject(
                reported: ReportSubject(kind: .review, id: id), label: "The review by \(history.author)",
                address: PagePaths.reviewHistory(review), quote: history.revisions.first?.text)
        case .user:
            let user = try await SanctionService(moderation: features.moderation).user(id)
            return Subject(
                reported: ReportSubject(kind: .user, id: user.handle), label: "The account \(user.handle)",
                address: "\(StaffNavigation.Place.people.rawValue)/\(user.handle)", quote: nil)
        case .version, nil: throw missing
        }
    }

    private func page(
        about form: QueryParameters, _ context: MarketRequestContext, problem: FormProblem? = nil
    ) async throws -> Response {
        let viewer = try context.requireIdentity()
        let view = NewCaseView(
            navigation: StaffNavigation(at: .queue, for: viewer), try await subject(form), problem: problem,
            form: form)
        return try pages.answer(
            .newCase, view, head: PageHead(title: "Open a case", place: .moderation, viewer: viewer),
            status: problem?.status ?? .ok, headers: problem?.headers ?? [:])
    }

    private func open(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let form = try await request.form()
        let subject = try await subject(form)
        do {
            let opened = try await service.open(
                about: subject.reported, note: form["note"] ?? "", by: try context.requireIdentity(),
                requestID: context.requestID)
            return .seeOther("/moderation/cases/\(opened.id)")
        } catch {
            return try await page(about: form, context, problem: try FormProblem(error))
        }
    }
}

struct NewCaseView: Sendable {
    let navigation: StaffNavigation
    let label: Phrase
    let address: String
    let quote: String?
    let formAddress = PagePaths.newCaseForm
    /// What a link to the form says of what it is about.
    let kind: String
    let subjectID: String
    let note: String
    let problem: Phrase?
    let mistakes: [String: Phrase]

    init(navigation: StaffNavigation, _ subject: NewCasePages.Subject, problem: FormProblem?, form: QueryParameters) {
        self.navigation = navigation
        label = subject.label
        address = subject.address
        quote = subject.quote.flatMap { $0.isEmpty ? nil : $0 }
        kind = subject.reported.kind.rawValue
        subjectID = subject.reported.id
        note = form["note"] ?? ""
        self.problem = problem?.summary
        mistakes = problem?.mistakes ?? [:]
    }
}
