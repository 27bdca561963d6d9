// SPDX-License-Identifier: Apache-2.0
import Logging
import MarketPlatform
import Postgres

extension CommunityDependencies {
    package var periodicTasks: [PeriodicTask] {
        [
            PeriodicTask("erase people whose time is up", every: .seconds(3600)) {
                try await Erasure(community: self).eraseDue()
            },
            PeriodicTask("send news by e-mail", every: .seconds(60), firstAfter: .seconds(30)) {
                let sent = try await NewsEmails(platform: platform).sendDue()
                if sent > 0 { logger.info("news sent by e-mail", metadata: ["count": "\(sent)"]) }
            },
            PeriodicTask("begin the day for ratings", every: .seconds(60), firstAfter: .seconds(10)) {
                let moved = try await Ratings(database: database).startDay(at: now())
                if moved > 0 { logger.info("ratings moved with the day", metadata: ["count": "\(moved)"]) }
            },
            PeriodicTask("forget old statistics of sheets", every: .seconds(86_400), firstAfter: .seconds(600)) {
                try await StatisticsStore.deleteOld(at: now(), database)
            },
            PeriodicTask("remove old deliveries to webhooks", every: .seconds(3600), firstAfter: .seconds(3600)) {
                try await WebhookOutbox(database: database, schedule: WebhookSchedule()).deleteExpired()
            },
        ]
    }
}
