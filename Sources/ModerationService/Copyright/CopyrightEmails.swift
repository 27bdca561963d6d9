// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketAccounts
import MarketPlatform
import Moderation
import Postgres
import SheetCore

/// The e-mails to both sides of a copyright notice, entered in the transaction of what they tell of. The claimant's go
/// to the address in the notice, which the law asks for and nobody has verified. So that nobody floods strangers with
/// our e-mails, there is only a receipt in our own words until a moderator has decided, and an address gets few.
package struct CopyrightEmails {
    /// Receipts that an address gets in a day, however many notices come in under it.
    package static let receiptsPerDay = 3

    private let record: CopyrightStore.Record

    package init(_ record: CopyrightStore.Record) {
        self.record = record
    }

    /// Says that the notice came in.
    func acknowledge(at now: Date, in connection: PostgresConnection) async throws {
        let count = try await CopyrightStore.count(
            under: record.elements.email, since: now.addingTimeInterval(-86_400), connection)
        guard count <= Self.receiptsPerDay else { return }
        try await send(.copyrightReceived, [:], in: connection)
    }

    /// Tells both sides of the notice's new state.
    package func tell(in connection: PostgresConnection) async throws {
        var values = ["claimant": record.elements.name]
        if let message = record.message, !message.isEmpty { values["message"] = message }
        switch record.claim.state {
        case .received: break
        case .takenDown:
            values["accepted"] = "yes"
            try await send(.copyrightDecided, values, in: connection)
            try await tellAuthor(in: connection)
        case .rejected:
            values["rejected"] = "yes"
            try await send(.copyrightDecided, values, in: connection)
        case .countered:
            guard let counter = record.counter, let received = record.claim.counteredAt,
                let from = record.claim.restoreFrom, let by = record.claim.restoreBy
            else { return }
            values["received"] = Self.day(received)
            values["restore_from"] = Self.day(from)
            values["restore_by"] = Self.day(by)
            values["author"] = counter.name
            values["address"] = counter.address
            values["phone"] = counter.phone
            values["explanation"] = counter.explanation
            values["signature"] = counter.signature
            try await send(.copyrightCountered, values, in: connection)
        case .suitFiled, .restored, .withdrawn:
            // Works come back because time has passed: a moderator's message is about an earlier step.
            if record.claim.state == .restored { values["message"] = nil }
            values[record.claim.state.rawValue] = "yes"
            try await send(.copyrightClosed, values, in: connection)
        }
    }

    /// The subscriber is told promptly (17 U.S.C. § 512(g)(2)(A)).
    private func tellAuthor(in connection: PostgresConnection) async throws {
        let values = [
            "notice": record.id.description, "sheet": sheet, "claimant": record.elements.name,
            "work": record.elements.work,
        ]
        try await Mail.enqueue(
            EmailMessage(template: .copyrightTakenDown, to: record.owner, values: values), in: connection)
    }

    private func send(
        _ template: EmailTemplate, _ values: [String: String], in connection: PostgresConnection
    ) async throws {
        var values = values
        values["notice"] = record.id.description
        values["sheet"] = sheet
        try await Mail.enqueue(
            template, toStranger: record.elements.email, language: record.language, values: values, in: connection)
    }

    private var sheet: String { record.title }

    /// A day in universal time, as the deadlines are counted.
    private static func day(_ date: Date) -> String { UTCDay(date).text }
}
