// SPDX-License-Identifier: Apache-2.0
import MarketAccounts
import MarketCatalog
import MarketCommunity
import MarketIngest
import ModerationService

/// How much is allowed, by feature; each is a setting.
package struct MarketLimits: Sendable {
    package var accounts = AccountLimits()
    package var catalog = CatalogLimits()
    package var ingest = IngestLimits()
    package var moderation = ModerationLimits()
    package var community = CommunityLimits()
    /// How long a job's lease holds before another worker may take it, in seconds.
    package var leaseSeconds = 30.0

    package init() {}
}
