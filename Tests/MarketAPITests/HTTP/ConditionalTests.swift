// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import HummingbirdTesting
import MarketPages
import MarketPlatform
import MarketWire
import NIOCore
import NIOFoundationCompat
import NIOHTTP1
import Postgres
import SheetCore
import TestSupport
import Testing

@testable import MarketAccounts
@testable import MarketHTTP

@Suite("Changes with a condition")
struct ConditionalTests {
    private static func send(
        _ method: HTTPRequest.Method, _ path: String, _ json: (any Encodable & Sendable)?, as caller: UserID,
        ifMatch: String? = nil, ifNoneMatch: String? = nil, in scene: CatalogScene
    ) async throws -> TestResponse {
        var headers: HTTPFields = [.contentType: "application/json"]
        headers[.ifMatch] = ifMatch
        headers[.ifNoneMatch] = ifNoneMatch
        let body = try json.map { ByteBuffer(data: try WireJSON.encoder().encode($0)) }
        headers[.contentLength] = body.map { String($0.readableBytes) }
        return try await scene.send(method, Paths.base + path, as: caller, headers: headers, body: body)
    }

    private static func tag(_ path: String, as caller: UserID? = nil, in scene: CatalogScene) async throws -> String {
        let answer = try await scene.get(path, as: caller)
        #expect(answer.status == .ok, "\(path): \(String(buffer: answer.body))")
        return try #require(answer.headers[.eTag])
    }

    @Test("Who edits what has changed since they read it hears 412, and nothing is lost")
    func lostUpdate() async throws {
        try await CatalogScene.run { scene in
            let made = try await scene.addTemplate("Sheet")
            let path = "/templates/\(made.slug)"
            let tag = try await Self.tag(path, in: scene)
            let first = try await Self.send(
                .patch, path, TemplatePatch(summary: "By the first."), as: scene.owner, ifMatch: tag, in: scene)
            #expect(first.status == .ok, "\(String(buffer: first.body))")
            let second = try await Self.send(
                .patch, path, TemplatePatch(summary: "By the second."), as: scene.owner, ifMatch: tag, in: scene)
            #expect(second.status == .preconditionFailed && second.problem == .preconditionFailed)
            let present = try await scene.get(path).json(TemplateDetail.self)
            #expect(present.summary.summary == "By the first.")
            let again = try await Self.send(
                .patch, path, TemplatePatch(summary: "By the second."), as: scene.owner,
                ifMatch: "\"other\", \(try await Self.tag(path, in: scene))", in: scene)
            #expect(again.status == .ok)
        }
    }

    @Test("Of many who read the same, one changes it")
    func race() async throws {
        try await CatalogScene.run { scene in
            let made = try await scene.addTemplate("Sheet")
            let path = "/templates/\(made.slug)"
            let tag = try await Self.tag(path, in: scene)
            let statuses = try await withThrowingTaskGroup(of: HTTPResponse.Status.self) { group in
                for number in 0..<8 {
                    group.addTask {
                        try await Self.send(
                            .patch, path, TemplatePatch(summary: "Number \(number)."), as: scene.owner, ifMatch: tag,
                            in: scene
                        ).status
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses.count { $0 == .ok } == 1)
            #expect(statuses.count { $0 == .preconditionFailed } == 7)
        }
    }

    @Test("Downloads and ratings change what is answered, and its tag, but not what an editor has read")
    func volatileParts() async throws {
        try await CatalogScene.run(responses: ResponseCache(timeToLive: .zero)) { scene in
            let made = try await scene.addTemplate("Sheet")
            let path = "/templates/\(made.slug)"
            let tag = try await Self.tag(path, in: scene)
            try await scene.features.database.execute("UPDATE templates SET downloads = downloads + 7")
            #expect(try await Self.tag(path, in: scene) != tag)
            let gzip = try await scene.get(path, headers: [.acceptEncoding: "gzip"]).headers[.eTag]
            for given in [tag, try #require(gzip)] {
                let answer = try await Self.send(
                    .patch, path, TemplatePatch(description: "Words."), as: scene.owner, ifMatch: given, in: scene)
                #expect(answer.status == .ok, "\(given)")
            }
        }
    }

    @Test("A weak tag never matches, a star matches what is there, and rights come before conditions")
    func comparison() async throws {
        try await CatalogScene.run { scene in
            let made = try await scene.addTemplate("Sheet")
            let path = "/templates/\(made.slug)"
            let tag = try await Self.tag(path, in: scene)
            let patch = TemplatePatch(summary: "Changed.")
            for bad in ["W/\(tag)", "", "nonsense", tag.replacing("\"", with: "")] {
                let answer = try await Self.send(.patch, path, patch, as: scene.owner, ifMatch: bad, in: scene)
                #expect(answer.status == .preconditionFailed, "\(bad)")
            }
            let stranger = UserID.make()
            try await scene.addUser(stranger, "mallory")
            let theirs = try await Self.send(.patch, path, patch, as: stranger, ifMatch: "\"no\"", in: scene)
            #expect(theirs.status == .forbidden)
            #expect(try await Self.send(.patch, path, patch, as: scene.owner, ifMatch: "*", in: scene).status == .ok)
        }
    }

    @Test("Zoom regions, deprecations, collections, reviews and replies look at it, too")
    func others() async throws {
        try await CatalogScene.run { scene in
            let made = try await scene.addTemplate("Sheet")
            let path = "/templates/\(made.slug)"
            let reviewer = UserID.make()
            let moderator = UserID.make()
            try await scene.addUser(reviewer, "karl")
            try await scene.addUser(moderator, "moritz", role: .moderator)
            let put = try await Self.send(
                .put, "\(path)/reviews/mine", ReviewRequest(stars: 4, text: "Good."), as: reviewer, in: scene)
            let review = try put.json(Review.self)
            let collection = CollectionEdit(title: "First", items: [.init(templateId: made.id)])
            _ = try await Self.send(.put, "/collections/first", collection, as: moderator, in: scene)
            let regions = RegionList(pages: [
                .init(
                    index: 0,
                    regions: [
                        ZoomRegion(
                            id: "combat", name: "Combat", rect: .init(x: 0, y: 0, width: 0.5, height: 0.25),
                            pageIndex: 0)
                    ])
            ])
            let changes: [(read: String, write: String, HTTPRequest.Method, any Encodable & Sendable, UserID)] = [
                ("\(path)/versions/1.0.0/regions", "\(path)/versions/1.0.0/regions", .put, regions, scene.owner),
                (path, "\(path)/deprecation", .put, DeprecationRequest(message: "Old."), scene.owner),
                (
                    "/collections/first", "/collections/first", .put,
                    CollectionEdit(title: "Second", items: collection.items), moderator
                ),
                (
                    "\(path)/reviews/mine", "\(path)/reviews/mine", .put, ReviewRequest(stars: 2, text: "Bad."),
                    reviewer
                ),
            ]
            for change in changes {
                let tag = try await Self.tag(change.read, as: change.4, in: scene)
                func send() async throws -> HTTPResponse.Status {
                    try await Self.send(change.2, change.write, change.3, as: change.4, ifMatch: tag, in: scene).status
                }
                #expect(try await send() == .ok, "\(change.write)")
                #expect(try await send() == .preconditionFailed, "\(change.write)")
            }
            let reply = "/reviews/\(review.id)/reply"
            func answer(_ text: String, ifMatch: String? = nil, ifNew: String? = nil) async throws
                -> HTTPResponse.Status
            {
                try await Self.send(
                    .put, reply, ReplyRequest(text: text), as: scene.owner, ifMatch: ifMatch, ifNoneMatch: ifNew,
                    in: scene
                ).status
            }
            #expect(try await answer("Thanks.", ifNew: "*") == .created)
            #expect(try await answer("Thanks again.", ifNew: "*") == .preconditionFailed)
            let tag = try await Self.tag("/reviews/\(review.id)", in: scene)
            #expect(try await answer("Thanks a lot.", ifMatch: tag) == .ok)
            let removal = try await Self.send(.delete, reply, nil, as: scene.owner, ifMatch: tag, in: scene)
            #expect(removal.status == .preconditionFailed)
        }
    }

    @Test("A version's channel and offer are changed only by who read what they are now")
    func versions() async throws {
        try await CatalogScene.run { scene in
            let made = try await scene.addTemplate("Sheet")
            try await scene.addVersion("1.1.0", of: made)
            let path = "/templates/\(made.slug)/versions/1.1.0"
            @Sendable func send(
                _ act: String, _ wish: (any Encodable & Sendable)?, ifMatch tag: String
            ) async throws -> HTTPResponse.Status {
                let method: HTTPRequest.Method = act == "channel" ? .put : .post
                return try await Self.send(method, "\(path)/\(act)", wish, as: scene.owner, ifMatch: tag, in: scene)
                    .status
            }
            let changes: [(act: String, wish: (any Encodable & Sendable)?)] = [
                ("channel", ChannelRequest(channel: .beta)), ("yank", YankRequest(reason: "Broken.")), ("unyank", nil),
            ]
            for change in changes {
                let tag = try await Self.tag(path, as: scene.owner, in: scene)
                // Corrected regions are no matter of the offer.
                try await scene.features.database.execute("UPDATE submission_pages SET regions = '[]'")
                let first = try await send(change.act, change.wish, ifMatch: tag)
                let late = try await send(change.act, change.wish, ifMatch: tag)
                #expect(first == .ok && late == .preconditionFailed, "\(change.act)")
            }
            let tag = try await Self.tag(path, as: scene.owner, in: scene)
            let statuses = try await withThrowingTaskGroup(of: HTTPResponse.Status.self) { group in
                for number in 0..<6 {
                    group.addTask { try await send("yank", YankRequest(reason: "Number \(number)."), ifMatch: tag) }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses.count { $0 == .ok } == 1)
            #expect(statuses.count { $0 == .preconditionFailed } == 5)
            let stranger = UserID.make()
            try await scene.addUser(stranger, "mallory")
            let theirs = try await Self.send(
                .put, "\(path)/channel", ChannelRequest(channel: .stable), as: stranger, ifMatch: "\"no\"", in: scene)
            #expect(theirs.status == .forbidden)
        }
    }

    @Test("Who works on a template is changed only by who read who does now")
    func authors() async throws {
        try await CatalogScene.run { scene in
            let made = try await scene.addTemplate("Sheet")
            for handle in ["karl", "mia"] {
                let id = UserID.make()
                try await scene.addUser(id, handle)
                try await scene.features.database.execute(
                    """
                    INSERT INTO template_authors (template_id, user_id, role)
                    VALUES (\(made.id), \(id), 'contributor')
                    """)
            }
            let path = "/templates/\(made.slug)/authors"
            func send(
                _ method: HTTPRequest.Method, _ handle: String, ifMatch tag: String? = nil, ifNew: String? = nil
            ) async throws -> HTTPResponse.Status {
                let wish: AuthorChange? = method == .put ? AuthorChange(role: .maintainer) : nil
                return try await Self.send(
                    method, "\(path)/\(handle)", wish, as: scene.owner, ifMatch: tag, ifNoneMatch: ifNew, in: scene
                ).status
            }
            let tag = try await Self.tag(path, as: scene.owner, in: scene)
            let changed = try await send(.put, "mia", ifMatch: tag)
            let late = try await send(.delete, "karl", ifMatch: tag)
            let isThere = try await send(.put, "karl", ifNew: "*")
            #expect(changed == .ok && late == .preconditionFailed && isThere == .preconditionFailed)
            let list = try await scene.get(path, as: scene.owner).json(AuthorList.self)
            #expect(list.authors.map(\.handle) == ["nadia", "karl", "mia"])
            #expect(list.authors.map(\.role) == [.owner, .contributor, .maintainer])
            let present = try await Self.tag(path, as: scene.owner, in: scene)
            let removed = try await send(.delete, "karl", ifMatch: present)
            #expect(removed == .noContent)
        }
    }

    @Test("An account's profile is changed only by who read what it is now")
    func profile() async throws {
        try await withMarket { market in
            let service = AccountService(accounts: market.features.accounts)
            let user = try await service.ensureSystemUser(handle: "nadia")
            let secret = try await service.makeSession(
                for: user.id, from: SignInDevice(userAgent: "test", address: nil))
            let session = [
                ("Cookie", "\(SessionCookie(isSecure: market.features.platform.secureCookies).name)=\(secret.text)"),
                ("Sec-Fetch-Site", "same-origin"),
            ]
            @Sendable func read() async throws -> String {
                let answer = try await market.http.get("\(Paths.base)/me", headers: session)
                return try #require(answer.headers.first(name: "etag"))
            }
            @Sendable func change(_ name: String, ifMatch tag: String) async throws -> Int {
                try await market.http.send(
                    .PATCH, "\(Paths.base)/me", json: AccountEdit(displayName: name),
                    headers: session + [("If-Match", tag)]
                ).status
            }
            let tag = try await read()
            // An address is not what an editor of the profile has read.
            try await market.features.database.execute(
                "UPDATE users SET email = 'new@example.org' WHERE id = \(user.id)")
            let other = try await read()
            #expect(other != tag)
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<6 { group.addTask { try await change("Nadia \(number)", ifMatch: tag) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses.count { $0 == 200 } == 1)
            #expect(statuses.count { $0 == 412 } == 5)
            let present = try await read()
            let again = try await change("Nadia", ifMatch: present)
            #expect(again == 200)
        }
    }

    @Test("Things are made only where there are none, and removed only as they were read")
    func makingAndRemoving() async throws {
        try await CatalogScene.run { scene in
            let moderator = UserID.make()
            try await scene.addUser(moderator, "moritz", role: .moderator)
            let edit = CollectionEdit(title: "First", items: [])
            let statuses = try await withThrowingTaskGroup(of: HTTPResponse.Status.self) { group in
                for _ in 0..<6 {
                    group.addTask {
                        try await Self.send(
                            .put, "/collections/first", edit, as: moderator, ifNoneMatch: "*", in: scene
                        ).status
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses.count { $0 == .created } == 1)
            #expect(statuses.count { $0 == .preconditionFailed } == 5)
            let missing = try await Self.send(
                .put, "/collections/second", edit, as: moderator, ifMatch: "*", in: scene)
            #expect(missing.status == .preconditionFailed)
            let old = try await Self.tag("/collections/first", in: scene)
            let changed = CollectionEdit(title: "Changed", items: [])
            _ = try await Self.send(.put, "/collections/first", changed, as: moderator, in: scene)
            let refused = try await Self.send(
                .delete, "/collections/first", nil, as: moderator, ifMatch: old, in: scene)
            #expect(refused.status == .preconditionFailed)
            let present = try await Self.tag("/collections/first", in: scene)
            let removed = try await Self.send(
                .delete, "/collections/first", nil, as: moderator, ifMatch: present, in: scene)
            #expect(removed.status == .noContent)
        }
    }

    private static func webhook(in scene: CatalogScene) async throws -> WebhookID {
        let wish = WebhookRequest(url: "https://example.org/a", events: [.versionPublished])
        let made = try await scene.send(.post, "/webhooks", as: scene.owner, json: wish)
        return try made.json(NewWebhook.self).webhook.id
    }

    @Test("A change waits for the postman who turns the webhook off, and neither it nor what else changed is lost")
    func changedAtOnce() async throws {
        try await CatalogScene.run { scene in
            let id = try await Self.webhook(in: scene)
            let path = "/webhooks/\(id)"
            let answer = try await scene.features.database.withTransaction { connection in
                try await connection.execute(
                    "UPDATE webhooks SET disabled_at = now(), disabled_reason = 'gone' WHERE id = \(id)")
                let change = Task {
                    try await scene.send(.patch, path, as: scene.owner, json: WebhookPatch(description: "Mine.")).status
                }
                let deadline = ContinuousClock.now + .seconds(600)
                var waits = false
                while !waits {
                    try #require(ContinuousClock.now < deadline, "nothing waits for the row")
                    try await Task.sleep(for: .milliseconds(10))
                    waits = try await connection.scalar(
                        """
                        SELECT EXISTS (
                            SELECT FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY (pg_blocking_pids(pid)))
                        """)
                }
                return change
            }
            #expect(try await answer.value == .ok)
            let now: Webhook = try await scene.get(path, as: scene.owner).json()
            #expect(!now.isEnabled && now.disabledReason == "gone" && now.description == "Mine.")

            // Many at once change each their own.
            try await withThrowingTaskGroup(of: HTTPResponse.Status.self) { group in
                let patches = [
                    WebhookPatch(url: "https://example.org/b"), WebhookPatch(events: [.reviewCreated]),
                    WebhookPatch(description: "Ours."), WebhookPatch(isEnabled: true),
                ]
                for patch in patches {
                    group.addTask { try await scene.send(.patch, path, as: scene.owner, json: patch).status }
                }
                for try await status in group { #expect(status == .ok) }
            }
            let last: Webhook = try await scene.get(path, as: scene.owner).json()
            #expect(last.url == "https://example.org/b" && last.events == [.reviewCreated])
            #expect(last.description == "Ours." && last.isEnabled)
        }
    }

    @Test("A webhook that changed since it was read is not changed by who sends the tag of then")
    func changedSince() async throws {
        try await CatalogScene.run { scene in
            let id = try await Self.webhook(in: scene)
            let path = "/webhooks/\(id)"
            func change(_ description: String, ifMatch tag: String) async throws -> HTTPResponse.Status {
                try await Self.send(
                    .patch, path, WebhookPatch(description: description), as: scene.owner, ifMatch: tag, in: scene
                ).status
            }
            let tag = try await Self.tag(path, as: scene.owner, in: scene)
            // How deliveries go is not what an editor has read.
            try await scene.features.database.execute("UPDATE webhooks SET failing_since = now()")
            #expect(try await change("First.", ifMatch: tag) == .ok)
            #expect(try await change("Second.", ifMatch: tag) == .preconditionFailed)
            let now: Webhook = try await scene.get(path, as: scene.owner).json()
            #expect(now.description == "First.")
            let present = try await Self.tag(path, as: scene.owner, in: scene)
            try await scene.features.database.execute(
                "UPDATE webhooks SET disabled_at = now(), disabled_reason = 'gone'")
            #expect(try await change("Third.", ifMatch: present) == .preconditionFailed)
        }
    }
}
