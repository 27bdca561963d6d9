// SPDX-License-Identifier: Apache-2.0
import MarketAccounts
import MarketCatalog
import MarketIngest
import MarketPlatform
import ModerationService

/// What reviews, webhooks and privacy work with.
package struct CommunityDependencies: FeatureDependencies {
    package let moderation: ModerationDependencies
    package let limits: CommunityLimits
    /// Counts what leads people to sheets.
    package let interest: InterestCounter
    /// Redraws people's pictures.
    package let redrawPicture: PictureRedrawing

    package var platform: Platform { moderation.platform }
    package var accounts: AccountDependencies { moderation.accounts }
    package var catalog: CatalogDependencies { moderation.catalog }
    package var ingest: IngestDependencies { moderation.ingest }

    package init(
        moderation: ModerationDependencies, interest: InterestCounter, redrawPicture: @escaping PictureRedrawing,
        limits: CommunityLimits = CommunityLimits()
    ) {
        self.redrawPicture = redrawPicture
        self.moderation = moderation
        self.interest = interest
        self.limits = limits
    }
}

/// How much people are allowed here; each is a setting.
package struct CommunityLimits: Sendable {
    /// How long a person can take the wish to be erased back, in seconds; 0 erases at once.
    package var erasureGraceSeconds = 7.0 * 86_400

    package init() {}
}
