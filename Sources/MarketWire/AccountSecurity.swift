// SPDX-License-Identifier: Apache-2.0
import Foundation
import SheetCore

/// `POST /auth/second-factor`: the second step of signing in.
public struct SecondFactorRequest: Sendable, Codable, Equatable {
    /// What the refusal of the first step gave.
    public var ticket: String
    /// Six digits, or a recovery code.
    public var code: String

    public init(ticket: String, code: String) {
        self.ticket = ticket
        self.code = code
    }
}

/// `POST /auth/confirm`: the holder shows again that it is them. Who has a second factor shows that, others the
/// password.
public struct ConfirmationRequest: Sendable, Codable, Equatable {
    /// The present password, where the account has one.
    public var password: String?
    /// Six digits, or a recovery code.
    public var code: String?

    public init(password: String? = nil, code: String? = nil) {
        self.password = password
        self.code = code
    }
}

/// A sign-in of a browser as its holder sees it.
public struct SessionInfo: Sendable, Codable, Equatable {
    /// Its identifier.
    public var id: SessionID
    /// Such as `Firefox on Linux`.
    public var device: String
    /// The first part of the address it was made from, such as `192.0.2.0/24`.
    public var network: String?
    /// When it was made.
    public var createdAt: Date
    /// Right to a few minutes.
    public var lastSeenAt: Date
    /// When it ends.
    public var expiresAt: Date
    /// Whether it is the one that asks.
    public var isCurrent: Bool

    public init(
        id: SessionID, device: String, network: String?, createdAt: Date, lastSeenAt: Date, expiresAt: Date,
        isCurrent: Bool
    ) {
        self.id = id
        self.device = device
        self.network = network
        self.createdAt = createdAt
        self.lastSeenAt = lastSeenAt
        self.expiresAt = expiresAt
        self.isCurrent = isCurrent
    }
}

/// `GET /me/sessions`.
public struct SessionList: Sendable, Codable, Equatable {
    /// The page's sessions.
    public var sessions: [SessionInfo]
    /// Where the next page begins; `nil` on the last.
    @AlwaysWritten public var nextCursor: String?

    public init(sessions: [SessionInfo], nextCursor: String? = nil) {
        self.sessions = sessions
        self.nextCursor = nextCursor
    }
}

/// `PATCH /me`; what is absent stays.
public struct AccountEdit: Sendable, Codable, Equatable {
    /// The name that people see.
    public var displayName: String?
    /// The language of e-mails: one that the server has.
    public var language: String?

    public init(displayName: String? = nil, language: String? = nil) {
        self.displayName = displayName
        self.language = language
    }
}

/// `PUT /me/password`.
public struct PasswordChange: Sendable, Codable, Equatable {
    /// The present password.
    public var password: String

    public init(password: String) {
        self.password = password
    }
}

/// `PUT /me/email`.
public struct EmailChange: Sendable, Codable, Equatable {
    /// The new one; it becomes the account's when its holder opens the link that is sent there.
    public var email: String

    public init(email: String) {
        self.email = email
    }
}

/// `POST /auth/verify-email`: what the link in the e-mail carries.
public struct EmailVerification: Sendable, Codable, Equatable {
    /// The secret from the e-mail.
    public var token: String

    public init(token: String) {
        self.token = token
    }
}

/// `POST /auth/forgot-password`.
public struct PasswordResetRequest: Sendable, Codable, Equatable {
    /// Handle or e-mail address.
    public var login: String

    public init(login: String) {
        self.login = login
    }
}

/// `POST /auth/reset-password`.
public struct PasswordReset: Sendable, Codable, Equatable {
    /// What the link in the e-mail carries.
    public var token: String
    /// The present password.
    public var password: String

    public init(token: String, password: String) {
        self.token = token
        self.password = password
    }
}

/// `GET /me/second-factor`.
public struct SecondFactorState: Sendable, Codable, Equatable {
    /// Whether it works now.
    public var isEnabled: Bool
    /// Whether the account's role demands one.
    public var isRequired: Bool
    /// How many recovery codes were not used yet.
    public var recoveryCodesLeft: Int

    public init(isEnabled: Bool, isRequired: Bool, recoveryCodesLeft: Int) {
        self.isEnabled = isEnabled
        self.isRequired = isRequired
        self.recoveryCodesLeft = recoveryCodesLeft
    }
}

/// `POST /me/second-factor`: what an authenticator app is told. It counts from when a code of it was shown.
public struct SecondFactorEnrolment: Sendable, Codable, Equatable {
    /// In base 32 (RFC 4648), for typing.
    public var secret: String
    /// `otpauth://totp/…`, for a QR code.
    public var uri: String

    public init(secret: String, uri: String) {
        self.secret = secret
        self.uri = uri
    }
}

/// `POST /me/second-factor/activate`.
public struct SecondFactorCode: Sendable, Codable, Equatable {
    /// Six digits.
    public var code: String

    /// A code of the app.
    public init(code: String) {
        self.code = code
    }
}

/// Codes that take the second factor's place, each once. This is the only time they are shown.
public struct RecoveryCodes: Sendable, Codable, Equatable {
    /// One-time codes for when the second factor is lost; they are shown once.
    public var recoveryCodes: [String]

    public init(recoveryCodes: [String]) {
        self.recoveryCodes = recoveryCodes
    }
}
