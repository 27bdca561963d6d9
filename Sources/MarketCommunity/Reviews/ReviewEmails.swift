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
        try await ReviewEmailStore.areWanted(by: user, platform.database)
    }

    package func set(_ areWanted: Bool, for user: UserID) async throws {
        try await ReviewEmailStore.set(areWanted, for: user, platform.database)
    }

    /// Writes to the authors of what a new review is of, unless nobody is shown it. Not what it says: that can be
    /// hidden or mended later, and a letter cannot.
    static func tellAuthors(of review: ReviewID, in connection: PostgresConnection) async throws {
        for letter in try await ReviewEmailStore.letters(about: review, connection) {
            let message = EmailMessage(
                template: .reviewReceived, to: letter.recipient,
                values: [
                    "sheet": letter.sheet, "address": "/sheets/\(letter.slug)#reviews", "reviewer": letter.reviewer,
                    "stars": DisplayText.number(letter.stars).description,
                ])
            try await Mail.enqueue(message, in: connection)
        }
    }
}

extension EmailTemplate {
    /// Somebody has reviewed a sheet of the person's: `sheet`, `reviewer` (a handle), `stars`, `address` (a path).
    static let reviewReceived = Self(rawValue: "review_received")
}
