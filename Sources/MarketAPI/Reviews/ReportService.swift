// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import MarketWire
import Postgres
import SheetCore

/// Takes complaints in for the desk. One open report for each person and subject, by a constraint.
struct ReportService: Sendable {
    let market: Market

    func report(_ request: ReportRequest, by identity: Identity) async throws -> Report {
        let text = (request.text ?? "").cleanedText()
        if text.unicodeScalars.count > ReviewRequest.maximumTextLength {
            throw APIError.validation([
                .init(pointer: "/text", detail: "At most \(ReviewRequest.maximumTextLength) characters.")
            ])
        }
        guard let subject = try await ReportStore.subject(request.subject, market.database) else {
            throw APIError.validation([
                .init(pointer: "/subject", detail: "No such \(request.subject.kind.rawValue) is there to be seen.")
            ])
        }
        let now = market.now()
        let report = Report(
            id: .make(at: now), subject: request.subject, reason: request.reason, text: text, state: "open",
            createdAt: now)
        do {
            try await ReportStore.insert(report, on: subject, by: identity.userID, market.database)
        } catch let error as PostgresError where error.isUniqueViolation(constraint: "reports_open_key") {
            throw APIError(
                .conflict, .alreadyReported, "You have reported this already; a moderator will look at it.")
        }
        return report
    }
}

/// SQL of reports.
enum ReportStore {
    /// The id of what is reported; `nil` when there is no such thing that the public can see.
    static func subject(_ subject: ReportSubject, _ database: some PostgresExecutor) async throws -> UUID? {
        let query: PostgresQuery
        switch subject.kind {
        case .template:
            guard let key = try? TemplateKey(subject.id) else { return nil }
            query = """
                SELECT t.id FROM templates AS t
                WHERE \(fragment: key.condition) AND EXISTS (SELECT FROM versions AS v WHERE v.template_id = t.id)
                """
        case .version:
            guard let key = try? TemplateKey(subject.id), let number = subject.version.flatMap({ SemanticVersion($0) })
            else { return nil }
            query = """
                SELECT v.id FROM templates AS t JOIN versions AS v ON v.template_id = t.id AND v.number = \(number)
                WHERE \(fragment: key.condition)
                """
        case .review:
            guard let id = ReviewID(subject.id) else { return nil }
            query = "SELECT r.id FROM visible_reviews AS r WHERE r.id = \(id)"
        case .user:
            guard !subject.id.utf8.contains(0) else { return nil }
            query = "SELECT u.id FROM users AS u WHERE u.handle = lower(\(subject.id)) OR u.id = \(UserID(subject.id))"
        }
        return try await database.first(query) { try $0.get(0) }
    }

    static func insert(
        _ report: Report, on subject: UUID, by user: UserID, _ database: some PostgresExecutor
    ) async throws {
        try await database.execute(
            """
            INSERT INTO reports (id, reporter_id, subject_kind, subject_id, reason, text, created_at)
            VALUES (\(report.id), \(user), \(report.subject.kind), \(subject), \(report.reason), \(report.text),
                \(report.createdAt))
            """)
    }
}
