// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import MarketHTTP
import MarketWire
import Moderation
import NIOHTTP1
import Postgres
import SheetCore
import TestSupport
import Testing

@testable import MarketAccounts
@testable import MarketPages
@testable import MarketPlatform
@testable import MemberPages
@testable import ModerationService

@Suite("E-mails to those who send copyright notices")
struct CopyrightEmailTests {
    private static let notices = "\(Paths.base)/copyright/notices"

    /// Delivers all that is due, and returns it.
    private static func emails(_ scene: EnforcementScene) async throws -> [MIMEMessage] {
        let box = RecordingMailDelivery()
        let dispatcher = EmailDispatcher(
            platform: scene.features.platform, templates: try TestPages.emailTemplates.get(), delivery: box,
            sender: try #require(MailAddress("Sheets <sheets@market.example>")), site: "https://market.example")
        while try await dispatcher.deliverDue() > 0 {}
        return box.emails
    }

    private static func send(
        _ scene: EnforcementScene, _ notice: CopyrightNoticeRequest = CopyrightFlowTests.notice(on: "sheet")
    ) async throws -> CopyrightNotice {
        let sent = try await scene.http.send(.POST, notices, json: notice)
        try #require(sent.status == 201, "\(sent.text)")
        return try sent.json(CopyrightNotice.self)
    }

    private static func decide(
        _ notice: CopyrightNotice, _ decision: String, _ message: String, as caller: TestHTTP
    ) async throws {
        let answer = try await caller.send(
            .POST, "\(notices)/\(notice.id)/decision",
            json: CopyrightDecisionRequest(decision: decision, message: message))
        try #require(answer.status == 200, "\(answer.text)")
    }

    @Test("each step brings the claimant an e-mail without an account, the counter-notice with its text and its dates")
    func steps() async throws {
        try await EnforcementScene.run { scene in
            let ada = try await scene.person("ada")
            let mod = try await scene.person("mod", role: .moderator)
            _ = try await scene.template("Sheet", by: ada.id)
            // Those of the tokens.
            _ = try await Self.emails(scene)
            try await scene.features.database.execute(
                "UPDATE users SET email = 'ada@example.org', email_verified_at = now() WHERE handle = 'ada'")
            let notice = try await Self.send(scene)
            let receipt = try #require(try await Self.emails(scene).only)
            #expect(receipt.recipient == "cora@example.org" && receipt.subject.contains("Sheet"))
            #expect(receipt.body.contains(notice.id.description) && receipt.body.contains("https://market.example"))
            // Nothing of what the sender wrote: the address may be somebody else's.
            #expect(!receipt.body.contains("Cora") && !receipt.body.contains("my page"))

            try await Self.decide(notice, "accept", "Looked at it.", as: mod.http)
            // Of one moment, in any order.
            let accepted = try await Self.emails(scene).sorted { $0.recipient > $1.recipient }
            #expect(accepted.map(\.recipient) == ["cora@example.org", "ada@example.org"])
            #expect(accepted[0].subject.contains("taken down") && accepted[0].body.contains("Looked at it."))
            #expect(accepted[1].body.contains("counter-notice") && accepted[1].body.contains("Cora Copeland"))
            #expect(accepted[1].body.contains("https://market.example\(CopyrightPages.home)/\(notice.id)"))
            #expect(!accepted[1].body.contains("1 Main Street"))

            let answer = try await ada.http.send(
                .POST, "\(Self.notices)/\(notice.id)/counter-notice", json: CopyrightFlowTests.counter)
            let counter = try #require(try answer.json(CopyrightNotice.self).counter)
            let forwarded = try #require(try await Self.emails(scene).only)
            for words in [
                "I drew it.", "Ada Author", "2 Side Street", "+1 555 0101", UTCDay(scene.clock.now).text,
                UTCDay(counter.restoreFrom).text, UTCDay(counter.restoreBy).text,
            ] {
                #expect(forwarded.body.contains(words), "\(words)")
            }

            scene.clock.advance(by: counter.restoreFrom.timeIntervalSince(scene.clock.now))
            #expect(try await CopyrightService(moderation: scene.features.moderation).advanceTime() == 1)
            let restored = try #require(try await Self.emails(scene).only)
            #expect(restored.recipient == "cora@example.org" && restored.subject.contains("back"))
            #expect(try await Self.emails(scene).isEmpty)
            let kept = try await scene.features.database.scalar(
                "SELECT count(*) FROM mail_outbox WHERE recipient IS NOT NULL OR details <> '{}'", as: Int.self)
            #expect(kept == 0, "what e-mails said is forgotten when they are sent")
        }
    }

    @Test("a rejection says why, in the claimant's language; a suit and a withdrawal are confirmed")
    func others() async throws {
        try await EnforcementScene.run { scene in
            let ada = try await scene.person("ada")
            let mod = try await scene.person("mod", role: .moderator)
            _ = try await scene.template("Sheet", by: ada.id)
            let rejected = try await Self.send(scene)
            // The scene's market has no e-mails of its own to choose a language from.
            try await scene.features.database.execute("UPDATE copyright_notices SET language = 'de'")
            try await Self.decide(rejected, "reject", "Kein Werk genannt.", as: mod.http)
            let german = try await Self.emails(scene).first { $0.subject.contains("abgelehnt") }
            #expect(german?.body.contains("Kein Werk genannt.") == true)

            let sued = try await Self.send(scene)
            try await Self.decide(sued, "accept", "Fine.", as: mod.http)
            _ = try await ada.http.send(
                .POST, "\(Self.notices)/\(sued.id)/counter-notice", json: CopyrightFlowTests.counter)
            try await Self.decide(sued, "suit", "Told by letter.", as: mod.http)
            try await Self.decide(sued, "withdraw", "Settled.", as: mod.http)
            let subjects = try await Self.emails(scene).filter { $0.recipient == "cora@example.org" }.map(\.subject)
            #expect(subjects.count == 5, "\(subjects)")
            for words in ["came in", "taken down", "counter-notice", "stays down", "is back"] {
                #expect(subjects.count { $0.contains(words) } == 1, "\(words)")
            }
        }
    }

    @Test("an address that proves nothing gets few receipts a day, whoever asks, and no word of a stranger's")
    func abuse() async throws {
        try await EnforcementScene.run { scene in
            let ada = try await scene.person("ada")
            _ = try await scene.template("Sheet", by: ada.id)
            for number in 0..<CopyrightEmails.receiptsPerDay + 3 {
                var notice = CopyrightFlowTests.notice(on: "sheet")
                notice.email = number % 2 == 0 ? "victim@example.org" : "Victim@Example.org"
                notice.name = "Buy at https://evil.example"
                notice.explanation = "https://evil.example"
                _ = try await Self.send(scene, notice)
            }
            let emails = try await Self.emails(scene)
            #expect(emails.count == CopyrightEmails.receiptsPerDay)
            #expect(emails.allSatisfy { !$0.body.contains("evil") && !$0.subject.contains("evil") })
            scene.clock.advance(by: 86_401)
            _ = try await Self.send(scene)
            #expect(try await Self.emails(scene).count == 1)
            let route = try #require(
                scene.node.routes.first { $0.path.hasSuffix("/copyright/notices") && $0.method == .post })
            #expect(route.cost == .upload)
        }
    }
}

extension Array {
    /// The one element there is.
    fileprivate var only: Element? { count == 1 ? first : nil }
}
