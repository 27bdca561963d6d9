// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketAccounts
import MarketCatalog
import MarketIngest
import MarketPlatform
import MarketWire
import Moderation
import Postgres
import SheetCore

/// Assesses submissions, and hands each to a moderator or publishes it.
package struct RiskService: Sendable {
    package let moderation: RiskDependencies

    package init(moderation: RiskDependencies) {
        self.moderation = moderation
    }

    /// Assesses a submission that came to await review, in the transaction that brought it there, and opens its case or
    /// publishes it. `facts` is `nil` when the market has no rules.
    func route(
        _ subject: InspectionSubject, _ facts: RiskFacts?, in connection: PostgresConnection
    ) async throws -> RiskRoute {
        let now = moderation.now()
        guard var facts, let rules = moderation.risk.rules else {
            try await openCase(subject.id, at: now, in: connection)
            return .moderator
        }
        // Read only now, so that decisions count that were made while the file was inspected.
        facts.author = try await RiskStore.record(
            of: subject.uploader, template: subject.templateID, at: now, in: connection)
        let sanctions = try await SanctionStore.sanctions(of: subject.uploader, in: connection)
        facts.author.strikes = StrikeRules(halfLifeSeconds: moderation.limits.strikeHalfLifeSeconds)
            .strikes(of: sanctions.map(\.imposed), at: now)
        let assessment = rules.assess(facts)
        let decision = TrustedPath.decision(
            for: assessment, record: facts.author, change: facts.change, findings: facts.findings,
            isUpdate: facts.isUpdate, terms: moderation.risk.terms, draw: moderation.risk.draw())
        var entry = RiskStore.Entry(
            assessment: assessment, route: .moderator, obstacles: [], facts: facts, isShadow: false, assessedAt: now)
        switch decision {
        case .moderator(let obstacles): entry.obstacles = obstacles.map(\.rawValue)
        case .approve: entry.route = .approved
        case .approveAndAudit: entry.route = .audited
        }
        try await RiskStore.insert(entry, of: subject.id, in: connection)
        if let shadow = moderation.risk.shadow {
            let trial = RiskStore.Entry(
                assessment: shadow.assess(facts), route: .moderator, obstacles: [], facts: nil, isShadow: true,
                assessedAt: now)
            try await RiskStore.insert(trial, of: subject.id, in: connection)
        }
        if entry.route != .approved {
            let id = try await openCase(subject.id, at: now, in: connection)
            try await RiskStore.setRisk(
                assessment.score, isAudit: entry.route == .audited, of: id, in: connection)
        }
        if entry.route != .moderator { try await publish(subject, assessment, entry.route, at: now, in: connection) }
        return entry.route
    }

    @discardableResult
    private func openCase(
        _ id: SubmissionID, at now: Date, in connection: PostgresConnection
    ) async throws -> CaseID {
        try await CaseLifecycle.open(connection, submission: id, at: now, sla: moderation.limits.sla)
    }

    /// Does what a moderator's approval does, in the name of the service.
    private func publish(
        _ subject: InspectionSubject, _ assessment: RiskAssessment, _ route: RiskRoute, at now: Date,
        in connection: PostgresConnection
    ) async throws {
        let state = try SubmissionState.awaitingReview.after(.approved)
        try await SubmissionStore.update(subject.id, to: state, step: "published", in: connection)
        let version = try await Publishing.publish(
            connection, submission: subject.id, template: subject.templateID, at: now)
        try await DecisionEmail.enqueuePublication(of: subject.id, in: connection)
        try await AuditLog.append(
            connection, actor: .system, action: "submission.approved_by_rules", subject: "submission:\(subject.id)",
            details: [
                "version": version.description, "rules": assessment.rulesVersion,
                "audited": route == .audited ? "true" : "false",
            ], at: now)
    }
}

// MARK: - What moderation shows

extension RiskService {
    /// What the checks made of the edit that a case is about, or else of its submission.
    static func caseRisk(
        of id: CaseID, submission: SubmissionID, in database: some PostgresExecutor
    ) async throws -> CaseRisk? {
        guard let edit = try await RiskStore.edit(of: id, in: database) else {
            return try await caseRisk(of: submission, in: database)
        }
        return CaseRisk(
            score: edit.assessment.score, rulesVersion: edit.assessment.rulesVersion,
            hits: edit.assessment.hits.map(\.wire), alike: [], route: RiskRoute.edited.rawValue, obstacles: [],
            shadow: nil, assessedAt: edit.at)
    }

    /// What the checks made of a submission; `nil` when it was never assessed.
    static func caseRisk(
        of submission: SubmissionID, in database: some PostgresExecutor
    ) async throws -> CaseRisk? {
        let entries = try await RiskStore.entries(of: submission, in: database)
        guard let entry = entries.first(where: { !$0.isShadow }) else { return nil }
        let alike = entry.facts?.similarities ?? []
        let pages = alike.flatMap { [(submission, $0.page), ($0.submission, $0.otherPage)] }
        let previews = try await RiskStore.previews(of: pages, in: database)
        return CaseRisk(
            score: entry.assessment.score, rulesVersion: entry.assessment.rulesVersion,
            hits: entry.assessment.hits.map(\.wire),
            alike: alike.compactMap { pair(submission, $0, previews) }, route: entry.route.rawValue,
            obstacles: entry.obstacles,
            shadow: entries.first { $0.isShadow }.map {
                .init(score: $0.assessment.score, rulesVersion: $0.assessment.rulesVersion)
            }, assessedAt: entry.assessedAt)
    }

    private static func pair(
        _ submission: SubmissionID, _ alike: RiskFacts.Similarity, _ previews: [RiskStore.PageKey: ContentHash]
    ) -> CaseRisk.PagePair? {
        guard let version = SemanticVersion(alike.version) else { return nil }
        return CaseRisk.PagePair(
            page: alike.page, previewURL: previewURL(submission, alike.page),
            previewSHA256: previews[.init(submission: submission, page: alike.page)],
            otherTemplateId: alike.template, otherTemplateName: alike.name, otherVersion: version,
            otherPage: alike.otherPage, otherPreviewURL: previewURL(alike.submission, alike.otherPage),
            otherPreviewSHA256: previews[.init(submission: alike.submission, page: alike.otherPage)],
            otherState: alike.fate.rawValue)
    }

    /// The submission's own picture: a moderator sees it whatever became of the version.
    private static func previewURL(_ submission: SubmissionID, _ page: Int) -> String {
        "\(Paths.submission(submission.description))/pages/\(page)/preview"
    }
}

extension RiskHit {
    /// As the API shows it.
    fileprivate var wire: CaseRisk.Hit {
        .init(
            code: code, weight: weight,
            evidence: evidence.map { .init(detail: $0.detail, place: $0.place?.rawValue, page: $0.page) },
            isShadow: isShadow)
    }
}
