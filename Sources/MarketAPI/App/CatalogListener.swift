// SPDX-License-Identifier: Apache-2.0
import Postgres
import ServiceLifecycle

/// Forgets what was made of the catalog when any node changes it.
struct CatalogListener: Service {
    let market: Market

    func run() async throws {
        await cancelWhenGracefulShutdown {
            for await event in market.database.listen(["catalog"]) {
                switch event {
                case .notification, .reconnected: market.catalogChanged()
                }
            }
        }
    }
}
