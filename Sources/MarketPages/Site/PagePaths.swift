// SPDX-License-Identifier: Apache-2.0
import MarketHTTP
import MarketWire
import SheetCore

/// Addresses that pages of different features lead to.
extension PagePaths {
    package static let security = "/account/security"
    package static let signInLink = "/sign-in-link"
    package static let webhooks = "/account/webhooks"
    package static let following = "/account/following"
    package static let ownSheets = "/account/sheets"
    /// Where moderators change collections.
    package static let collectionForms = "/moderation/collections"
    /// Where moderators open a case.
    package static let newCaseForm = "/moderation/new-case"
    /// Where moderators read what reviews said before.
    package static let reviewHistories = "/moderation/reviews"
    package static let newestFeed = "/feeds/newest.atom"

    /// The card that other sites frame.
    package static func card(_ slug: String) -> String { "/embed/\(slug)" }
    package static func badge(_ slug: String) -> String { PagePaths.sheet(slug, "badge.svg") }
    package static func reviewHistory(_ id: ReviewID) -> String { "\(reviewHistories)/\(id)" }
    package static func newCase(_ subject: ReportSubject) -> String {
        PageAddress(newCaseForm).with("kind", subject.kind.rawValue).with("id", subject.id).text
    }
    package static func author(_ handle: String) -> String { "/authors/\(handle)" }
    package static func systemFeed(_ slug: String) -> String { "/feeds/systems/\(slug).atom" }
    package static func authorFeed(_ handle: String) -> String { "/feeds/authors/\(handle).atom" }
    package static func templateFeed(_ slug: String) -> String { "/feeds/templates/\(slug).atom" }
}
