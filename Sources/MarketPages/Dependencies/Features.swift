// SPDX-License-Identifier: Apache-2.0
import MarketAccounts
import MarketCatalog
import MarketCommunity
import MarketIngest
import MarketPlatform
import ModerationService

/// The dependencies of all features, as the composition put them together.
package struct Features: FeatureDependencies {
    package let community: CommunityDependencies

    package var platform: Platform { community.platform }
    package var accounts: AccountDependencies { community.accounts }
    package var catalog: CatalogDependencies { community.catalog }
    package var ingest: IngestDependencies { community.ingest }
    package var moderation: ModerationDependencies { community.moderation }

    package init(community: CommunityDependencies) {
        self.community = community
    }
}
