// SPDX-License-Identifier: Apache-2.0
import MarketPlatform

extension AccountDependencies {
    /// Removes what has expired.
    package var periodicTasks: [PeriodicTask] {
        [
            PeriodicTask("remove sessions and tokens that are over", every: .seconds(3600)) {
                try await SessionStore.sweep(at: now(), in: database)
                try await CredentialStore.sweep(at: now(), in: database)
            },
            PeriodicTask("remove sign-ins that nobody finished", every: .seconds(3600)) {
                try await SignInStore.sweep(at: now(), in: database)
            },
            PeriodicTask("remove old sign-in failures", every: .seconds(3600)) {
                try await SignInAttempts.sweep(at: now(), in: database)
            },
            PeriodicTask("remove e-mails that are over", every: .seconds(3600)) {
                try await MailStore.sweep(at: now(), in: database)
                try await MailLinkStore.sweep(at: now(), in: database)
            },
        ]
    }
}
