// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import HummingbirdTesting
import MarketPages
import MarketPlatform
import MarketWire
import Postgres
import SheetCore
import Synchronization
import TestSupport
import Testing

@testable import MarketAccounts

/// Takes e-mails and keeps them; refuses the first few when told to.
final class RecordingMailDelivery: MailDelivery {
    private struct State {
        var emails: [MIMEMessage] = []
        var refusals: Int
        var isFinal = false
    }

    private let state: Mutex<State>

    init(refusals: Int = 0, isFinal: Bool = false) {
        state = Mutex(State(refusals: refusals, isFinal: isFinal))
    }

    var emails: [MIMEMessage] { state.withLock { $0.emails } }
    let summary = "e-mails are kept by a test"

    func deliver(_ message: MIMEMessage) async throws {
        SuiteLog.note(message: message.body)
        try state.withLock { state in
            if state.refusals > 0 {
                state.refusals -= 1
                throw MailDeliveryError("the box is full", isFinal: state.isFinal)
            }
            state.emails.append(message)
        }
    }
}

extension AccountsScene {
    func dispatcher(_ box: any MailDelivery) throws -> EmailDispatcher {
        EmailDispatcher(
            platform: features.platform, templates: try #require(features.accounts.emailTemplates), delivery: box,
            sender: try #require(MailAddress("Sheets <sheets@market.example>")), site: "https://market.example")
    }

    /// Lets all that waits be due; answers how many seconds that took at the longest.
    func endPauses() async throws -> Double {
        try await features.database.scalar(
            """
            WITH waiting AS (
                SELECT id, extract(epoch FROM next_attempt_at - now())::float8 AS seconds FROM mail_outbox
                WHERE state = 'waiting' AND next_attempt_at > now()
            ), due AS (
                UPDATE mail_outbox AS m SET next_attempt_at = now() FROM waiting AS w WHERE m.id = w.id
            )
            SELECT coalesce(max(seconds), 0) FROM waiting
            """)
    }

    /// Delivers all that is due, and returns it.
    func emails() async throws -> [MIMEMessage] {
        let box = RecordingMailDelivery()
        let dispatcher = try dispatcher(box)
        while try await dispatcher.deliverDue() > 0 {}
        return box.emails
    }

    /// Somebody with a proved address.
    func proven(_ handle: String, role: UserRole = .user) async throws {
        _ = try await person(handle, role: role)
        try await features.database.execute("UPDATE users SET email_verified_at = now() WHERE handle = \(handle)")
        _ = try await emails()
    }

    /// The problem's ticket.
    func ticket(_ answer: TestResponse) throws -> String {
        try #require(try answer.json(ProblemDocument.self).ticket)
    }

    /// Sets up a second factor over HTTP; returns what makes its codes, and the recovery codes.
    func enrol(_ browser: Caller) async throws -> (codes: OneTimeCode, recovery: [String]) {
        let begun = try await send(.post, "/me/second-factor", as: browser, headers: .sameOrigin)
        #expect(begun.status == .created)
        let generator = OneTimeCode(secret: Self.bytes(base32: try begun.json(SecondFactorEnrolment.self).secret))
        let code = generator.code(step: OneTimeCode.step(at: clock.now))
        let done = try await send(
            .post, "/me/second-factor/activate", json: SecondFactorCode(code: code), as: browser, headers: .sameOrigin)
        #expect(done.status == .ok)
        return (generator, try done.json(RecoveryCodes.self).recoveryCodes)
    }

    static func bytes(base32 text: String) -> [UInt8] {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
        var bytes: [UInt8] = []
        var buffer = 0
        var bits = 0
        for character in text {
            buffer = (buffer << 5 | (alphabet.firstIndex(of: character) ?? 0)) & 0xFFFF
            bits += 5
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(truncatingIfNeeded: buffer >> bits))
            }
        }
        return bytes
    }
}

extension MIMEMessage {
    /// What the e-mail's link carries.
    var token: String? { body.firstMatch(of: /token=([0-9A-Za-z]+)/).map { String($0.1) } }
}
