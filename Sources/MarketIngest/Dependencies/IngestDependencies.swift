// SPDX-License-Identifier: Apache-2.0
import MarketAccounts
import MarketCatalog
import MarketPlatform

/// What uploads and their inspection work with.
package struct IngestDependencies: FeatureDependencies {
    package let catalog: CatalogDependencies
    /// How much is allowed.
    package let limits: IngestLimits
    /// Suffixes of files that outside importers want to see, without the dot.
    package let importableSuffixes: Set<String>
    /// Where submissions go once they were inspected.
    package let review: any SubmissionReview

    package var platform: Platform { catalog.platform }
    package var accounts: AccountDependencies { catalog.accounts }

    package init(
        catalog: CatalogDependencies, limits: IngestLimits = IngestLimits(), importableSuffixes: Set<String> = [],
        review: any SubmissionReview
    ) {
        self.catalog = catalog
        self.limits = limits
        self.importableSuffixes = importableSuffixes
        self.review = review
    }
}

/// How much uploads may be; each is a setting.
package struct IngestLimits: Sendable {
    /// Largest file of an upload, in bytes.
    package var uploadBytes = 50 << 20

    package init() {}
}
