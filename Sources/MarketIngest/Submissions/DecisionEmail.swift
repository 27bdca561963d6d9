// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketAccounts
import Postgres
import SheetCore

/// Tells an uploader what a moderator decided, or what happened to an upload without one.
package enum DecisionEmail {
    /// Enqueues the e-mail in the decision's transaction; states that no decision leads to send none.
    package static func enqueue(
        _ submission: SubmissionID, moved state: SubmissionState, by id: CaseID, in connection: PostgresConnection
    ) async throws {
        guard [.published, .rejected, .changesRequested].contains(state) else { return }
        let message = try await connection.first(
            """
            SELECT s.uploader_id, s.version, COALESCE(s.metadata->>'name', t.name) AS name,
                (SELECT d.message FROM decisions AS d WHERE d.case_id = \(id) ORDER BY d.decided_at DESC, d.id DESC LIMIT 1)
                    AS message
            FROM submissions AS s JOIN templates AS t ON t.id = s.template_id
            WHERE s.id = \(submission)
            """
        ) { row in
            // The template picks its words by the state, so that they are in its language.
            var values = [
                "sheet": try row.get("name", as: String.self), "version": try row.get("version", as: String.self),
                "address": "/submissions/\(submission)", state.rawValue: "yes",
            ]
            if let words = try row.get("message", as: String?.self), !words.isEmpty { values["message"] = words }
            return EmailMessage(template: .submissionDecided, to: try row.get("uploader_id"), values: values)
        }
        if let message { try await Mail.enqueue(message, in: connection) }
    }

    /// So much of the reasons goes into the e-mail; the page has all of them.
    private static let reasonsLength = 1500

    /// Enqueues an e-mail in the transaction in which the checks refuse a submission.
    static func enqueueRefusal(
        of submission: SubmissionID, because findings: [Finding], in connection: PostgresConnection
    ) async throws {
        let reasons = findings.filter { $0.severity == .blocker }.map(\.message).joined(separator: " ")
        try await enqueue(
            .submissionRefused, of: submission, values: ["reasons": String(reasons.prefix(reasonsLength))],
            in: connection)
    }

    /// Enters an e-mail in the transaction in which a submission is published without a moderator.
    package static func enqueuePublication(
        of submission: SubmissionID, in connection: PostgresConnection
    ) async throws {
        try await enqueue(.submissionPublished, of: submission, values: [:], in: connection)
    }

    private static func enqueue(
        _ template: EmailTemplate, of submission: SubmissionID, values: [String: String],
        in connection: PostgresConnection
    ) async throws {
        let message = try await connection.first(
            """
            SELECT s.uploader_id, s.version, COALESCE(s.metadata->>'name', t.name) AS name
            FROM submissions AS s JOIN templates AS t ON t.id = s.template_id WHERE s.id = \(submission)
            """
        ) { row in
            let own = [
                "sheet": try row.get("name", as: String.self), "version": try row.get("version", as: String.self),
                "address": "/submissions/\(submission)",
            ]
            return EmailMessage(
                template: template, to: try row.get("uploader_id"), values: values.merging(own) { $1 })
        }
        if let message { try await Mail.enqueue(message, in: connection) }
    }
}
