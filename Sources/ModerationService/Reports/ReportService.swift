// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketAccounts
import MarketCatalog
import MarketHTTP
import MarketPlatform
import MarketWire
import Moderation
import Postgres
import SheetCore

/// Accepts reports and puts them into the moderation queue. A person can have one open report on a subject (by a
/// constraint of the table) and send some reports a day, fewer if theirs are mostly wrong. Reports never take anything
/// down: they move a case up in the queue, and a moderator decides.
package struct ReportService: Sendable {
    package let moderation: ModerationDependencies

    package init(moderation: ModerationDependencies) {
        self.moderation = moderation
    }

    /// Takes a report in; throws `ReportError`.
    package func report(
        _ request: ReportRequest, by identity: Identity, requestID: String? = nil
    ) async throws -> Report {
        let text = (request.text ?? "").cleanedText()
        if text.unicodeScalars.count > ReviewRequest.maximumTextLength {
            throw ReportError.textTooLong
        }
        guard let subject = try await ReportStore.subject(request.subject, moderation.database) else {
            throw ReportError.noSuchSubject(request.subject.kind)
        }
        let now = moderation.now()
        let report = Report(
            id: .make(at: now), subject: request.subject, reason: request.reason, text: text, state: "open",
            createdAt: now)
        do {
            try await moderation.database.withTransaction { connection in
                // Serialized per person, so that the daily count is exact.
                let record = try await ReportStore.lockReporter(identity.userID, at: now, in: connection)
                try await checkAllowance(of: identity.userID, record, at: now, in: connection)
                try await ReportStore.insert(
                    report, on: subject.id, by: identity.userID, weight: record.weight, in: connection)
                let id = try await CaseLifecycle.gather(
                    report: report.id, subject: subject.ofCase, weight: record.weight, at: now,
                    sla: moderation.limits.sla, in: connection)
                // What the reporter wrote stays in the report, where it can be erased; the audit log is for good.
                try await AuditLog.append(
                    connection, actor: AuditActor(identity), action: "report.filed",
                    subject: subject.ofCase.auditSubject,
                    details: ["report": "\(report.id)", "reason": report.reason.rawValue, "case": "\(id)"],
                    requestID: requestID, at: now)
            }
        } catch let error as PostgresError where error.isUniqueViolation(constraint: "reports_open_key") {
            throw ReportError.reportedBefore
        }
        return report
    }

    private func checkAllowance(
        of user: UserID, _ record: ReporterRecord, at now: Date, in connection: PostgresConnection
    ) async throws {
        let allowed = record.dailyAllowance(usual: moderation.limits.reportsPerDay)
        guard
            let oldest = try await ReportStore.oldestOfLast(
                allowed, by: user, since: now.addingTimeInterval(-86_400), in: connection)
        else { return }
        let seconds = max(1, Int(oldest.addingTimeInterval(86_400).timeIntervalSince(now).rounded(.up)))
        throw ReportError.tooMany(allowed: allowed, retryAfterSeconds: seconds)
    }

    /// The caller's own reports and what became of them, newest first.
    package func mine(_ user: UserID, _ pageRequest: PageRequest) async throws -> ReportList {
        let name = "reports.mine"
        let found = try await ReportStore.reports(
            of: user, before: try pageRequest.timePosition(in: name), limit: pageRequest.fetchLimit,
            in: moderation.database)
        let page = pageRequest.page(found, of: name) { [Cursor.key($0.createdAt), $0.id.description] }
        return ReportList(reports: page.rows, nextCursor: page.next)
    }

    /// The names of what reports are about, for their writer.
    package func names(of list: ReportList) async throws -> [ReportID: ReportStore.Naming] {
        try await ReportStore.names(of: list.reports.map(\.id), in: moderation.database)
    }
}
