// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketAccounts
import MarketPlatform
import Postgres
import SheetCore

/// Letters about reviews, for authors who asked for them: one for each review of one of their sheets, none for what
/// becomes of it later.
package struct ReviewEmails: Sendable {
    private let platform: Platform

    package init(platform: Platform) {
        self.platform = platform
    }

    package func areWanted(by user: UserID) async throws -> Bool {
        try await platform.database.first(
            "SELECT FROM news_readers WHERE user_id = \(user) AND wants_review_emails"
        ) { _ in true } ?? false
    }

    package func set(_ areWanted: Bool, for user: UserID) async throws {
        try await platform.database.execute(
            """
            INSERT INTO news_readers (user_id, wants_review_emails) VALUES (\(user), \(areWanted))
            ON CONFLICT (user_id) DO UPDATE SET wants_review_emails = excluded.wants_review_emails
            """)
    }

    /// Writes to the authors of what a new review is of, unless nobody is shown it. Not what it says: that can be
    /// hidden or mended later, and a letter cannot.
    static func tellAuthors(of review: ReviewID, at now: Date, in connection: PostgresConnection) async throws {
        let letters = try await connection.all(
            """
            SELECT n.user_id, t.name, t.slug, u.handle, r.stars
            FROM visible_reviews AS r
            JOIN templates AS t ON t.id = r.template_id
            JOIN users AS u ON u.id = r.user_id
            CROSS JOIN LATERAL (
                SELECT t.owner_id AS user_id
                UNION SELECT a.user_id FROM template_authors AS a WHERE a.template_id = t.id
            ) AS w
            JOIN news_readers AS n ON n.user_id = w.user_id AND n.wants_review_emails
            WHERE r.id = \(review)
            """
        ) { row in
            let stars: Int = try row.get(4)
            return EmailMessage(
                template: .reviewReceived, to: try row.get(0),
                values: [
                    "sheet": try row.get(1), "address": "/sheets/\(try row.get(2, as: String.self))#reviews",
                    "reviewer": try row.get(3), "stars": DisplayText.number(stars).description,
                ])
        }
        for letter in letters { try await Mail.enqueue(letter, in: connection, at: now) }
    }
}

extension EmailTemplate {
    /// Somebody has reviewed a sheet of the person's: `sheet`, `reviewer` (a handle), `stars`, `address` (a path).
    static let reviewReceived = Self(rawValue: "review_received")
}
