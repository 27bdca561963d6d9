// SPDX-License-Identifier: Apache-2.0
import MarketCatalog
import MarketPlatform
import Postgres

/// The pages on offer whose zoom regions somebody corrected, as `Training/` reads them: an operator can measure the finding
/// of regions on the own catalog, and train it anew.
package struct CorrectionExport: Sendable {
    /// What there is.
    package struct Result: Sendable {
        /// Pages that may be used, by template and page.
        package var pages: [CorrectedPageLabel] = []
        /// Corrected pages whose owner has not allowed it.
        package var withoutConsent = 0
        /// Others whose licence does not allow changed copies.
        package var withoutLicense = 0
    }

    private let database: PostgresClient

    package init(platform: Platform) {
        database = platform.database
    }

    /// Reads all of them.
    package func result() async throws -> Result {
        var result = Result()
        for page in try await CorrectionStore.pages(database) where page.label.isCorrected {
            if !page.isAllowed {
                result.withoutConsent += 1
            } else if !LicenseCatalog.allowsChangedCopies(page.label.license) {
                result.withoutLicense += 1
            } else {
                result.pages.append(page.label)
            }
        }
        return result
    }
}
