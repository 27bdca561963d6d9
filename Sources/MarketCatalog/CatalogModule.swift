// SPDX-License-Identifier: Apache-2.0
import MarketPlatform
import MarketSearch

extension CatalogDependencies {
    /// The catalog's periodic tasks; the composition decides which process runs them.
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
