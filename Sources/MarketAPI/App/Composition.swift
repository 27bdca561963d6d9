// SPDX-License-Identifier: Apache-2.0
import MarketAccounts
import MarketCatalog
import MarketCommunity
import MarketHTTP
import MarketIngest
import MarketPages
import MarketPlatform
import MarketSearch
import MarketTrust
import ModerationService

extension Features {
    /// Puts the features together: what a lower one tells a higher one is handed down here.
    package init(
        accounts: AccountDependencies, limits: MarketLimits = MarketLimits(),
        responses: ResponseCache = ResponseCache(), summaries: SummaryCache = SummaryCache(),
        importableSuffixes: Set<String> = [], moderation settings: ModerationSettings = ModerationSettings(),
        redrawPicture: @escaping PictureRedrawing = { _, _ in throw ProfilePictureError.busy }
    ) {
        var accounts = accounts
        accounts.unverifiedAccessRemoved = { try await WebhookStore.deleteAll(of: $0, $1) }
        let interest = InterestCounter(platform: accounts.platform)
        let risk = RiskDependencies(platform: accounts.platform, settings: settings)
        let catalog = CatalogDependencies(
            accounts: accounts, limits: limits.catalog, responses: responses, summaries: summaries,
            templateEdited: EditMonitor(moderation: risk).inspect,
            downloaded: { await interest.noteDownload($0, address: $1, isByProgram: $2) },
            replaceRegions: IngestStore.replaceRegions)
        let ingest = IngestDependencies(
            catalog: catalog, limits: limits.ingest, importableSuffixes: importableSuffixes,
            review: SubmissionRouting(risk))
        let moderation = ModerationDependencies(ingest: ingest, settings: settings)
        self.init(
            community: CommunityDependencies(
                moderation: moderation, interest: interest, redrawPicture: redrawPicture, limits: limits.community))
    }

    /// The periodic tasks of all features.
    package var periodicTasks: [PeriodicTask] {
        platform.periodicTasks + [IdempotencyStore.periodicTask(database), RateLimitStore.periodicTask(database)]
            + accounts.periodicTasks + catalog.periodicTasks + ingest.periodicTasks + moderation.periodicTasks
            + community.periodicTasks + TrustModule.periodicTasks(platform)
    }

    /// Where all features keep sealed values.
    package static let sealedColumns = [
        SecondFactorService.sealedColumn, WebhookService.sealedColumn, TrustKeyStore.sealedColumn,
    ]
}
