// SPDX-License-Identifier: Apache-2.0
import Foundation
import IngestWire
import MarketWire
import Moderation
import Postgres
import SheetCore
import TemplateIngest

/// Puts together all that a moderator needs to decide a case.
struct CaseReading: Sendable {
    let market: Market

    /// How many similar templates are shown.
    private static let similar = 6

    /// The case as `identity` may see it; `nil` when there is none.
    func detail(_ id: CaseID, for identity: Identity) async throws -> CaseDetail? {
        let database = market.database
        let terms = market.deskTerms
        async let decisions = CaseDetailStore.decisions(id, in: database)
        async let proposal = CaseDetailStore.proposal(id, in: database)
        async let history = CaseDetailStore.history(of: id, terms: terms, in: database)
        async let messages = ConversationStore.messages(id, after: nil, limit: 100, revealing: true, in: database)
        guard let head = try await CaseDetailStore.head(id, terms: terms, in: database) else { return nil }
        var detail = CaseDetail(
            summary: head.summary, submission: head.submission, metadata: head.metadata, pages: [], regions: [],
            decisions: try await decisions, outline: head.outline)
        detail.submission?.decision = detail.decisions.last
        detail.proposal = try await proposal
        detail.messages = try await messages
        detail.history = try await history
        detail.choices = Self.choices(head.summary)
        if let submission = head.submission { try await addPages(of: submission, to: &detail) }
        if let respondent = head.respondent {
            detail.author = try await CaseDetailStore.author(respondent, in: database)
        }
        if head.summary.subject == .review, let review = head.summary.subjectId.flatMap({ ReviewID($0) }) {
            detail.review = try await CaseDetailStore.review(review, in: database)
        }
        if head.summary.kind == .appeal { detail.appeal = try await AppealStore.appeal(ofCase: id, in: database) }
        // Whose work it is neither reads what the team says of it, nor who complained.
        if head.respondent != identity.userID || identity.role >= .administrator {
            detail.notes = try await ConversationStore.notes(id, in: database)
            detail.reports = try await CaseDetailStore.reports(head.summary.appealOf ?? id, in: database)
        }
        return detail
    }

    private func addPages(of submission: SubmissionStatus, to detail: inout CaseDetail) async throws {
        let database = market.database
        let id = detail.summary.id
        async let risk = RiskService.caseRisk(of: id, submission: submission.id, in: database)
        async let texts = CaseDetailStore.texts(submission.id, in: database)
        let pages = try await SubmissionStore.pages(submission.id, in: database)
        detail.pages = pages.map(\.page)
        detail.regions = pages.map { RegionList.Page(index: $0.page.index, regions: $0.regions) }
        detail.texts = try await texts
        detail.risk = try await risk
        if let system = detail.summary.gameSystem {
            detail.similar = try await SimilarStore.similar(
                to: .init(
                    id: submission.templateId, system: system, tags: detail.metadata?.tags ?? [],
                    name: detail.summary.templateName), count: Self.similar, database)
        }
        detail.before = try await comparison(submission)
    }

    /// The version that the upload was compared with, and where its pages differ.
    private func comparison(_ submission: SubmissionStatus) async throws -> CaseComparison? {
        guard let changes = submission.changes,
            let before = try await CaseDetailStore.submission(
                of: submission.templateId, version: changes.since, in: market.database)
        else { return nil }
        async let old = ComparisonStore.layouts(before, in: market.database)
        async let new = ComparisonStore.layouts(submission.id, in: market.database)
        let pages = try await SubmissionStore.pages(before, in: market.database)
        let (oldLayouts, newLayouts) = try await (old, new)
        let differences = changes.pages.compactMap { page -> CaseComparison.Page? in
            guard let from = oldLayouts[page.from], let to = newLayouts[page.to] else { return nil }
            let boxes = LayoutDifference(from: from, to: to)
            return CaseComparison.Page(from: page.from, to: page.to, added: boxes.added, removed: boxes.removed)
        }
        return CaseComparison(
            version: changes.since, pages: pages.map(\.page),
            regions: pages.map { RegionList.Page(index: $0.page.index, regions: $0.regions) },
            differences: differences)
    }

    private static func choices(_ summary: CaseSummary) -> [DecisionKind] {
        guard let kind = CaseKind(rawValue: summary.kind.rawValue) else { return [] }
        let subject: CaseSubject =
            switch summary.subject {
            case .user: .user(UserID(rawValue: UUID()))
            case .review: .review(ReviewID(rawValue: UUID()))
            case .template, .version: .template(summary.templateId ?? TemplateID(rawValue: UUID()))
            case .submission: .submission(summary.submissionId ?? SubmissionID(rawValue: UUID()))
            }
        let file = CaseFile(kind: kind, subject: subject, isAudit: summary.isAudit)
        return file.verdicts.compactMap { DecisionKind(rawValue: $0.rawValue) }
    }
}

/// Where words and fields of a page are, with its size.
struct MeasuredLayout: Sendable {
    var width: Double
    var height: Double
    var layout: PageLayout
}

/// Boxes around what came and what went between two versions of a page.
struct LayoutDifference: Sendable {
    /// Most boxes of each.
    static let maximumBoxes = 200
    /// What moved by less than this many points stayed.
    static let tolerance = 4.0
    /// Half of the box around a word of which only the middle is known, in points.
    private static let wordReach = (x: 18.0, y: 7.0)

    let added: [NormalizedRect]
    let removed: [NormalizedRect]

    init(from old: MeasuredLayout, to new: MeasuredLayout) {
        added = Self.boxes(of: new, notIn: old)
        removed = Self.boxes(of: old, notIn: new)
    }

    private static func boxes(of one: MeasuredLayout, notIn other: MeasuredLayout) -> [NormalizedRect] {
        let words = Dictionary(other.layout.anchors.map { ($0.word, $0) }, uniquingKeysWith: { first, _ in first })
        var boxes: [[Double]] = []
        for word in one.layout.anchors {
            let stayed = words[word.word].map { abs($0.x - word.x) <= tolerance && abs($0.y - word.y) <= tolerance }
            if stayed == true { continue }
            boxes.append([
                word.x - wordReach.x, word.y - wordReach.y, word.x + wordReach.x, word.y + wordReach.y,
            ])
        }
        let fields = Dictionary(grouping: other.layout.fields, by: \.name)
        for field in one.layout.fields where field.box.count == 4 {
            let stayed = (fields[field.name] ?? []).contains { twin in
                twin.box.count == 4 && zip(twin.box, field.box).allSatisfy { abs($0 - $1) <= tolerance }
            }
            if !stayed { boxes.append(field.box) }
        }
        return boxes.prefix(maximumBoxes).compactMap { normalized($0, one) }
    }

    private static func normalized(_ box: [Double], _ page: MeasuredLayout) -> NormalizedRect? {
        guard page.width > 0, page.height > 0 else { return nil }
        let left = min(max(min(box[0], box[2]) / page.width, 0), 1)
        let right = min(max(max(box[0], box[2]) / page.width, 0), 1)
        let top = min(max(min(box[1], box[3]) / page.height, 0), 1)
        let bottom = min(max(max(box[1], box[3]) / page.height, 0), 1)
        guard right > left, bottom > top else { return nil }
        return NormalizedRect(x: left, y: top, width: right - left, height: bottom - top)
    }
}

extension ComparisonStore {
    /// Where words and fields of a submission's pages are, by page.
    static func layouts(
        _ id: SubmissionID, in database: some PostgresExecutor
    ) async throws -> [Int: MeasuredLayout] {
        let rows = try await database.all(
            """
            SELECT p.page_index, p.width, p.height, l.layout FROM submission_pages AS p
            JOIN page_layouts AS l ON l.submission_id = p.submission_id AND l.page_index = p.page_index
            WHERE p.submission_id = \(id)
            """
        ) { row in
            (
                try row.get("page_index", as: Int.self),
                MeasuredLayout(
                    width: try row.get("width"), height: try row.get("height"),
                    layout: try row.get("layout", as: PostgresJSON<PageLayout>.self).value)
            )
        }
        return Dictionary(rows, uniquingKeysWith: { first, _ in first })
    }
}
