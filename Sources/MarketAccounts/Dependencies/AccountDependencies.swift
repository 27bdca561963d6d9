// SPDX-License-Identifier: Apache-2.0
import MarketPlatform
import Postgres
import SheetCore

/// What accounts, sign-in, e-mail and the audit log work with.
package struct AccountDependencies: FeatureDependencies {
    package let platform: Platform
    /// How much is allowed.
    package let limits: AccountLimits
    /// The operator's own file of leaked passwords.
    package let leakedPasswords: LeakedPasswordFile?
    /// The texts of e-mails; `nil` where none are written.
    package let emailTemplates: EmailTemplates?
    /// Providers at whom people can sign in.
    package let signIn: ProviderDirectory
    /// Told when an account loses what was let in before its address was proved. The composition sets it.
    package var unverifiedAccessRemoved: UnverifiedAccessHook = { _, _ in }

    package init(
        platform: Platform, limits: AccountLimits = AccountLimits(), leakedPasswords: LeakedPasswordFile? = nil,
        emailTemplates: EmailTemplates? = nil, signIn: ProviderDirectory = .none
    ) {
        self.platform = platform
        self.limits = limits
        self.leakedPasswords = leakedPasswords
        self.emailTemplates = emailTemplates
        self.signIn = signIn
    }
}

/// Told when an account loses what was let in before its address was proved, in the same transaction: features that
/// accounts know nothing of take theirs away, too.
package typealias UnverifiedAccessHook =
    @Sendable (_ user: UserID, _ connection: PostgresConnection) async throws -> Void

/// How much accounts allow; each is a setting.
package struct AccountLimits: Sendable {
    /// How long a browser stays signed in, in seconds.
    package var sessionSeconds = 30.0 * 86_400
    /// Failed sign-ins per account and quarter of an hour before the next is refused.
    package var signInFailures = 10
    /// Whether moderators and administrators need a second factor before they may work.
    package var staffSecondFactor = false
    /// Whether nobody registers without an e-mail address.
    package var emailRequired = false

    package init() {}
}
