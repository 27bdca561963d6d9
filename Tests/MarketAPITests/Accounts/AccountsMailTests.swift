// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import HummingbirdTesting
import MarketPlatform
import MarketWire
import Postgres
import SheetCore
import TestSupport
import Testing

@testable import MarketAccounts
@testable import MarketContract
@testable import Outgoing

@Suite("E-mails")
struct AccountsMailTests {
    private static func message(subject: String, body: String = "Hello.", from: String = "a@b.example") throws
        -> MIMEMessage
    {
        MIMEMessage(
            sender: try #require(MailAddress(from)), recipient: "ada@example.org", subject: subject, body: body,
            id: "7", date: Date(timeIntervalSince1970: 1_800_000_000))
    }

    @Test("an e-mail is a message as RFC 5322 has it, in ASCII, with no line too long")
    func form() throws {
        let long = String(repeating: "Überraschung ", count: 40)
        let message = try Self.message(
            subject: long, body: "\(long)\n.\nTail with blank \nx=y\n\n", from: "Große Bögen <a@b.example>")
        let bytes = message.encoded
        #expect(bytes.allSatisfy { $0 < 128 })
        let text = String(decoding: bytes, as: UTF8.self)
        let lines = text.components(separatedBy: "\r\n")
        #expect(lines.allSatisfy { $0.utf8.count <= 78 && !$0.contains("\n") && !$0.contains("\r") })
        #expect(lines.contains("Date: Fri, 15 Jan 2027 08:00:00 +0000"))
        #expect(lines.contains("Message-ID: <7@b.example>") && lines.contains("Auto-Submitted: auto-generated"))
        #expect(lines.contains("To: ada@example.org"))
        #expect(text.contains("Tail with blank=20\r\nx=3Dy\r\n"))
    }

    @Test("what Python's own reader makes of an e-mail is what was written")
    func readByOthers() async throws {
        let subject = "„Bögen“ =?utf-8?B?eA==?= ✓ " + String(repeating: "日本語", count: 30)
        let body = "Grüße = 100 % \t\n\n.\nFrom here\n" + String(repeating: "ä", count: 300)
        let folder = try ScratchFolder("letters")
        let file = folder.url.appendingPathComponent("letter.eml")
        try Data(try Self.message(subject: subject, body: body, from: "Große Bögen <a@b.example>").encoded).write(
            to: file)
        let script = """
            from email import message_from_binary_file, policy; import json, sys
            m = message_from_binary_file(open(sys.argv[1], "rb"), policy=policy.default)
            print(json.dumps({"subject": m["subject"], "from": m["from"].addresses[0].display_name,
                "body": m.get_content().replace("\\r\\n", "\\n"), "defects": [str(d) for d in m.defects]}))
            """
        let outcome = try await Command.run(
            URL(fileURLWithPath: "/usr/bin/python3"), ["-c", script, file.path])
        let read = try JSONValue.read(outcome.output)
        #expect(read["subject"]?.text == subject)
        #expect(read["from"]?.text == "Große Bögen")
        #expect(read["body"]?.text?.trimmingCharacters(in: .newlines) == body)
        #expect(read["defects"]?.items == [])
    }

    @Test("no value puts a line of its own into an e-mail's header, or a second subject")
    func injection() throws {
        let templates = try TestPages.emailTemplates.get()
        let evil = "x\r\nBcc: everybody@example.org\r\n\r\nhttps://evil.example\u{2028}\u{0}"
        let message = try #require(
            templates.message(
                .submissionDecided, language: "en",
                values: [
                    "sheet": evil, "version": evil, "published": evil, "message": evil, "name": evil,
                    "site": "https://m.example",
                ]))
        let text = String(decoding: try Self.message(subject: message.subject).encoded, as: UTF8.self)
        #expect(!text.contains("\r\nBcc") && text.components(separatedBy: "\r\n\r\n").count == 2)
        #expect(MailAddress("a@b.example\r\nBcc: c@d.example") == nil && MailAddress("A\nB <a@b.example>") == nil)
        #expect(MailAddress("Ada <ada@example.org>")?.name == "Ada")
    }

    @Test("every e-mail there is exists in every language, and an operator's own texts win")
    func templates() throws {
        let templates = try TestPages.emailTemplates.get()
        #expect(templates.languages == ["de", "en"])
        let names: [EmailTemplate] = [
            .verify, .reset, .addressTaken, .emailChanged, .signIn, .passwordChanged, .secondFactorChanged,
            .recoveryCodeUsed, .tokenMade, .submissionDecided, .submissionRefused, .submissionPublished,
            .copyrightReceived, .copyrightDecided, .copyrightCountered,
            .copyrightClosed, .copyrightTakenDown,
        ]
        for name in names {
            let english = try #require(templates.message(name, language: "en", values: ["site": "https://m.example"]))
            let german = try #require(templates.message(name, language: "de-AT", values: ["site": "https://m.example"]))
            #expect(english.body != german.body && !english.subject.isEmpty, "\(name)")
            #expect(english.body.contains("https://m.example") && !english.body.contains("{{"), "\(name)")
            #expect(templates.message(name, language: "fi", values: ["site": "https://m.example"]) == english)
        }
        #expect(templates.message(EmailTemplate(rawValue: "nothing"), language: "en", values: [:]) == nil)
        #expect(templates.language(for: "fr;q=0.9, de-CH;q=0.8, en;q=0.1") == "de")
        #expect(templates.language(for: "fr") == nil && templates.language(for: nil) == nil)

        let own = try ScratchFolder("own-letters")
        let folder = own.url.appendingPathComponent("nl")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data("Subject: Wachtwoord\n\nDag {{name}}\n".utf8).write(
            to: folder.appendingPathComponent("reset.mustache"))
        let source = BuildProducts.root.appendingPathComponent("web/mail")
        let mixed = try EmailTemplates(folder: source, own: own.url)
        #expect(mixed.message(.reset, language: "nl", values: ["name": "A & <b>"])?.body == "Dag A & <b>\n")
        try Data("Betreff: x\n".utf8).write(to: folder.appendingPathComponent("verify.mustache"))
        #expect(throws: AssetError.self) { try EmailTemplates(folder: source, own: own.url) }
    }

    @Test("the folder of e-mails gets a file for each, for nobody else to read, once though it is tried twice")
    func folder() async throws {
        let scratch = try ScratchFolder("mail")
        let folder = scratch.url.appendingPathComponent("mail")
        let message = try Self.message(subject: "Hello")
        try await FileMailDelivery(folder).deliver(message)
        try await FileMailDelivery(folder).deliver(message)
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(files == ["2027-01-15T080000Z-7.eml"])
        let path = folder.appendingPathComponent(try #require(files.first)).path
        #expect(FileManager.default.contents(atPath: path) == Data(message.encoded))
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
    }

    @Test("an e-mail that is not taken is tried again, later each time, and given up in the end")
    func retries() async throws {
        try await AccountsScene.run { scene in
            try await scene.proven("ada")
            let ada = try #require(try await AccountStore.user(handle: "ada", in: scene.features.database))
            try await Mail.enqueue(
                EmailMessage(template: .passwordChanged, to: ada.id), in: scene.features.database)
            let box = RecordingMailDelivery(refusals: EmailDispatcher.maximumAttempts - 1)
            let dispatcher = try scene.dispatcher(box)
            var waited = 0.0
            var attempts = 0
            while box.emails.isEmpty, attempts < 100 {
                attempts += try await dispatcher.deliverDue()
                waited += try await scene.endPauses()
            }
            #expect(attempts == EmailDispatcher.maximumAttempts && waited > 86_400)
            #expect(box.emails.first?.recipient == "ada@example.org")

            for isFinal in [true, false] {
                try await Mail.enqueue(
                    EmailMessage(template: .passwordChanged, to: ada.id), in: scene.features.database)
                let closed = try scene.dispatcher(RecordingMailDelivery(refusals: 1000, isFinal: isFinal))
                var tries = 0
                repeat { tries += try await closed.deliverDue() } while try await scene.endPauses() > 0 && tries < 100
                #expect(tries == (isFinal ? 1 : EmailDispatcher.maximumAttempts))
            }
            let dead = try await scene.features.database.scalar(
                "SELECT count(*) FROM mail_outbox WHERE state = 'dead' AND last_error LIKE '%box is full%'",
                as: Int.self)
            #expect(dead == 2)
        }
    }

    @Test("e-mails go to a mail server; one that it refuses for good is given up at once")
    func mailServer() async throws {
        try await AccountsScene.run { scene in
            for handle in ["ada", "refused"] { try await scene.proven(handle) }
            let servers = try await MailAndTLS.start(tls: true)
            SuiteLog.note(.mail, "open sesame")
            let server = SMTPServer(
                url: "smtp://localhost:\(servers.smtpPort)", user: "postbox", password: "open sesame")
            let client = OutgoingClient(
                policy: .anywhere, authorities: servers.certificate.path, logger: TestLog.logger)
            let dispatcher = try scene.dispatcher(SMTPMailDelivery(server, client: client))
            for handle in ["refused", "ada"] {
                let user = try #require(try await AccountStore.user(handle: handle, in: scene.features.database))
                try await Mail.enqueue(
                    EmailMessage(template: .passwordChanged, to: user.id), in: scene.features.database)
            }
            try await dispatcher.deliverDue()
            let mail = try #require(await servers.nextMail())
            #expect(mail.from == "sheets@market.example" && mail.to == ["ada@example.org"] && mail.tls)
            #expect(mail.text.contains("Subject: Your password was changed\r\n"))
            let states = try await scene.features.database.all(
                "SELECT state, last_error FROM mail_outbox WHERE template = 'password_changed' ORDER BY state"
            ) { "\(try $0.get("state", as: String.self)) \(try $0.get("last_error", as: String?.self) ?? "")" }
            #expect(states == ["dead The mail server refused with 550.", "sent "])
        }
    }

    @Test("many dispatchers deliver each e-mail once, and what a dead one had taken is delivered by another")
    func manyDispatchers() async throws {
        try await AccountsScene.run { scene in
            try await scene.proven("ada")
            let ada = try #require(try await AccountStore.user(handle: "ada", in: scene.features.database))
            for number in 0..<60 {
                try await Mail.enqueue(
                    EmailMessage(template: .tokenMade, to: ada.id, values: ["token": "\(number)", "scopes": "read"]),
                    in: scene.features.database)
            }
            // One takes ten and is never heard of again.
            let taken = try await MailStore.claim(
                limit: 10, lease: EmailDispatcher.leaseSeconds, in: scene.features.database)
            #expect(taken.count == 10)
            let box = RecordingMailDelivery()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<4 {
                    let dispatcher = try scene.dispatcher(box)
                    group.addTask { while try await dispatcher.deliverDue() > 0 {} }
                }
                try await group.waitForAll()
            }
            #expect(box.emails.count == 50 && Set(box.emails.map(\.id)).count == 50)
            let lease = try await scene.endPauses()
            #expect(lease > EmailDispatcher.leaseSeconds - 60 && lease <= EmailDispatcher.leaseSeconds)
            #expect(try await scene.emails().count == 10)
            // What was sent is not kept.
            let kept = try await scene.features.database.scalar(
                "SELECT count(*) FROM mail_outbox WHERE state = 'sent' AND details <> '{}'", as: Int.self)
            #expect(kept == 0)
            try await MailStore.deleteExpired(in: scene.features.database)
            let all = try await scene.features.database.scalar("SELECT count(*) FROM mail_outbox", as: Int.self)
            #expect(all >= 60)
            try await scene.features.database.execute(
                "UPDATE mail_outbox SET ended_at = ended_at - \(MailStore.keptSeconds) * interval '1 second'")
            try await MailStore.deleteExpired(in: scene.features.database)
            #expect(try await scene.features.database.scalar("SELECT count(*) FROM mail_outbox", as: Int.self) == 0)
        }
    }

    @Test("a node whose clock is an hour wrong neither holds e-mails up nor is late with them")
    func wrongClock() async throws {
        try await AccountsScene.run { scene in
            try await scene.proven("ada")
            let ada = try #require(try await AccountStore.user(handle: "ada", in: scene.features.database))
            for hours in [1.0, -2.0] {
                scene.clock.advance(by: hours * 3600)
                try await Mail.enqueue(
                    EmailMessage(template: .passwordChanged, to: ada.id), in: scene.features.database)
                let refusing = try scene.dispatcher(RecordingMailDelivery(refusals: 1))
                #expect(try await refusing.deliverDue() == 1)
                let pause = try await scene.endPauses()
                #expect(pause > 0 && pause < 60, "the first pause is half a minute, not \(pause) s")
                #expect(try await scene.emails().count == 1)
            }
        }
    }

    @Test("an e-mail and what it tells of are there together, or neither is")
    func together() async throws {
        try await AccountsScene.run { scene in
            let ada = try await scene.person("ada")
            _ = try await scene.emails()
            struct Regret: Error {}
            await #expect(throws: Regret.self) {
                try await scene.features.database.withTransaction { connection in
                    try await Mail.enqueue(
                        EmailMessage(template: .passwordChanged, to: ada.id), in: connection)
                    throw Regret()
                }
            }
            let waiting = try await scene.features.database.scalar(
                "SELECT count(*) FROM mail_outbox WHERE state = 'waiting'", as: Int.self)
            #expect(waiting == 0)
            // And notices go to no address that nobody proved.
            try await Mail.enqueue(
                EmailMessage(template: .passwordChanged, to: ada.id), in: scene.features.database)
            #expect(try await scene.emails().isEmpty)
        }
    }
}

extension JSONValue {
    static func read(_ text: String) throws -> JSONValue {
        try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))
    }
}
