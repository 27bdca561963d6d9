// SPDX-License-Identifier: Apache-2.0
import MarketAccounts
import MarketHTTP
import MarketPlatform
import MarketSearch

/// What the catalog works with.
package struct CatalogDependencies: FeatureDependencies {
    package let accounts: AccountDependencies
    /// How much is allowed.
    package let limits: CatalogLimits
    /// Answers to anonymous reads of the catalog; emptied by whatever changes it.
    package let responses: ResponseCache
    /// What searches looked up; emptied likewise, and off where `responses` is.
    package let searches: SearchCache
    /// What games and tags were called before; emptied and off likewise.
    package let formerNames: FormerNameCache
    /// The JSON of templates in lists.
    package let summaries: SummaryCache
    /// The answers about templates in full.
    package let details = DetailCache()
    /// Files that nobody may have, whatever address is shown.
    package let blockedArtifacts: BlockedArtifacts
    /// Told of every edit of a template's entry, in its transaction.
    package let templateEdited: TemplateEditHook

    /// Told of every download.
    package let downloaded: DownloadHook

    /// Corrects the regions of a version.
    package let replaceRegions: ReplaceRegionsHook

    package var platform: Platform { accounts.platform }

    package init(
        accounts: AccountDependencies, limits: CatalogLimits = CatalogLimits(),
        responses: ResponseCache = ResponseCache(), summaries: SummaryCache = SummaryCache(),
        templateEdited: @escaping TemplateEditHook, downloaded: @escaping DownloadHook,
        replaceRegions: @escaping ReplaceRegionsHook
    ) {
        self.accounts = accounts
        self.limits = limits
        self.responses = responses
        searches = SearchCache(seconds: responses.isEnabled ? SearchCache.seconds : 0)
        formerNames = FormerNameCache(seconds: responses.isEnabled ? SearchCache.seconds : 0)
        self.summaries = summaries
        blockedArtifacts = BlockedArtifacts(database: accounts.database)
        self.templateEdited = templateEdited
        self.downloaded = downloaded
        self.replaceRegions = replaceRegions
    }

    /// Empties this node's caches of the catalog; other nodes hear of a change by NOTIFY.
    package func catalogChanged() {
        responses.removeAll()
        searches.removeAll()
        formerNames.removeAll()
    }
}

/// How much the catalog allows; each is a setting.
package struct CatalogLimits: Sendable {
    /// How long a download address holds, in seconds.
    package var downloadSeconds = 900

    package init() {}
}
