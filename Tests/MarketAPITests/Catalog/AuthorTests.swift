// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import HummingbirdTesting
import MarketPlatform
import MarketWire
import NIOCore
import Postgres
import SheetCore
import Synchronization
import Testing

@testable import MarketAccounts
@testable import MarketCatalog
@testable import MarketHTTP

@Suite("Templates with several authors")
struct AuthorTests {
    /// A scene with a template `sheet` and people beside its owner.
    private struct People: Sendable {
        let scene: CatalogScene
        let mia = UserID.make()
        let carl = UserID.make()
        let stranger = UserID.make()

        static func run(
            now: @escaping @Sendable () -> Date = { Date() }, _ body: @escaping @Sendable (People) async throws -> Void
        ) async throws {
            try await CatalogScene.run(now: now) { scene in
                let people = People(scene: scene)
                try await scene.addUser(people.mia, "mia")
                try await scene.addUser(people.carl, "carl")
                try await scene.addUser(people.stranger, "stranger")
                try await scene.addTemplate("Sheet")
                try await body(people)
            }
        }

        func invite(_ handle: String, _ role: AuthorRole, as caller: UserID?) async throws -> TestResponse {
            try await scene.send(
                .post, "/templates/sheet/invitations", as: caller, json: InvitationRequest(handle: handle, role: role))
        }

        func answer(_ invitation: Invitation, _ word: String, as caller: UserID?) async throws -> TestResponse {
            try await scene.send(.post, "\(Paths.base)/invitations/\(invitation.id)/\(word)", as: caller)
        }

        /// Invites and accepts.
        func join(_ user: UserID, _ handle: String, _ role: AuthorRole) async throws {
            let invitation = try await invite(handle, role, as: scene.owner).json(Invitation.self)
            #expect(try await answer(invitation, "accept", as: user).status == .ok)
        }

        func authors() async throws -> [String] {
            try await scene.get("/templates/sheet/authors").json(AuthorList.self).authors.map {
                "\($0.handle) \($0.role.rawValue)"
            }
        }

        func mine(_ user: UserID) async throws -> [Invitation] {
            try await scene.get("/me/invitations", as: user).json(InvitationList.self).invitations
        }
    }

    @Test("one function says who may do what", arguments: TemplateAction.allCases)
    func rights(act: TemplateAction) {
        func may(_ author: AuthorRole?, _ role: UserRole = .user) -> Bool {
            TemplatePermissions(author: author, role: role).may(act)
        }
        #expect(may(.owner) && !may(nil))
        #expect(may(.maintainer) == ![.rename, .manageAuthors, .allowTraining].contains(act))
        #expect(may(.contributor) == [.uploadVersion, .correctRegions].contains(act))
        #expect(may(nil, .moderator) == (act == .correctRegions))
        #expect(may(nil, .administrator) == [.correctRegions, .withdrawVersions, .deprecate].contains(act))
    }

    @Test("a role counts only as far as the token carries it")
    func scopes() {
        func role(_ role: UserRole, _ scopes: Set<TokenScope>) -> UserRole {
            let identity = Identity(
                userID: .make(), handle: "a", role: role, credential: .token(.make()), scopes: scopes)
            return TemplatePermissions(identity, author: nil).role
        }
        #expect(role(.administrator, [.templatesWrite]) == .user)
        #expect(role(.administrator, [.templatesWrite, .moderation]) == .moderator)
        #expect(role(.administrator, [.administration]) == .administrator)
        #expect(role(.moderator, [.moderation, .administration]) == .moderator)
        #expect(role(.user, Set(TokenScope.all)) == .user)
    }

    @Test("owner, maintainer and contributor through HTTP")
    func parts() async throws {
        try await People.run { people in
            let scene = people.scene
            try await people.join(people.mia, "mia", .maintainer)
            try await people.join(people.carl, "carl", .contributor)
            #expect(try await people.authors() == ["nadia owner", "mia maintainer", "carl contributor"])
            let number = Mutex(0)
            func statuses(_ caller: UserID) async throws -> [Int] {
                let version = "1.0.\(number.withLock { $0 += 1; return $0 })"
                let path = "/templates/sheet/versions/1.0.0"
                let upload = try await scene.upload(.init(version: version), to: "sheet", as: caller)
                let changing = try await scene.upload(
                    .init(summary: "Other \(version).", version: version + "-rc.1"), to: "sheet", as: caller)
                let edit = try await scene.send(
                    .patch, "/templates/sheet", as: caller, json: TemplatePatch(tags: ["a"]))
                let rename = try await scene.send(
                    .patch, "/templates/sheet", as: caller, json: TemplatePatch(slug: "sheet"))
                let yank = try await scene.send(.post, Paths.base + "\(path)/yank", as: caller)
                let unyank = try await scene.send(.post, Paths.base + "\(path)/unyank", as: caller)
                let regions = try await scene.send(.put, "\(path)/regions", as: caller, json: RegionList(pages: []))
                let channel = try await scene.send(
                    .put, "\(path)/channel", as: caller, json: ChannelRequest(channel: .stable))
                let deprecate = try await scene.send(
                    .put, "/templates/sheet/deprecation", as: caller, json: DeprecationRequest(message: "Old."))
                let invite = try await people.invite("nobody", .maintainer, as: caller)
                return [upload, changing, edit, rename, yank, unyank, regions, channel, deprecate, invite].map(
                    \.status.code)
            }
            #expect(try await statuses(people.stranger) == [403, 403, 403, 403, 403, 403, 403, 403, 403, 403])
            #expect(try await statuses(people.carl) == [202, 403, 403, 403, 403, 403, 200, 403, 403, 403])
            #expect(try await statuses(people.mia) == [202, 202, 200, 403, 200, 200, 200, 200, 200, 403])
            #expect(try await statuses(scene.owner) == [202, 202, 200, 200, 200, 200, 200, 200, 200, 422])
        }
    }

    @Test("an invitation is accepted, declined or withdrawn by those whom it concerns, once")
    func answers() async throws {
        try await People.run { people in
            let owner = people.scene.owner
            let first = try await people.invite("Mia", .maintainer, as: owner)
            #expect(first.status == .created)
            let invitation = try first.json(Invitation.self)
            #expect(invitation.state == .open && invitation.inviter == "nadia" && invitation.invitee == "mia")
            #expect(try await people.mine(people.mia) == [invitation])
            #expect(try await people.mine(people.carl).isEmpty)
            #expect(try await people.invite("mia", .contributor, as: owner).status == .conflict)
            for word in ["accept", "decline", "withdraw"] {
                #expect(try await people.answer(invitation, word, as: nil).status == .unauthorized)
                #expect(try await people.answer(invitation, word, as: people.stranger).status == .notFound)
            }
            #expect(try await people.answer(invitation, "accept", as: owner).status == .forbidden)
            #expect(try await people.answer(invitation, "withdraw", as: people.mia).status == .forbidden)
            let declined = try await people.answer(invitation, "decline", as: people.mia).json(Invitation.self)
            #expect(declined.state == .declined)
            #expect(try await people.answer(invitation, "accept", as: people.mia).status == .conflict)
            #expect(try await people.authors() == ["nadia owner"])

            let second = try await people.invite("mia", .maintainer, as: owner).json(Invitation.self)
            let list = try await people.scene.get("/templates/sheet/invitations", as: owner).json(InvitationList.self)
            #expect(list.invitations == [second])
            #expect(try await people.answer(second, "withdraw", as: owner).json(Invitation.self).state == .withdrawn)
            #expect(try await people.answer(second, "accept", as: people.mia).status == .conflict)
            #expect(try await people.mine(people.mia).isEmpty)

            try await people.join(people.mia, "mia", .contributor)
            #expect(try await people.invite("mia", .maintainer, as: owner).pointers == ["/handle"])
            for handle in ["nadia", "nobody", "", "no handle"] {
                #expect(try await people.invite(handle, .maintainer, as: owner).pointers == ["/handle"], "\(handle)")
            }
            _ = try await AuditLog.verify(people.scene.features.database)
        }
    }

    @Test("an invitation that nobody answers expires")
    func expiry() async throws {
        let clock = StandingClock()
        try await People.run(now: { clock.now }) { people in
            let invitation = try await people.invite("mia", .owner, as: people.scene.owner).json(Invitation.self)
            clock.advance(by: AuthorService.invitationSeconds + 1)
            #expect(try await people.mine(people.mia).isEmpty)
            let late = try await people.answer(invitation, "accept", as: people.mia)
            #expect(late.status == .conflict && String(buffer: late.body).contains("expired"))
            #expect(try await people.authors() == ["nadia owner"])
            // It is in nobody's way.
            let again = try await people.invite("mia", .owner, as: people.scene.owner)
            #expect(again.status == .created)
        }
    }

    @Test("a template is handed over when the other side accepts; the former owner stays as a maintainer")
    func transfer() async throws {
        try await People.run { people in
            let scene = people.scene
            try await people.join(people.mia, "mia", .contributor)
            let other = try await people.invite("carl", .maintainer, as: scene.owner).json(Invitation.self)
            let offer = try await people.invite("mia", .owner, as: scene.owner).json(Invitation.self)
            #expect(try await people.invite("stranger", .owner, as: scene.owner).status == .conflict)
            // Nothing has changed before the answer.
            #expect(try await people.authors() == ["nadia owner", "mia contributor"])
            _ = try await scene.get("/templates/sheet")
            #expect(try await people.answer(offer, "accept", as: people.mia).status == .ok)
            let news: ChangeList = try await scene.get("/changes").json()
            let handedOver = news.changes.filter { $0.reason == "transferred" }
            #expect(handedOver.map(\.kind) == [.templateChanged] && handedOver.first?.slug == "sheet")
            #expect(try await people.authors() == ["mia owner", "nadia maintainer"])
            #expect(try await scene.get("/templates/sheet").json(TemplateDetail.self).summary.author == "mia")
            #expect(try await scene.names("author=mia") == ["Sheet"])
            // The former owner's other offers ended with it.
            #expect(try await people.answer(other, "accept", as: people.carl).status == .conflict)
            #expect(try await people.invite("carl", .maintainer, as: scene.owner).status == .forbidden)
            #expect(try await people.invite("carl", .maintainer, as: people.mia).status == .created)
            let actions = try await scene.features.database.all(
                "SELECT actor || ' ' || action FROM audit_entries ORDER BY sequence"
            ) { try $0.get(0, as: String.self) }
            #expect(
                actions == [
                    "nadia template.author_invited", "mia template.author_joined", "nadia template.author_invited",
                    "nadia template.transfer_offered", "mia template.transferred", "mia template.author_invited",
                ])
            _ = try await AuditLog.verify(scene.features.database)
        }
    }

    @Test("the owner changes parts and removes authors; an author leaves by themselves; the owner stays")
    func leaving() async throws {
        try await People.run { people in
            let scene = people.scene
            try await people.join(people.mia, "mia", .maintainer)
            try await people.join(people.carl, "carl", .contributor)
            func change(_ handle: String, _ role: AuthorRole, as caller: UserID) async throws -> Int {
                try await scene.send(
                    .put, "/templates/sheet/authors/\(handle)", as: caller, json: AuthorChange(role: role)
                ).status.code
            }
            func remove(_ handle: String, as caller: UserID) async throws -> Int {
                try await scene.send(.delete, "\(Paths.base)/templates/sheet/authors/\(handle)", as: caller).status.code
            }
            #expect(try await change("carl", .maintainer, as: people.mia) == 403)
            #expect(try await change("carl", .maintainer, as: scene.owner) == 200)
            #expect(try await change("carl", .owner, as: scene.owner) == 422)
            #expect(try await change("stranger", .maintainer, as: scene.owner) == 404)
            #expect(try await change("nadia", .maintainer, as: scene.owner) == 409)
            #expect(try await remove("carl", as: people.mia) == 403)
            #expect(try await remove("carl", as: people.carl) == 204)
            #expect(try await remove("carl", as: people.carl) == 404)
            #expect(try await remove("mia", as: scene.owner) == 204)
            #expect(try await remove("nadia", as: scene.owner) == 409)
            #expect(try await people.authors() == ["nadia owner"])
            let after = try await scene.upload(.init(version: "1.1.0"), to: "sheet", as: people.mia)
            #expect(after.status == .forbidden)
        }
    }

    @Test("of an accepting and a withdrawing that meet, one comes through")
    func racing() async throws {
        try await People.run { people in
            for _ in 0..<6 {
                let invitation = try await people.invite("mia", .maintainer, as: people.scene.owner).json(
                    Invitation.self)
                async let accepted = people.answer(invitation, "accept", as: people.mia).status.code
                async let withdrawn = people.answer(invitation, "withdraw", as: people.scene.owner).status.code
                let codes = try await [accepted, withdrawn]
                #expect(codes.sorted() == [200, 409])
                let isAuthor = try await people.authors().count == 2
                #expect(isAuthor == (codes[0] == 200))
                if isAuthor {
                    _ = try await people.scene.send(
                        .delete, "\(Paths.base)/templates/sheet/authors/mia", as: people.scene.owner)
                }
            }
        }
    }

    @Test("a moderator does not decide on a template that they work on")
    func ownSubmission() async throws {
        try await AccountsScene.run { scene in
            let ada = try await scene.person("ada")
            let mod = try await scene.person("mod", role: .moderator)
            let other = try await scene.person("other", role: .moderator)
            let waiting = try await scene.waiting(by: ada.id)
            try await scene.features.database.execute(
                """
                INSERT INTO template_authors (template_id, user_id, role)
                VALUES (\(waiting.template), \(mod.id), 'contributor')
                """)
            #expect(try await scene.claim(waiting.caseID, as: mod.caller).status == .forbidden)
            try await scene.approve(waiting, as: other.caller)
        }
    }
}
