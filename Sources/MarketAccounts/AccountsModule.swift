// SPDX-License-Identifier: Apache-2.0
import MarketPlatform

extension AccountDependencies {
    /// Removes what has expired.
    package var periodicTasks: [PeriodicTask] {
        [
            PeriodicTask("remove sessions and tokens that are over", every: .seconds(3600)) {
                try await SessionStore.deleteExpired(at: now(), in: database)
                try await CredentialStore.deleteExpired(at: now(), in: database)
            },
            PeriodicTask("remove sign-ins that nobody finished", every: .seconds(3600)) {
                try await SignInStore.deleteExpired(at: now(), in: database)
            },
            PeriodicTask("remove old sign-in failures", every: .seconds(3600)) {
                try await SignInAttempts.deleteExpired(at: now(), in: database)
            },
            PeriodicTask("remove e-mails that are over", every: .seconds(3600)) {
                try await MailStore.deleteExpired(in: database)
                try await MailLinkStore.deleteExpired(at: now(), in: database)
            },
        ]
    }
}
