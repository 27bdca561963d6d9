// SPDX-License-Identifier: Apache-2.0
import MarketPlatform

extension CatalogDependencies {
    /// What the catalog does from time to time; some process of the market runs it.
    package var periodicTasks: [PeriodicTask] {
        SearchIndex(database: database).periodicTasks(now: now) + CatalogDumps(platform: platform).periodicTasks + [
            PeriodicTask("add up downloads", every: .seconds(60), firstAfter: .seconds(10)) {
                try await DownloadStore.fold(database)
            },
            PeriodicTask("end a day of downloads", every: .seconds(60), firstAfter: .seconds(10)) {
                try await DownloadStore.rotateDays(at: now(), database)
            },
        ]
    }
}
