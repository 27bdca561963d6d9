// SPDX-License-Identifier: Apache-2.0
import MarketCatalog
import MarketPages
import MarketPlatform
import Postgres
import ServiceLifecycle

/// Forgets what was made of the catalog when any node changes it.
struct CatalogChangeListener: Service {
    let features: Features

    func run() async throws {
        await cancelWhenGracefulShutdown {
            for await event in features.database.listen(["catalog"]) {
                switch event {
                case .notification, .reconnected: features.catalog.catalogChanged()
                }
            }
        }
    }
}
