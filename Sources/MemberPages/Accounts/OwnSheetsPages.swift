// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Hummingbird
import MarketCatalog
import MarketHTTP
import MarketIngest
import MarketPages
import MarketPlatform
import MarketWire
import ModerationService
import SheetCore

/// A person's sheets and uploads, and all that waits for them.
struct OwnSheetsPages: Sendable {
    private static let worksShown = 50
    private static let uploadsShown = 20
    /// Of each thing that waits, so many.
    private static let waitingShown = 20

    let features: Features
    let pages: WebPages
    let caseService: CaseService

    func register(on routes: APIRoutes) {
        routes.get(PagePaths.ownSheets, access: .user(.read), show)
    }

    private func show(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let identity = try context.requireIdentity()
        let person = identity.userID
        let part = PageRequest(limit: Self.waitingShown)
        let moderation = features.moderation
        async let questions = caseService.questions(to: person, limit: Self.waitingShown)
        async let invitations = AuthorService(catalog: features.catalog).invitations(for: person, part)
        async let decisions = OwnDecisionService(moderation: moderation).works(of: person, part)
        async let appeals = AppealService(moderation: moderation).mine(person, part)
        async let wanted = SubmissionStore.list(
            uploader: person, state: .changesRequested, before: nil, limit: Self.waitingShown, in: features.database)
        let uploads = try await SubmissionStore.list(
            uploader: person, before: nil, limit: Self.uploadsShown, in: features.database)
        async let fates = SubmissionStore.withdrawnVersions(of: uploads.map(\.id), in: features.database)
        var works = try await AuthorStore.works(
            of: person, after: request.query("before").flatMap { TemplateID($0) }, limit: Self.worksShown + 1,
            features.database)
        let hasMore = works.count > Self.worksShown
        if hasMore { works.removeLast() }
        let view = OwnSheetsView(
            works, hasMore: hasMore, uploads: uploads, fates: try await fates,
            waiting: OwnSheetsView.Waiting(
                questions: try await questions, invitations: try await invitations, wanted: try await wanted,
                decisions: try await decisions.rows, appeals: try await appeals.appeals),
            now: features.now())
        return try pages.answer(
            .ownSheets, view, head: PageHead(title: "My sheets", place: .account, viewer: identity))
    }
}
