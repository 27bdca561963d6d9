// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketClient
import MarketWire
import SheetCore

/// Each call of `MarketClient`, made once with whatever is at hand, and with each of its parameters.
struct ClientCalls {
    /// A submission that the server knows: its events are asked for only then.
    static let followed = SubmissionID.make()
    typealias Made = @Sendable () async throws -> Void
    private let client: MarketClient
    private let file: URL

    /// Uploads `file`.
    init(_ client: MarketClient, file: URL) {
        self.client = client
        self.file = file
    }

    var all: [Made] {
        [catalog, authors, reviews, submissions, people, security, moderation, naming, cases, copyright, webhooks]
            .flatMap { $0 }
    }

    /// With all that a list of templates can be narrowed by.
    private static var everyTemplate: TemplateQuery {
        var query = TemplateQuery(words: "quest", gameSystem: "cairn", sort: .rating, limit: 10)
        query.isLiteral = true
        query.tags = ["print"]
        query.author = "ada"
        query.license = "CC0-1.0"
        query.language = "en"
        query.kind = .sheet
        query.isFillable = true
        query.minimumRating = 3
        query.minimumPages = 1
        query.maximumPages = 4
        query.wantsFacets = true
        return query
    }

    /// With all that the moderators' queue can be narrowed by.
    private static var everyCase: CaseQuery {
        var query = CaseQuery()
        query.state = .open
        query.kind = .report
        query.gameSystem = "cairn"
        query.due = .soon
        query.isMine = true
        query.isAudit = false
        query.minimumRisk = 50
        return query
    }

    private var naming: [Made] {
        [
            { _ = try await client.setProfilePicture(Data([1])) }, { _ = try await client.removeProfilePicture() },
            { _ = try await client.picture(at: Paths.picture(ContentHash(hashing: Data()))) },
            { _ = try await client.gameSystemUses("cairn") },
            { _ = try await client.mergeGameSystem("cairn", into: "knave") },
            { _ = try await client.tags(having: "print", limit: 10).all() }, { _ = try await client.tag("print") },
            { _ = try await client.renameTag("print", to: "printable") }, { _ = try await client.removeTag("print") },
        ]
    }

    private var catalog: [Made] {
        [
            { _ = try await client.gameSystems() },
            { _ = try await client.templatePage(matching: Self.everyTemplate, cursor: "next") },
            { _ = try await client.template("quest", channel: .beta, offered: false) },
            { _ = try await client.versions(of: "quest", state: .yanked, channel: .beta, limit: 10) },
            { _ = try await client.version("latest", of: "quest", channel: .beta) },
            { _ = try await client.regions(of: "quest", version: "latest", channel: .beta) },
            { _ = try await client.outline(of: "quest", version: "latest", channel: .beta) },
            { _ = try await client.similar(to: "quest") }, { _ = try await client.suggestions(for: "qu") },
            { _ = try await client.pagePicture(of: "quest", version: "latest", page: 0, width: 480, channel: .beta) },
            { _ = try await client.downloadTicket(for: "quest", version: "latest", channel: .beta) },
            { _ = try await client.installs(of: ["quest"]) },
            {
                let hash = ContentHash(hashing: Data())
                _ = try await client.updates(
                    for: [.init(templateId: .make(), version: SemanticVersion(1, 0, 0), sha256: hash)])
            },
            { _ = try await client.collections(limit: 10).all() }, { _ = try await client.collection("starters") },
            { _ = try await client.setCollection("starters", to: .init(title: "Starters", items: [])) },
            { try await client.deleteCollection("starters") },
            { _ = try await client.changes(since: "now", limit: 10, withTemplates: true) },
            { _ = try await client.dumps() }, { _ = try await client.dump("catalog-2026-11-25.jsonl.gz") },
            { _ = try await client.signedMetadata(["1.root.json"]) }, { _ = try await client.transparency() },
        ]
    }

    private var authors: [Made] {
        [
            { _ = try await client.edit("quest", TemplatePatch(name: "Quest")) },
            { _ = try await client.yank("latest", of: "quest", reason: nil, channel: .beta) },
            { _ = try await client.unyank("latest", of: "quest", channel: .beta) },
            { _ = try await client.setChannel(of: "latest", of: "quest", to: .stable, from: .beta) },
            { _ = try await client.deprecate("quest", message: "Old.") }, { _ = try await client.undeprecate("quest") },
            { _ = try await client.trainingConsent(of: "quest") },
            { try await client.setTrainingConsent(true, of: "quest") },
            {
                _ = try await client.correctRegions(
                    of: "quest", version: "latest", to: RegionList(pages: []), channel: .beta)
            },
            { _ = try await client.authors(of: "quest") },
            { _ = try await client.invite("rita", to: "quest", as: .contributor) },
            { _ = try await client.invitations(of: "quest", limit: 10) },
            { _ = try await client.myInvitations(limit: 10) },
            { _ = try await client.answer(.make(), .accept) }, { _ = try await client.answer(.make(), .decline) },
            { _ = try await client.answer(.make(), .withdraw) },
            { _ = try await client.change("rita", of: "quest", to: .contributor) },
            { try await client.remove("rita", of: "quest") },
            { _ = try await client.downloads(of: "quest", from: "2026-11-01", to: "2026-11-21") },
            { _ = try await client.statistics(of: "quest", from: "2026-11-01", to: "2026-11-21") },
        ]
    }

    private var reviews: [Made] {
        [
            { _ = try await client.reviewPage(of: "quest", order: .lowest, limit: 10, cursor: "next") },
            { _ = try await client.ownReview(of: "quest") },
            { _ = try await client.review("quest", ReviewRequest(stars: 5)) },
            { try await client.deleteReview(of: "quest") }, { _ = try await client.review(ReviewID.make()) },
            { _ = try await client.vote(true, on: .make()) }, { _ = try await client.reply(to: .make(), "Thanks.") },
            { try await client.deleteReply(to: .make()) }, { _ = try await client.history(of: .make()) },
            {
                let subject = ReportSubject(kind: .template, id: "quest")
                _ = try await client.report(ReportRequest(subject: subject, reason: .spam))
            }, { _ = try await client.ownReports(limit: 10).all() },
        ]
    }

    private var submissions: [Made] {
        let metadata = UploadMetadata(name: "Quest", gameSystem: "cairn", license: "CC0-1.0", version: "1.0.0")
        return [
            { _ = try await client.publish(file, metadata: metadata) },
            { _ = try await client.publish(file, metadata: metadata, newVersionOf: "quest") },
            { _ = try await client.submissions(state: .published, limit: 10).all() },
            { _ = try await client.submission(.make()) },
            { for try await _ in client.events(of: Self.followed, untilReview: true) {} },
            { _ = try await client.pagePicture(of: SubmissionID.make(), page: 0, width: 480) },
            { _ = try await client.withdraw(.make()) }, { _ = try await client.declineCleaning(.make()) },
            { _ = try await client.messages(of: SubmissionID.make(), limit: 10).all() },
            { _ = try await client.write(MessageRequest(text: "Hello."), on: SubmissionID.make()) },
        ]
    }

    private var people: [Made] {
        [
            { _ = try await client.favorites(limit: 10).all() }, { try await client.setFavorite(true, "quest") },
            { try await client.setFavorite(false, "quest") }, { _ = try await client.following() },
            { try await client.setFollowing(true, author: "ada") },
            { try await client.setFollowing(false, author: "ada") },
            { try await client.setFollowing(true, gameSystem: "cairn") },
            { try await client.setFollowing(false, gameSystem: "cairn") }, { _ = try await client.news() },
            { try await client.markNewsSeen(until: Date()) }, { try await client.setNewsEmail(true) },
            { _ = try await client.reviewEmail() }, { try await client.setReviewEmail(true) },
            { _ = try await client.makeNewsFeed() }, { try await client.removeNewsFeed() },
            { _ = try await client.profile(of: "ada") }, { _ = try await client.ownProfile() },
            { _ = try await client.setProfile(to: ProfileEdit(bio: "Me.")) },
            { _ = try await client.collections(of: "ada") }, { _ = try await client.ownCollections() },
            { _ = try await client.collections(with: "quest") }, { _ = try await client.memberCollection(.make()) },
            { _ = try await client.makeCollection(MemberCollectionEdit(title: "Mine")) },
            { _ = try await client.setCollection(MemberCollectionID.make(), to: MemberCollectionEdit(title: "Mine")) },
            { try await client.deleteCollection(MemberCollectionID.make()) },
            { try await client.set(true, "quest", in: .make()) }, { try await client.set(false, "quest", in: .make()) },
            { _ = try await client.exportAccount() },
            { _ = try await client.eraseAccount(ErasureRequest(templates: .leave)) },
            { _ = try await client.erasure() },
            { try await client.keepAccount() },
            { _ = try await client.ownSanctions(cursor: "next", limit: 10) },
            { _ = try await client.appeals(limit: 10).all() }, { _ = try await client.appeal("1") },
            { _ = try await client.appeal(AppealRequest(subject: .submission, id: "1", text: "Please.")) },
        ]
    }

    private var security: [Made] {
        [
            { _ = try await client.register(RegisterRequest(handle: "ada", email: nil, password: "secret")) },
            { _ = try await client.logIn(LoginRequest(login: "ada", password: "secret")) },
            { try await client.logOut() }, { _ = try await client.me() },
            { _ = try await client.tokens(limit: 10) },
            { _ = try await client.makeToken(TokenRequest(name: "it", scopes: [])) },
            { try await client.revokeToken(.make()) }, { try await client.revokeLeakedToken(.init(token: "found")) },
            { _ = try await client.signInProviders() },
            { _ = try await client.finishSignIn(SecondFactorRequest(ticket: "t", code: "1")) },
            { try await client.confirmSession(ConfirmationRequest(code: "1")) },
            { try await client.verifyEmail(EmailVerification(token: "t")) },
            { try await client.forgotPassword(PasswordResetRequest(login: "ada")) },
            { try await client.resetPassword(PasswordReset(token: "t", password: "secret")) },
            { _ = try await client.editAccount(AccountEdit(displayName: "Ada")) },
            { try await client.changePassword(PasswordChange(password: "secret")) },
            { try await client.changeEmail(EmailChange(email: "ada@example.org")) },
            { try await client.resendVerification() }, { _ = try await client.sessions(limit: 10).all() },
            { try await client.endSession(.make()) }, { try await client.endOtherSessions() },
            { _ = try await client.identities() }, { try await client.unlinkIdentity(.make()) },
            { _ = try await client.secondFactor() }, { _ = try await client.beginSecondFactor() },
            { _ = try await client.activateSecondFactor(SecondFactorCode(code: "1")) },
            { _ = try await client.renewRecoveryCodes() }, { try await client.removeSecondFactor() },
        ]
    }

    private var moderation: [Made] {
        [
            { _ = try await client.moderationQueuePage(matching: Self.everyCase, cursor: "next", limit: 10) },
            { _ = try await client.claimNext() }, { _ = try await client.moderationReasons(language: "de") },
            { _ = try await client.riskRules(days: 7) }, { _ = try await client.moderationStatistics() },
            { _ = try await client.auditLog(limit: 10).all() }, { _ = try await client.exportAuditLog() },
            { _ = try await client.sanctions(of: .make(), cursor: "next", limit: 10) },
            {
                let warning = SanctionRequest(kind: "warning", reasonCode: "spam", message: "Please stop.")
                _ = try await client.impose(warning, on: .make())
            }, { try await client.lift(.make(), of: .make(), LiftRequest(reason: "Wrong.")) },
        ]
    }

    private var cases: [Made] {
        let decision = DecisionRequest(decision: .approve, reasonCode: "ok", message: "")
        return [
            { _ = try await client.openCase(.init(subject: .init(kind: .template, id: "quest"), note: "Look.")) },
            { _ = try await client.moderationCase(.make()) }, { _ = try await client.claim(.make()) },
            { _ = try await client.release(.make()) }, { _ = try await client.decide(CaseID.make(), decision) },
            { _ = try await client.decide(BulkDecisionRequest(cases: [.make()], decision: decision)) },
            { _ = try await client.confirm(.make()) }, { _ = try await client.decline(.make(), .init(reason: "No.")) },
            { _ = try await client.note(NoteRequest(text: "Hm."), on: .make()) },
            { _ = try await client.messages(of: CaseID.make(), limit: 10).all() },
            { _ = try await client.write(MessageRequest(text: "Hello."), on: CaseID.make()) },
            { _ = try await client.downloadTicket(for: CaseID.make()) },
            { _ = try await client.difference(ContentHash(hashing: Data()), in: .make()) },
        ]
    }

    private var copyright: [Made] {
        [
            {
                _ = try await client.submitCopyrightNotice(
                    CopyrightNoticeRequest(
                        subject: .init(kind: .template, id: "quest"), name: "Ada", email: "ada@example.org",
                        address: "Here", phone: "1", work: "Mine", explanation: "It is.", inGoodFaith: true,
                        underPenaltyOfPerjury: true, signature: "Ada"))
            }, { _ = try await client.copyrightNotices(state: "received", limit: 10).all() },
            { _ = try await client.copyrightNotice(.make()) },
            {
                _ = try await client.counter(
                    .make(),
                    CounterNoticeRequest(
                        name: "Rita", address: "There", phone: "2", explanation: "It is not.",
                        underPenaltyOfPerjury: true, consentsToJurisdiction: true, signature: "Rita"))
            },
            {
                let decision = CopyrightDecisionRequest(decision: "accept", message: "So it is.")
                _ = try await client.decide(CopyrightNoticeID.make(), decision)
            },
        ]
    }

    private var webhooks: [Made] {
        [
            { _ = try await client.webhooks(limit: 10).all() }, { _ = try await client.webhook(.make()) },
            { _ = try await client.makeWebhook(WebhookRequest(url: "https://example.org", events: [])) },
            { _ = try await client.change(WebhookID.make(), WebhookPatch(isEnabled: false)) },
            { try await client.deleteWebhook(.make()) }, { _ = try await client.renewSecret(of: .make()) },
            { _ = try await client.ping(.make()) },
            { _ = try await client.deliveries(of: .make(), state: "failed", limit: 10).all() },
            { _ = try await client.redeliver(.make(), of: .make()) },
        ]
    }
}
