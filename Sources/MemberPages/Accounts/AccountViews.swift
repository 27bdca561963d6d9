// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import MarketAccounts
import MarketHTTP
import MarketPages
import MarketPlatform
import MarketWire
import SheetCore

/// The form of a new account.
struct RegisterView: Sendable {
    struct Field: Sendable {
        let name: String
        let label: Phrase
        let type: String
        let autocomplete: String
        let hint: Phrase
        let isRequired: Bool
        let value: String
        let mistake: Phrase?
    }

    let fields: [Field]
    /// The password that was typed before, sealed.
    let keptPassword: String?
    let problem: Phrase?
    let next: String
    let status: HTTPResponse.Status
    let headers: HTTPFields

    let providers: [SignInProvider]
    let hasProviders: Bool

    init(
        fields form: QueryParameters, problem: FormProblem?, next: ReturnPath, keptPassword: String? = nil,
        emailRequired: Bool, providers: [SignInProvider]
    ) {
        self.keptPassword = keptPassword
        self.providers = providers
        hasProviders = !providers.isEmpty
        func field(
            _ name: String, _ label: Phrase, _ type: String, _ autocomplete: String, _ hint: Phrase,
            isRequired: Bool = true
        ) -> Field {
            Field(
                name: name, label: label, type: type, autocomplete: autocomplete, hint: hint, isRequired: isRequired,
                // A password is never written into a page.
                value: type == "password" ? "" : form[name] ?? "", mistake: problem?.mistakes[name])
        }
        fields = [
            field("handle", "User name", "text", "username", "Your public name: lower-case letters, digits, hyphens."),
            field(
                "email", "E-mail address", "email", "email",
                emailRequired
                    ? "Never shown to others."
                    : "Never shown to others. Without one a forgotten password is lost for good.",
                isRequired: emailRequired),
            field(
                "password", "Password", "password", "new-password",
                keptPassword == nil
                    ? "At least 10 characters. A few words do well."
                    : "Your password is kept. Type another to change it.",
                isRequired: keptPassword == nil),
            field("displayName", "Display name", "text", "name", "Optional.", isRequired: false),
        ]
        self.problem = problem?.summary
        self.next = next.text
        status = problem?.status ?? .ok
        headers = problem?.headers ?? [:]
    }
}

/// The form that signs in.
struct SignInView: Sendable {
    let login: String
    let problem: Phrase?
    let next: String
    let registerAddress: String
    /// Whether somebody was led here by a page that needs an account.
    let isOnTheWay: Bool
    let status: HTTPResponse.Status
    let headers: HTTPFields

    let providers: [SignInProvider]
    let hasProviders: Bool

    init(login: String, problem: FormProblem?, next: ReturnPath, providers: [SignInProvider]) {
        self.providers = providers
        hasProviders = !providers.isEmpty
        self.login = login
        self.problem = problem?.summary
        self.next = next.text
        isOnTheWay = next.text != "/" && problem == nil
        registerAddress = PageAddress("/register").with("next", next.text == "/" ? nil : next.text).text
        status = problem?.status ?? .ok
        headers = problem?.headers ?? [:]
    }
}

/// The form of the second step.
struct SecondStepView: Sendable {
    let ticket: String
    let problem: Phrase?
    let next: String
    let status: HTTPResponse.Status
    let headers: HTTPFields

    init(ticket: String, problem: FormProblem?, next: ReturnPath) {
        self.ticket = ticket
        self.problem = problem?.summary
        self.next = next.text
        status = problem?.status ?? .ok
        headers = problem?.headers ?? [:]
    }
}

/// A person's uploads and tokens.
struct AccountView: Sendable {
    struct Offer: Sendable {
        let id: String
        let templateName: String
        let address: String
        let inviter: String
        let what: Phrase
        let expires: DisplayTime
    }

    struct Token: Sendable {
        let id: String
        let tokenName: String
        let scopes: Phrase
        /// The templates that it is limited to.
        let limitedTo: Phrase?
        let expires: DisplayTime
        let isOver: Bool
        let lastUsed: Phrase
    }

    let displayName: String
    let handle: String
    /// Whether the name is another word than the handle.
    let hasName: Bool
    let email: String?
    /// What would make the account safer.
    let advice: Phrase?
    let role: Phrase
    let since: DisplayTime
    let uploads: [OwnUpload]
    let hasUploads: Bool
    let older: String
    let hasOlder: Bool
    let offers: [Offer]
    let hasOffers: Bool
    let moreOffers: String?
    let tokens: [Token]
    let hasTokens: Bool
    let olderTokens: String?
    let newToken: String?
    let newTokenName: String?
    let problem: Phrase?
    let mistakes: [String: Phrase]
    let tokenName: String
    let days: String
    let scopes: [Choice]
    let templates: [Choice]
    let hasTemplates: Bool
    /// How much of what they follow is unread; `nil` for none.
    var unreadNews: Phrase?

    init(
        account: Account, uploads: [SubmissionStatus], fates: [SubmissionID: VersionState], hasMore: Bool,
        invitations: InvitationList, tokens: TokenList, templates: [TokenTemplate], newToken: NewToken?,
        problem: FormProblem?, form: QueryParameters, now: Date
    ) {
        offers = invitations.invitations.map { invitation in
            Offer(
                id: invitation.id.description, templateName: invitation.templateName,
                address: PagePaths.sheet(invitation.templateSlug), inviter: invitation.inviter,
                what: invitation.role == .owner
                    ? "offers you this sheet as its new owner"
                    : "asks you to be a \(Phrase(told: invitation.role.rawValue))",
                expires: DisplayTime(invitation.expiresAt, now: now))
        }
        hasOffers = !offers.isEmpty
        moreOffers = invitations.nextCursor.map {
            PageAddress("/account").with("invitations", $0).text + "#invitations"
        }
        displayName = account.displayName
        handle = account.handle
        hasName = account.displayName.lowercased() != account.handle
        email = account.email.isEmpty ? nil : account.email
        advice = Self.advice(account)
        role = Phrase(told: account.role.rawValue)
        since = DisplayTime(account.createdAt, now: now)
        self.uploads = uploads.map { OwnUpload($0, fate: fates[$0.id], now: now) }
        hasUploads = !uploads.isEmpty
        older = hasMore ? uploads.last.map { "/account?before=\($0.id)" } ?? "" : ""
        hasOlder = hasMore
        self.tokens = tokens.tokens.map { token in
            Token(
                id: token.id.description, tokenName: token.name,
                scopes: token.scopes.map(Self.label).joined(separator: ", "),
                limitedTo: token.templates.map {
                    $0.isEmpty ? "none" : Phrase(verbatim: $0.map(\.name).joined(separator: ", "))
                },
                expires: DisplayTime(token.expiresAt, now: now), isOver: token.expiresAt <= now,
                lastUsed: token.lastUsedAt.map { DisplayTime($0, now: now).ago } ?? "never")
        }
        hasTokens = !self.tokens.isEmpty
        olderTokens = tokens.nextCursor.map { PageAddress("/account").with("tokens", $0).text + "#tokens" }
        self.newToken = newToken?.token
        newTokenName = newToken?.info.name
        self.problem = problem?.summary
        mistakes = problem?.mistakes ?? [:]
        tokenName = form["name"] ?? ""
        days = form["expiresInDays"] ?? String(AccountRules.defaultTokenDays)
        let limit = problem == nil ? [] : form.all("template")
        self.templates = templates.map {
            Choice(
                value: $0.id.description, label: Phrase(verbatim: $0.name),
                isSelected: limit.contains($0.id.description))
        }
        hasTemplates = !templates.isEmpty
        let chosen = problem == nil ? [TokenScope.read.rawValue] : form.all("scope")
        scopes = TokenScope.all.filter { Self.role(for: $0) <= account.role }.map {
            Choice(value: $0.rawValue, label: Self.label($0), isSelected: chosen.contains($0.rawValue))
        }
    }

    private static func advice(_ account: Account) -> Phrase? {
        if account.email.isEmpty { return "Your account has no e-mail address: a forgotten password would be lost." }
        if account.emailVerified != true, !account.email.hasSuffix(".invalid") {
            return "Your e-mail address is not confirmed yet: open the link in our e-mail."
        }
        return nil
    }

    private static func role(for scope: TokenScope) -> UserRole {
        switch scope {
        case .moderation: .moderator
        case .administration: .administrator
        default: .user
        }
    }

    private static func label(_ scope: TokenScope) -> Phrase {
        switch scope {
        case .read: "read your account"
        case .templatesWrite: "upload and edit sheets"
        case .reviewsWrite: "write reviews, mark and follow"
        case .webhooks: "say where news is sent"
        case .account: "all that is known of you"
        case .moderation: "moderate"
        case .administration: "administer"
        default: Phrase(verbatim: scope.rawValue)
        }
    }
}
