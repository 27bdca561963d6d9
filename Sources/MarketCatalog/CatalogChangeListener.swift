// SPDX-License-Identifier: Apache-2.0
import MarketPlatform
import Postgres
import ServiceLifecycle

/// Empties this node's caches of the catalog when any node changes it.
package struct CatalogChangeListener: Service {
    private let catalog: CatalogDependencies

    package init(catalog: CatalogDependencies) {
        self.catalog = catalog
    }

    package func run() async throws {
        await cancelWhenGracefulShutdown {
            for await event in catalog.database.listen(["catalog"]) {
                switch event {
                case .notification, .reconnected: catalog.catalogChanged()
                }
            }
        }
    }
}
