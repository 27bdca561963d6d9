// SPDX-License-Identifier: Apache-2.0
import Foundation
import Logging
import MarketAccounts
import MarketCatalog
import MarketIngest
import MarketPlatform
import Moderation

/// What moderation works with.
package struct ModerationDependencies: FeatureDependencies {
    package let ingest: IngestDependencies
    package let settings: ModerationSettings

    package var platform: Platform { ingest.platform }
    package var accounts: AccountDependencies { ingest.accounts }
    package var catalog: CatalogDependencies { ingest.catalog }
    package var limits: ModerationLimits { settings.limits }
    package var risk: RiskPolicy { settings.risk }
    package var reasons: ReasonBook { settings.reasons }

    package init(ingest: IngestDependencies, settings: ModerationSettings) {
        self.ingest = ingest
        self.settings = settings
    }
}

/// What judging submissions and edits works with. It knows nothing of ingest, which hands submissions to it.
package struct RiskDependencies: FeatureDependencies {
    package let platform: Platform
    package let settings: ModerationSettings

    package var limits: ModerationLimits { settings.limits }
    package var risk: RiskPolicy { settings.risk }

    package init(platform: Platform, settings: ModerationSettings) {
        self.platform = platform
        self.settings = settings
    }
}

/// The operator's settings of moderation.
package struct ModerationSettings: Sendable {
    /// How much is allowed.
    package var limits: ModerationLimits
    /// How submissions are judged before a moderator sees them.
    package var risk: RiskPolicy
    /// The canned reasons that moderators choose from.
    package var reasons: ReasonBook

    package init(
        limits: ModerationLimits = ModerationLimits(), risk: RiskPolicy = RiskPolicy(),
        reasons: ReasonBook = ReasonBook()
    ) {
        self.limits = limits
        self.risk = risk
        self.reasons = reasons
    }
}

/// How much moderation allows; each is a setting.
package struct ModerationLimits: Sendable {
    /// How long a moderator's claim holds, in seconds.
    package var claimSeconds = 900.0
    /// By when cases should be decided.
    package var sla = CaseSLA()
    /// How long before its promised time a case counts as due soon, in seconds.
    package var slaWarningSeconds = 6.0 * 3600
    /// From how many downloads on a take-down needs two moderators.
    package var fourEyesInstalls = 500
    /// How long a decision can be appealed, in seconds.
    package var appealSeconds = 30.0 * 86_400
    /// How many reports one person can send within a day.
    package var reportsPerDay = 20
    /// After how long a strike counts half, in seconds.
    package var strikeHalfLifeSeconds = 90.0 * 86_400

    package init() {}
}

/// By when cases should be decided, in seconds from when they were opened; each is a setting.
package struct CaseSLA: Sendable, Equatable {
    /// Uploads, and appeals.
    package var upload: TimeInterval = 72 * 3600
    /// New versions by authors who were approved often enough.
    package var trustedUpdate: TimeInterval = 24 * 3600
    /// Reports.
    package var report: TimeInterval = 24 * 3600
    /// From how many published submissions on an author's new versions count as trusted.
    package var trustedApprovals = 3

    package init() {}
}
