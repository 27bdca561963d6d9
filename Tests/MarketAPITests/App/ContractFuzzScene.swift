// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketPages
import MarketPlatform
import MarketWire
import NIOHTTP1
import Postgres
import SheetCore
import TestSupport
import Testing

@testable import MarketAccounts

/// Something of everything, so that calls find what they are about. It belongs to who calls, but for the case: nobody
/// decides about their own.
struct ContractScene: Sendable {
    /// What the configuration has `@…@` for.
    let values: [String: String]
    /// The caller's token.
    let token: String
    /// Of somebody with nothing to lose: whoever revokes all tokens there are does it with this one.
    let spare: String
    /// Cookies of sessions that nothing asks to be confirmed. Each call that only sessions may make
    /// has an account of its own: what one of them ends, locks or erases is missed by no other.
    let cookies: [String: String]

    /// The one in the contract's examples, so that what is tried with it succeeds.
    static let password = "several plain words"

    static func set(
        in market: TestMarket, for caller: ContractCaller, sessionCalls: [String]
    ) async throws -> ContractScene {
        let author = try await market.person("nadia", role: caller == .moderator ? .moderator : .user)
        let judge = try await market.person("judith", role: .moderator)
        let spare = try await market.person("karl")
        let other = try await market.person("lena")
        let published = try await upload("Fuzzed sheet", ["Skills", "Combat"], by: author)
        let decision = try await judge.decide(published)
        try #require(decision.status == 200, "\(decision.text)")
        let waiting = try await upload("Waiting sheet", ["Skills", "Combat"], by: author)
        let foreign = try await upload("Other sheet", ["Ship", "Crew", "Cargo"], by: other)
        var values = try await owned(published, by: author, spare: spare)
        values["TEMPLATE"] = published.templateSlug
        values["SUBMISSION"] = waiting.id.description
        values["CASE"] = try #require(foreign.caseId).description
        for (name, value) in try await decided(published, by: judge, market) { values[name] = value }
        let token = try await spare.send(
            .POST, "\(Paths.base)/auth/tokens", json: TokenRequest(name: "old", scopes: [.read]))
        values["TOKEN"] = try token.json(NewToken.self).info.id.description
        var cookies: [String: String] = [:]
        for (index, call) in sessionCalls.enumerated() {
            let made = try await signIn("session-\(index)", for: call, as: caller, market)
            cookies[call] = made.cookie
            if let session = made.otherSession { values["SESSION"] = session }
        }
        // For as long as the calls take.
        try await market.features.database.execute("UPDATE sessions SET confirmed_at = now() + interval '1 day'")
        // Who has no session ends none.
        values["SESSION"] = values["SESSION"] ?? values["TOKEN"]
        return ContractScene(
            values: values, token: try #require(author.token), spare: try #require(spare.token), cookies: cookies)
    }

    private static func owned(
        _ published: SubmissionStatus, by author: TestHTTP, spare: TestHTTP
    ) async throws -> [String: String] {
        let key = Paths.template(published.templateSlug)
        let review = try await spare.send(.PUT, "\(key)/reviews/mine", json: ReviewRequest(stars: 4, text: "Good."))
        let invitation = try await author.send(
            .POST, "\(key)/invitations", json: InvitationRequest(handle: "karl", role: .contributor))
        let webhook = try await author.send(
            .POST, "\(Paths.base)/webhooks",
            json: WebhookRequest(url: "https://example.org/hook", events: [.versionPublished]))
        let collection = try await author.send(
            .POST, "\(Paths.base)/member-collections",
            json: MemberCollectionEdit(title: "Rainy evenings", items: [.init(templateId: published.templateId)]))
        try #require(collection.status == 201, "\(collection.text)")
        try #require(review.status == 201 && invitation.status == 201 && webhook.status == 201)
        let id = try webhook.json(NewWebhook.self).webhook.id.description
        let ping = try await author.send(.POST, "\(Paths.base)/webhooks/\(id)/ping")
        return [
            "MEMBERCOLLECTION": try collection.json(MemberCollectionDetail.self).collection.id.description,
            "REVIEW": try review.json(Review.self).id.description,
            "INVITATION": try invitation.json(Invitation.self).id.description, "WEBHOOK": id,
            "DELIVERY": try ping.json(WebhookDelivery.self).id.description,
        ]
    }

    private static func decided(
        _ published: SubmissionStatus, by judge: TestHTTP, _ market: TestMarket
    ) async throws -> [String: String] {
        let collection = try await judge.send(
            .PUT, "\(Paths.base)/collections/first-night",
            json: CollectionEdit(title: "For the first night", items: [.init(templateId: published.templateId)]))
        let sanction = try await judge.send(
            .POST, "\(Paths.base)/moderation/users/lena/sanctions",
            json: SanctionRequest(kind: "warn", reasonCode: "spam", message: "No advertising."))
        let notice = try await market.http.send(
            .POST, "\(Paths.base)/copyright/notices",
            json: CopyrightNoticeRequest(
                subject: .init(kind: .template, id: published.templateSlug), name: "Cora Copeland",
                email: "cora@example.org", address: "1 Main Street", phone: "+1 555 0100", work: "My book, page 12.",
                explanation: "It is my page.", inGoodFaith: true, underPenaltyOfPerjury: true,
                signature: "Cora Copeland"))
        try #require(collection.status == 201 && sanction.status == 201 && notice.status == 201)
        return [
            "ACCOUNT": "lena", "SANCTION": try sanction.json(SanctionInfo.self).id.description,
            "NOTICE": try notice.json(CopyrightNotice.self).id.description,
        ]
    }

    private static func upload(
        _ name: String, _ headings: [String], by author: TestHTTP
    ) async throws -> SubmissionStatus {
        var builder = PDFDocumentBuilder()
        builder.addPage(headings: headings + [name])
        let answer = try await author.upload(
            metadata: UploadMetadata(
                name: name, summary: "For a test.", gameSystem: "dnd5e", license: "CC0-1.0", language: "en",
                version: "1.0.0"),
            file: builder.build())
        return try await author.submission(
            try answer.json(SubmissionStatus.self).id, reaches: [.awaitingReview, .rejected])
    }

    // MARK: Sessions

    /// Signs a new account in for one call, and makes what the call is about.
    private static func signIn(
        _ handle: String, for call: String, as caller: ContractCaller, _ market: TestMarket
    ) async throws -> (cookie: String, otherSession: String?) {
        let service = AccountService(accounts: market.features.accounts)
        let user: UserID
        if call == "confirmSession" {
            let made = try await market.http.send(
                .POST, "\(Paths.base)/auth/register",
                json: RegisterRequest(handle: handle, email: nil, password: password))
            user = try made.json(Account.self).id
        } else {
            let role: UserRole = caller == .moderator ? .moderator : .user
            user = try await service.ensureSystemUser(handle: handle, role: role).id
        }
        let name = SessionCookie(isSecure: market.features.platform.secureCookies).name
        func newCookie() async throws -> String {
            let device = SignInDevice(userAgent: "schemathesis", address: nil)
            return "\(name)=\(try await service.makeSession(for: user, from: device).text)"
        }
        let cookie = try await newCookie()
        let headers = [("Cookie", cookie), ("Sec-Fetch-Site", "same-origin")]
        switch call {
        case "getErasure", "keepAccount":
            let asked = try await market.http.send(
                .DELETE, "\(Paths.base)/me", json: ErasureRequest(templates: .leave), headers: headers)
            try #require(asked.status == 202, "\(asked.text)")
        case "removeSecondFactor", "activateSecondFactor", "renewRecoveryCodes":
            try await beginSecondFactor(active: call == "renewRecoveryCodes", headers, market.http)
        case "endSession":
            _ = try await newCookie()
            let list = try await market.http.get("\(Paths.base)/me/sessions", headers: headers)
            let sessions = try list.json(SessionList.self).sessions
            return (cookie, try #require(sessions.first { !$0.isCurrent }).id.description)
        default: break
        }
        return (cookie, nil)
    }

    private static func beginSecondFactor(
        active: Bool, _ headers: [(String, String)], _ http: TestHTTP
    ) async throws {
        let path = "\(Paths.base)/me/second-factor"
        let begun = try await http.send(.POST, path, headers: headers)
        let secret = try begun.json(SecondFactorEnrolment.self).secret
        guard active else { return }
        let generator = OneTimeCode(secret: AccountsScene.bytes(base32: secret))
        var answer = ""
        // On a busy machine a code may be over before it arrives.
        for _ in 0..<3 {
            let code = generator.code(step: OneTimeCode.step(at: Date()))
            let done = try await http.send(
                .POST, "\(path)/activate", json: SecondFactorCode(code: code), headers: headers)
            if done.status == 200 { return }
            answer = done.text
        }
        Issue.record("\(answer)")
    }
}
