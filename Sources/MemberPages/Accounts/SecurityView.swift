// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketAccounts
import MarketHTTP
import MarketPages
import MarketPlatform
import MarketWire
import SheetCore

/// What guards an account, in words.
struct SecurityView: Sendable {
    /// A form of the page.
    enum Place: Sendable {
        case profile, password, email
    }

    /// What was just done.
    enum Note: String, Sendable {
        case profile, password, email, sessions
        case factorOff = "second-factor-off"

        init?(_ text: String?) {
            guard let note = text.flatMap(Note.init(rawValue:)) else { return nil }
            self = note
        }

        var text: Phrase {
            switch self {
            case .profile: "Saved."
            case .password: "Your password is changed, and all other browsers are signed out."
            case .email: "An e-mail with a link is on its way. It works for a day."
            case .sessions: "Signed out."
            case .factorOff: "Your second factor is off."
            }
        }
    }

    struct Browser: Sendable {
        let id: String
        let device: Phrase
        let network: Phrase
        let begun: DisplayTime
        let seen: DisplayTime
        let isCurrent: Bool
    }

    let handle: String
    let displayName: String
    let email: String?
    let isVerified: Bool
    let canResend: Bool
    let hasPassword: Bool
    let isConfirmed: Bool
    let hasFactor: Bool
    let mayTurnOff: Bool
    let codesLeft: Phrase
    let fewCodes: Bool
    let browsers: [Browser]
    let hasOthers: Bool
    let moreBrowsers: String?
    let languages: [Choice]
    let note: Phrase?
    let profileProblem: Phrase?
    let passwordProblem: Phrase?
    let emailProblem: Phrase?

    init(
        user: UserRecord, factor: SecondFactorState, sessions: SessionList, isConfirmed: Bool, languages: [String],
        note: Note?, place: Place?, problem: FormProblem?, now: Date
    ) {
        handle = user.handle
        displayName = user.displayName
        email = user.deliverableEmail
        isVerified = user.emailVerifiedAt != nil
        canResend = user.deliverableEmail != nil && user.emailVerifiedAt == nil
        hasPassword = user.passwordHash != nil
        self.isConfirmed = isConfirmed
        hasFactor = factor.isEnabled
        mayTurnOff = factor.isEnabled && !factor.isRequired
        codesLeft = DisplayText.count(factor.recoveryCodesLeft, "recovery code")
        fewCodes = factor.recoveryCodesLeft < 3
        browsers = sessions.sessions.map {
            Browser(
                id: $0.id.description, device: Self.device($0.device),
                network: $0.network.map { Phrase(verbatim: $0) } ?? "unknown",
                begun: DisplayTime($0.createdAt, now: now), seen: DisplayTime($0.lastSeenAt, now: now),
                isCurrent: $0.isCurrent)
        }
        hasOthers = browsers.contains { !$0.isCurrent }
        moreBrowsers = sessions.nextCursor.map {
            PageAddress(PagePaths.security).with("browsers", $0).text + "#browsers"
        }
        self.languages = languages.map {
            Choice(
                value: $0, label: DisplayText.language($0), isSelected: $0 == user.language ?? EmailTemplates.standard)
        }
        self.note = problem == nil ? note?.text : nil
        let words = problem.map { problem in
            problem.mistakes.isEmpty ? problem.summary : problem.mistakeText
        }
        profileProblem = place == .profile ? words : nil
        passwordProblem = place == .password ? words : nil
        emailProblem = place == .email ? words : nil
    }
}

extension SecurityView {
    /// `Firefox on Linux`, or what is known.
    private static func device(_ text: String) -> Phrase {
        guard let place = text.firstRange(of: " on ") else { return Phrase(told: text) }
        return "\(text[..<place.lowerBound]) on \(text[place.upperBound...])"
    }
}

/// Asks once more who is there.
struct ConfirmView: Sendable {
    let handle: String
    let next: String
    let asksForCode: Bool
    let hasPassword: Bool
    let problem: Phrase?
}

/// Setting up a second factor.
struct EnrolView: Sendable {
    let secret: String?
    let uri: String?
    let qr: QRCode?
    let isRequired: Bool
    let problem: Phrase?

    init(enrolment: SecondFactorEnrolment?, isRequired: Bool, problem: FormProblem?) {
        // In groups of four, for typing.
        secret = enrolment.map { enrolment in
            let letters = Array(enrolment.secret)
            return stride(from: 0, to: letters.count, by: 4)
                .map { String(letters[$0..<min($0 + 4, letters.count)]) }.joined(separator: " ")
        }
        uri = enrolment?.uri
        qr = enrolment.flatMap { QRCode($0.uri) }
        self.isRequired = isRequired
        self.problem = problem?.summary
    }
}

/// Codes that are shown this once.
struct RecoveryCodesView: Sendable {
    let codes: [String]
    let isNew: Bool
}
