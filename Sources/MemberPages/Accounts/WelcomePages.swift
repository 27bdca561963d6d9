// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Hummingbird
import MarketAccounts
import MarketHTTP
import MarketPages
import MarketPlatform
import MarketWire

/// What somebody is told who has just registered.
struct WelcomePages: Sendable {
    static let home = "/account/welcome"

    let features: Features
    let pages: WebPages
    let service: AccountService

    func register(on routes: APIRoutes) {
        routes.get(Self.home, access: .user(.read), show)
    }

    /// The page, which leads on to where the person was going.
    static func address(then next: ReturnPath) -> String {
        PageAddress(home).with("next", next.text == "/" ? nil : next.text).text
    }

    private func show(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let identity = try context.requireIdentity()
        guard let account = try await service.account(identity.userID) else { throw APIError.authenticationRequired }
        let view = WelcomeView(
            account, next: ReturnPath(request.query("next")), emails: pages.site.emails,
            isOnThisMachine: request.isFromOwnMachine(context))
        return try pages.answer(.welcome, view, head: PageHead(title: "Welcome", place: .account, viewer: identity))
    }
}

struct WelcomeView: Sendable {
    let displayName: String
    let confirming: Phrase
    /// Where the e-mail lies, for whoever sits at the machine.
    let folder: String?
    let hasAddress: Bool
    let isConfirmed: Bool
    let next: String
    /// Whether somebody was on the way to a page.
    let isOnTheWay: Bool

    init(_ account: Account, next: ReturnPath, emails: EmailPlace, isOnThisMachine: Bool) {
        displayName = account.displayName
        hasAddress = !account.email.isEmpty
        isConfirmed = account.emailVerified == true
        self.next = next.text
        isOnTheWay = next.text != "/"
        switch emails {
        case .sent:
            confirming = "We sent an e-mail to \(account.email). Open the link in it, and the address is yours."
            folder = nil
        case .folder(let path):
            confirming =
                isOnThisMachine
                ? "This market sends no e-mails: it writes them into files. The newest one there is for "
                    + "\(account.email); open the link in it, and the address is yours."
                : "This market sends no e-mails yet: it writes them into files. Whoever runs it can hand you the "
                    + "one for \(account.email)."
            folder = isOnThisMachine ? path : nil
        case .kept:
            confirming =
                "The e-mail to \(account.email) waits until whoever runs this market lets e-mails out. You can use "
                + "your account meanwhile."
            folder = nil
        }
    }
}
