// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Hummingbird
import MarketAccounts
import MarketHTTP
import MarketPages
import MarketPlatform
import SheetCore

/// E-mails of a market that writes them into a folder instead of sending them. They hold links that give accounts new
/// passwords: only administrators read them, at the machine itself, where the folder lies, and once they showed again
/// who they are.
struct EmailPages: Sendable {
    static let address = "\(StaffNavigation.Place.operation.rawValue)/emails"
    private static let shown = 100

    let features: Features
    let pages: WebPages

    func register(on routes: APIRoutes) {
        routes.get(Self.address, access: .administrator) { try await list($0, $1) }
        routes.get("\(Self.address)/{name}", access: .administrator) { try await one($0, $1) }
    }

    /// The folder, where the one who asks may look into it.
    static func folder(_ pages: WebPages, _ request: Request, _ context: MarketRequestContext) -> WrittenEmails? {
        guard case .folder(let path) = pages.site.emails, request.isFromOwnMachine(context) else { return nil }
        return WrittenEmails(URL(filePath: path, directoryHint: .isDirectory))
    }

    private func list(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let (viewer, emails) = try opened(request, context)
        let view = EmailListView(
            navigation: StaffNavigation(at: .operation, for: viewer), emails.newest(Self.shown), now: features.now())
        return try pages.answer(.emails, view, head: PageHead(title: "E-mails", place: .moderation, viewer: viewer))
    }

    private func one(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let (viewer, emails) = try opened(request, context)
        guard let email = emails.email(named: try context.path("name")) else { throw APIError.notFound("This e-mail") }
        let view = EmailView(
            navigation: StaffNavigation(at: .operation, for: viewer), email, now: features.now())
        return try pages.answer(
            .email, view,
            head: PageHead(title: Phrase(verbatim: email.subject), place: .moderation, viewer: viewer))
    }

    private func opened(
        _ request: Request, _ context: MarketRequestContext
    ) throws -> (viewer: Identity, emails: WrittenEmails) {
        let viewer = try context.requireIdentity()
        guard let emails = Self.folder(pages, request, context) else { throw APIError.notFound("This page") }
        try viewer.requireConfirmation(at: features.now())
        return (viewer, emails)
    }
}

struct EmailListView: Sendable {
    struct Line: Sendable {
        let address: String
        let subject: String
        let recipient: String
        let written: DisplayTime
    }

    let navigation: StaffNavigation
    let lines: [Line]
    let hasLines: Bool

    init(navigation: StaffNavigation, _ emails: [WrittenEmails.Email], now: Date) {
        self.navigation = navigation
        lines = emails.map { email in
            Line(
                address: "\(EmailPages.address)/\(email.name)", subject: email.subject, recipient: email.recipient,
                written: DisplayTime(email.writtenAt, now: now))
        }
        hasLines = !lines.isEmpty
    }
}

struct EmailView: Sendable {
    /// A line of an e-mail: a link where it is an address of this kind alone.
    struct Line: Sendable {
        let words: String
        let link: String?
    }

    let navigation: StaffNavigation
    let subject: String
    let recipient: String
    let written: DisplayTime
    let lines: [Line]

    init(navigation: StaffNavigation, _ email: WrittenEmails.Email, now: Date) {
        self.navigation = navigation
        subject = email.subject
        recipient = email.recipient
        written = DisplayTime(email.writtenAt, now: now)
        lines = email.body.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            let isLink = ["http://", "https://"].contains { line.hasPrefix($0) } && !line.contains(" ")
            return Line(words: String(line), link: isLink ? String(line) : nil)
        }
    }
}
