// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketAccounts
import MarketCatalog
import MarketHTTP
import MarketIngest
import MarketPlatform
import MarketSearch
import MarketWire
import Moderation
import Postgres
import SheetCore

/// Puts together all that a moderator needs to decide a case.
package struct CaseDetailReader: Sendable {
    package let moderation: ModerationDependencies

    package init(moderation: ModerationDependencies) {
        self.moderation = moderation
    }

    /// How many similar templates are shown.
    private static let similar = 6

    /// The case as `identity` may see it; `nil` when there is none.
    package func detail(_ id: CaseID, for identity: Identity) async throws -> CaseDetail? {
        try await whole(id, for: identity)?.detail
    }

    /// The case as `identity` may see it, with what they can do with it; `nil` when there is none.
    package func whole(
        _ id: CaseID, for identity: Identity
    ) async throws -> (detail: CaseDetail, standing: CaseStanding)? {
        let database = moderation.database
        let terms = moderation.caseDueTimes
        async let decisions = CaseDetailStore.decisions(id, in: database)
        async let proposal = CaseDetailStore.proposal(id, in: database)
        async let history = CaseDetailStore.history(of: id, terms: terms, in: database)
        async let messages = ConversationStore.messages(id, after: nil, limit: 100, revealing: true, in: database)
        guard let head = try await CaseDetailStore.head(id, terms: terms, in: database),
            let standing = try await standing(id, for: identity)
        else { return nil }
        var detail = CaseDetail(
            summary: head.summary, submission: head.submission, metadata: head.metadata, pages: [], regions: [],
            decisions: try await decisions, outline: head.outline)
        detail.proposal = try await proposal
        detail.messages = try await messages
        detail.history = try await history
        detail.choices = standing.choices
        if let submission = head.submission { try await addPages(of: submission, to: &detail) }
        if let respondent = head.respondent {
            detail.author = try await CaseDetailStore.author(respondent, in: database)
        }
        if head.summary.subject == .review, let review = head.summary.subjectId.flatMap({ ReviewID($0) }) {
            detail.review = try await CaseDetailStore.review(review, in: database)
        }
        if let part = head.summary.part, let person = head.respondent {
            detail.memberText = try await CaseDetailStore.memberText(
                part, of: person, collection: head.summary.collectionId, in: database)
        }
        if head.summary.kind == .appeal { detail.appeal = try await AppealStore.appeal(ofCase: id, in: database) }
        if try await isHidden(id, from: identity) {
            for place in detail.decisions.indices { detail.decisions[place].evidence = nil }
            detail.proposal?.evidence = []
        } else {
            detail.notes = try await ConversationStore.notes(id, in: database)
            detail.reports = try await CaseDetailStore.reports(head.summary.appealOf ?? id, in: database)
        }
        detail.submission?.decision = detail.decisions.last
        return (detail, standing)
    }

    /// What `identity` can do with the case as it stands, by the rules themselves; `nil` when there is none.
    private func standing(_ id: CaseID, for identity: Identity) async throws -> CaseStanding? {
        let database = moderation.database
        guard let row = try await CaseStore.fetch(id, in: database) else { return nil }
        var submission: SubmissionState?
        if case .submission(let id) = row.subject {
            submission = try await SubmissionStore.fetch(id, in: database)?.status.state
        }
        var respondent: UserRole?
        if let person = row.respondent { respondent = try await AccountStore.user(id: person, in: database)?.role }
        let facts = try await CaseStore.facts(row, in: database)
        return CaseStanding(
            CaseFile(row, facts, submission: submission), respondent: respondent, viewer: Moderator(identity),
            at: moderation.now(), rules: moderation.limits.caseRules)
    }

    /// Moderators whose own work it is see neither the team's notes, nor reports, nor the evidence of decisions.
    private func isHidden(_ id: CaseID, from identity: Identity) async throws -> Bool {
        guard identity.role < .administrator else { return false }
        return try await CaseStore.concerns(id, identity.userID, in: moderation.database)
    }

    private func addPages(of submission: SubmissionStatus, to detail: inout CaseDetail) async throws {
        let database = moderation.database
        let id = detail.summary.id
        async let risk = RiskService.caseRisk(of: id, submission: submission.id, in: database)
        async let texts = CaseDetailStore.texts(submission.id, in: database)
        let pages = try await SubmissionStore.pages(submission.id, in: database)
        detail.pages = pages.map(\.page)
        detail.regions = pages.map { RegionList.Page(index: $0.page.index, regions: $0.regions) }
        detail.texts = try await texts
        detail.risk = try await risk
        if let system = detail.summary.gameSystem {
            let original = SimilarStore.Original(
                id: submission.templateId, system: system, tags: detail.metadata?.tags ?? [],
                name: detail.summary.templateName)
            let similar = try await SimilarStore.similar(
                to: original, count: Self.similar, moderation.catalog.searches.statistics(database), database)
            detail.similar = try similar.map { try $0.summary }
        }
        let pictures = try await DifferenceStore.pictures(of: submission.id, in: database)
        if let pictures, var risk = detail.risk {
            for place in risk.alike.indices {
                risk.alike[place].difference = pictures.picture(of: risk.alike[place], under: id)
            }
            detail.risk = risk
        }
        detail.before = try await comparison(submission, pictures, under: id)
    }

    /// The version that the upload was compared with, and where its pages differ.
    private func comparison(
        _ submission: SubmissionStatus, _ pictures: RenderedDifferences?, under id: CaseID
    ) async throws -> CaseComparison? {
        guard let changes = submission.changes,
            let before = try await SubmissionStore.submission(
                of: submission.templateId, version: changes.since, in: moderation.database)
        else { return nil }
        async let old = DifferenceStore.pages(of: before, in: moderation.database)
        async let new = DifferenceStore.pages(of: submission.id, in: moderation.database)
        let pages = try await SubmissionStore.pages(before, in: moderation.database)
        let (oldPages, newPages) = try await (old, new)
        let differences = changes.pages.compactMap { page -> CaseComparison.Page? in
            guard let from = oldPages[page.from], let to = newPages[page.to] else { return nil }
            let boxes = LayoutDifference(from: from, to: to, by: from.transform(to: to))
            return CaseComparison.Page(from: page.from, to: page.to, added: boxes.added, removed: boxes.removed)
        }
        return CaseComparison(
            version: changes.since, pages: pages.map(\.page),
            regions: pages.map { RegionList.Page(index: $0.page.index, regions: $0.regions) },
            differences: differences, pictures: pictures?.list(beside: before, under: id))
    }
}
