// SPDX-License-Identifier: Apache-2.0
import Foundation
import Logging
import MarketPlatform

extension ModerationDependencies {
    package var periodicTasks: [PeriodicTask] {
        [
            PeriodicTask("refresh the reach of cases that wait", every: .seconds(3600)) {
                try await CaseStore.refreshDownloadCounts(in: database)
            },
            PeriodicTask("close cases that can no longer be appealed", every: .seconds(3600)) {
                let end = now().addingTimeInterval(-limits.appealSeconds)
                while try await CaseStore.closeAppealable(before: end, at: now(), in: database) > 0 {}
            },
            PeriodicTask("put back what a counter-notice has freed", every: .seconds(60), firstAfter: .seconds(10)) {
                let count = try await CopyrightService(moderation: self).advanceTime()
                if count > 0 { logger.info("works put back after counter-notices", metadata: ["count": "\(count)"]) }
            },
        ]
    }
}
