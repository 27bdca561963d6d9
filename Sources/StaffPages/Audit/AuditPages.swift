// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Hummingbird
import MarketAccounts
import MarketHTTP
import MarketPages
import MarketPlatform
import MarketWire
import Moderation
import SheetCore

/// The audit log for people, and whether it still is as it was written.
struct AuditPages: Sendable {
    private static let home = StaffNavigation.Place.audit.rawValue
    private static let list = "moderation.audit.page"
    private static let rowsShown = 50

    let features: Features
    let pages: WebPages
    /// What checkpoints are signed with; without them signatures are not checked.
    let keys: AuditKeys?

    func register(on routes: APIRoutes) {
        routes.get(Self.home, access: .moderator) { try await show($0, $1, verdict: nil) }
        // It reads the whole log.
        routes.withCost(.upload).get("\(Self.home)/verify", access: .administrator, verify)
    }

    private func verify(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let verdict: AuditView.Verdict
        do {
            verdict = .init(
                try await AuditLog.verify(features.database, keys: keys), areSignaturesChecked: keys != nil)
        } catch let violation as AuditViolation {
            verdict = .init(violation)
        }
        return try await show(request, context, verdict: verdict)
    }

    private func show(
        _ request: Request, _ context: MarketRequestContext, verdict: AuditView.Verdict?
    ) async throws -> Response {
        let viewer = try context.requireIdentity()
        let asked = PageRequest(cursor: request.query("cursor"), limit: Self.rowsShown)
        let before = try asked.place(in: Self.list, keys: 1) { Int64($0[0]) }
        let found = try await AuditLog.entries(before: before, limit: asked.fetchLimit, in: features.database)
        let page = asked.page(found, of: Self.list) { [String($0.sequence)] }
        let view = AuditView(
            navigation: StaffNavigation(at: .audit, for: viewer), entries: page.rows.map(\.entry),
            next: page.next.map { PageAddress(Self.home).with("cursor", $0).text },
            mayVerify: viewer.role >= .administrator, verdict: verdict)
        return try pages.answer(
            .audit, view, head: PageHead(title: "Audit log", place: .moderation, viewer: viewer))
    }
}

struct AuditView: Sendable {
    /// What a check of the whole log came to.
    struct Verdict: Sendable {
        let tone: String
        let text: Phrase

        init(_ verifier: AuditVerifier, areSignaturesChecked: Bool) {
            tone = areSignaturesChecked ? "good" : "wait"
            let entries = DisplayText.count(Int(verifier.count), "entry", "entries")
            let checkpoints = DisplayText.count(verifier.checkpoints, "signed checkpoint")
            let whole: Phrase = "The log is whole: \(entries), each following from the one before, and \(checkpoints)."
            let unchecked: Phrase = "Signatures were not checked: this server has no SHEETMARKET_AUDIT_KEYS."
            text = areSignaturesChecked ? whole : [whole, unchecked].joined(separator: " ")
        }

        init(_ violation: AuditViolation) {
            tone = "bad"
            text =
                "The log is not as it was written: entry \(violation.sequence) (\(violation.kind.rawValue)). "
                + "Keep a copy of the database, and read docs/audit.md."
        }
    }

    struct Line: Sendable {
        let number: String
        let iso: String
        let at: Phrase
        let actor: String
        let action: String
        let subject: String
        let reason: String?
        let details: [Detail]
    }

    struct Detail: Sendable {
        let name: String
        let value: String
    }

    let navigation: StaffNavigation
    let lines: [Line]
    let hasLines: Bool
    let next: String?
    let mayVerify: Bool
    let verdict: Verdict?

    init(
        navigation: StaffNavigation, entries: [AuditEntry], next: String?, mayVerify: Bool, verdict: Verdict?
    ) {
        self.navigation = navigation
        lines = entries.map { entry in
            // Shown as it stands where it is no flat object.
            let members =
                (try? JSONDecoder().decode([String: String].self, from: Data(entry.details.utf8)))
                ?? ["details": entry.details]
            let time = DisplayTime(entry.at, now: entry.at)
            return Line(
                number: String(entry.sequence), iso: entry.at.formatted(.iso8601), at: time.exact, actor: entry.actor,
                action: entry.action, subject: entry.subject, reason: entry.reason,
                details: members.sorted { $0.key < $1.key }.map { Detail(name: $0.key, value: $0.value) })
        }
        hasLines = !lines.isEmpty
        self.next = next
        self.mayVerify = mayVerify
        self.verdict = verdict
    }
}
