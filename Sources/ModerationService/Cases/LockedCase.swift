// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketIngest
import Moderation
import Postgres
import SheetCore

/// A case under lock, with what the rules ask about it.
struct LockedCase: Sendable {
    var id: CaseID
    /// As the rules see it.
    var file: CaseFile
    /// The submission whose own case it is.
    var submission: SubmissionID?
    var template: TemplateID?
    /// Whose work or account it is about.
    var respondent: UserID?
    /// The case whose decision is appealed in this one.
    var appealOf: CaseID?
    /// The last decision.
    var decision: UUID?

    /// The subject under which the audit log has its decisions.
    var auditSubject: String { file.subject.auditSubject }

    /// Locks the case, then its submission, until the transaction ends: whoever else comes waits here.
    static func fetch(_ id: CaseID, in connection: PostgresConnection) async throws -> LockedCase? {
        guard let row = try await CaseStore.lock(id, in: connection) else { return nil }
        var submission: SubmissionState?
        if case .submission(let id) = row.subject {
            submission = try await SubmissionStore.lock(id, in: connection)
        }
        let facts = try await CaseStore.facts(row, in: connection)
        return LockedCase(
            id: id, file: CaseFile(row, facts, submission: submission), submission: row.submission,
            template: row.template, respondent: row.respondent,
            appealOf: row.appealOf, decision: facts.decision)
    }

    /// Stores another status.
    func set(_ status: CaseStatus, at now: Date, in connection: PostgresConnection) async throws {
        try await CaseStore.set(status, of: id, at: now, in: connection)
    }
}

extension CaseFile {
    /// As the rules see a case that is stored so.
    init(_ row: CaseStore.Row, _ facts: CaseStore.Facts, submission: SubmissionState?) {
        self.init(
            kind: row.kind, subject: row.subject, status: row.status, submission: submission, isAudit: row.isAudit,
            parties: facts.parties, reporters: facts.reporters, barred: facts.deciders, proposal: facts.proposal,
            past: facts.past, installs: facts.installs, isTakenDown: facts.isTakenDown)
    }
}

extension CaseSubject {
    /// As the audit log names it.
    var auditSubject: String {
        switch self {
        case .submission(let id): "submission:\(id)"
        case .template(let id): "template:\(id)"
        case .version(let id, let number): "version:\(id)/\(number)"
        case .review(let id): "review:\(id)"
        case .user(let id): "user:\(id)"
        case .collection(let id): "member_collection:\(id)"
        case .profile(let id): "profile:\(id)"
        }
    }
}
