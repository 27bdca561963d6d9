// SPDX-License-Identifier: Apache-2.0
import MarketHTTP

/// Addresses that pages of different features lead to.
extension PagePaths {
    static let security = "/account/security"
    static let webhooks = "/account/webhooks"
    /// Where moderators change collections.
    static let collectionForms = "/moderation/collections"
    static let newestFeed = "/feeds/newest.atom"

    static func author(_ handle: String) -> String { "/authors/\(handle)" }
    static func systemFeed(_ slug: String) -> String { "/feeds/systems/\(slug).atom" }
    static func authorFeed(_ handle: String) -> String { "/feeds/authors/\(handle).atom" }
    static func templateFeed(_ slug: String) -> String { "/feeds/templates/\(slug).atom" }
}
