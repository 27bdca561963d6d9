// SPDX-License-Identifier: Apache-2.0
import SheetCore

/// Which e-mail: the name of a file in `web/mail/LANGUAGE/`.
package struct EmailTemplate: RawRepresentable, Hashable, Sendable {
    /// The file's name without `.mustache`.
    package let rawValue: String

    /// Any name; an e-mail whose template is missing is not sent, and the log says so.
    package init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Proves an address: carries a link.
    package static let verify = Self(rawValue: "verify")
    /// Sets a new password: carries a link.
    package static let reset = Self(rawValue: "reset")
    /// Somebody wants an address that has an account.
    package static let addressTaken = Self(rawValue: "address_taken")
    /// To the old address: the account has another now.
    package static let emailChanged = Self(rawValue: "email_changed")
    /// A sign-in from a browser or network not seen before: `device`, `network`, `time`.
    package static let signIn = Self(rawValue: "sign_in")
    /// The password is another now.
    package static let passwordChanged = Self(rawValue: "password_changed")
    /// The second factor: `on`, `off`, `codes` or `reset` says what became of it.
    package static let secondFactorChanged = Self(rawValue: "second_factor_changed")
    /// A recovery code was used up: `left` says how many are left.
    package static let recoveryCodeUsed = Self(rawValue: "recovery_code_used")
    /// A token was made: `token`, `scopes`, and each scope by itself, as `templates_write`.
    package static let tokenMade = Self(rawValue: "token_made")
    /// Somebody who held a token revoked it: `token`.
    package static let tokenRevoked = Self(rawValue: "token_revoked")
    /// A way to sign in: `provider`; `linked` or `unlinked` says what became of it, as `change` does in a word.
    package static let identityChanged = Self(rawValue: "identity_changed")
    /// The account will be erased: `day`.
    package static let erasureScheduled = Self(rawValue: "erasure_scheduled")
    /// A submission was decided: `sheet`, `version`, the state that it is in now, `message`, `address` (a path).
    package static let submissionDecided = Self(rawValue: "submission_decided")
    /// The checks refused a submission before a moderator saw it: `sheet`, `version`, `reasons`, `address`.
    package static let submissionRefused = Self(rawValue: "submission_refused")
    /// A small update was published at once: `sheet`, `version`, `address`.
    package static let submissionPublished = Self(rawValue: "submission_published")
    /// What came out of what somebody follows: `count`, `sheet1` to `sheet5` with author and game, `more`.
    package static let news = Self(rawValue: "news")
    /// To whoever sent a copyright notice: it came in. `notice`, `sheet`; no word of the sender's, since nobody has
    /// proved that the address is theirs.
    package static let copyrightReceived = Self(rawValue: "copyright_received")
    /// To the same: a moderator decided. `accepted` or `rejected`, `message`.
    package static let copyrightDecided = Self(rawValue: "copyright_decided")
    /// To the same: the author objected. `received`, `restore_from`, `restore_by`, and what they said.
    package static let copyrightCountered = Self(rawValue: "copyright_countered")
    /// To the same: it is over, or in court. `restored`, `withdrawn` or `suit_filed`.
    package static let copyrightClosed = Self(rawValue: "copyright_closed")
    /// To the author: the work was taken down, and how to object. `notice`, `sheet`, `claimant`, `work`.
    package static let copyrightTakenDown = Self(rawValue: "copyright_taken_down")
}

/// An e-mail to a person.
package struct EmailMessage: Sendable {
    package var template: EmailTemplate
    /// To whom.
    package var to: UserID
    /// What the template puts in. Plain words: line ends and other control characters are taken out.
    package var values: [String: String]

    package init(template: EmailTemplate, to: UserID, values: [String: String] = [:]) {
        self.template = template
        self.to = to
        self.values = values
    }
}
