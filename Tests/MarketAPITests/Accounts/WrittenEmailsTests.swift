// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

@testable import MarketAccounts

@Suite("E-mails that were written into a folder")
struct WrittenEmailsTests {
    @Test("are read as they were written, the latest first, and nothing else of the folder is")
    func read() async throws {
        let scratch = try ScratchFolder("emails")
        let folder = scratch.url.appendingPathComponent("mail")
        #expect(WrittenEmails(folder).newest(10).isEmpty, "there is no folder yet")
        let sender = try #require(MailAddress("Market <market@example.org>"))
        let long = "https://example.org/reset-password?code=" + String(repeating: "a=b", count: 60)
        let body = "Grüße, ädä = 1\n\n\(long)\nends "
        for (day, subject) in [(1, "Plain"), (2, String(repeating: "Größe ", count: 20) + "!")] {
            let message = MIMEMessage(
                sender: sender, recipient: "ada@example.org", subject: subject, body: body, id: "id-\(day)",
                date: Date(timeIntervalSince1970: Double(day) * 86_400))
            try await FileMailDelivery(folder).deliver(message)
        }
        try Data("secret".utf8).write(to: scratch.url.appendingPathComponent("other.eml"))
        try FileManager.default.createSymbolicLink(
            at: folder.appendingPathComponent("0.eml"),
            withDestinationURL: scratch.url.appendingPathComponent("other.eml"))
        let emails = WrittenEmails(folder).newest(10)
        #expect(emails.map(\.subject) == [String(repeating: "Größe ", count: 20) + "!", "Plain"])
        #expect(emails.allSatisfy { $0.body == body && $0.recipient == "ada@example.org" }, "\(emails)")
        let name = try #require(emails.first?.name)
        #expect(WrittenEmails(folder).email(named: name) == emails.first)
        for other in ["../other.eml", "0.eml", "", "/etc/passwd"] {
            #expect(WrittenEmails(folder).email(named: other) == nil, "\(other)")
        }
        #expect(WrittenEmails(folder).newest(1).count == 1)
    }
}
