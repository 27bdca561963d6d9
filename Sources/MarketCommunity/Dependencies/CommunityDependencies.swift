// SPDX-License-Identifier: Apache-2.0
import Logging
import MarketAccounts
import MarketCatalog
import MarketIngest
import MarketPlatform
import ModerationService

/// What reviews, webhooks and privacy work with.
package struct CommunityDependencies: FeatureDependencies {
    package let moderation: ModerationDependencies
    /// How much is allowed.
    package let limits: CommunityLimits

    package var platform: Platform { moderation.platform }
    package var accounts: AccountDependencies { moderation.accounts }
    package var catalog: CatalogDependencies { moderation.catalog }
    package var ingest: IngestDependencies { moderation.ingest }

    package init(moderation: ModerationDependencies, limits: CommunityLimits = CommunityLimits()) {
        self.moderation = moderation
        self.limits = limits
    }
}

extension CommunityDependencies {
    package var periodicTasks: [PeriodicTask] {
        [
            PeriodicTask("erase people whose time is up", every: .seconds(3600)) {
                try await Erasure(community: self).eraseDue()
            },
            PeriodicTask("begin the day for ratings", every: .seconds(60), firstAfter: .seconds(10)) {
                let moved = try await Ratings(database: database).startDay(at: now())
                if moved > 0 { logger.info("ratings moved with the day", metadata: ["count": "\(moved)"]) }
            },
            PeriodicTask("remove old deliveries to webhooks", every: .seconds(3600), firstAfter: .seconds(3600)) {
                try await WebhookOutbox(database: database, schedule: WebhookSchedule()).sweep()
            },
        ]
    }
}

/// How much is allowed; each is a setting.
package struct CommunityLimits: Sendable {
    /// How long a person can take back that their account shall be erased, in seconds; 0 erases at once.
    package var erasureGraceSeconds = 7.0 * 86_400

    package init() {}
}
