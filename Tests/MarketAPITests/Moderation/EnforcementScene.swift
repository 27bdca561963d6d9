// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketWire
import Moderation
import NIOCore
import NIOHTTP1
import Postgres
import ServiceLifecycle
import SheetCore
import TestSupport
import Testing

@testable import MarketAPI
@testable import MarketAccounts
@testable import MarketCatalog
@testable import MarketHTTP
@testable import MarketPages
@testable import MarketPlatform
@testable import ModerationService

/// Several whole nodes on one database and one storage folder, each on a socket of its own.
struct EnforcementScene: Sendable {
    struct Node: Sendable {
        let features: Features
        let routes: [RouteDescription]
        let http: TestHTTP
    }

    /// A template that the scene made.
    struct Made: Sendable {
        var id: TemplateID
        var slug: String
        var owner: UserID
    }

    let nodes: [Node]
    let clock: StandingClock

    var node: Node { nodes[0] }
    var features: Features { nodes[0].features }
    var http: TestHTTP { nodes[0].http }

    static func run(
        nodes count: Int = 1, limits: MarketLimits = MarketLimits(), risk: RiskPolicy = RiskPolicy(),
        reasons: ReasonBook = ReasonBook(),
        _ body: @escaping @Sendable (EnforcementScene) async throws -> Void
    ) async throws {
        let own = try await TestCluster.shared.makeOwnedDatabase()
        let folder = try ScratchFolder("enforcement")
        let clock = StandingClock()
        let signer = try DownloadSigner(setting: DownloadSigner.makeKeySetting(id: "t"))
        let (ports, portSink) = AsyncStream<(Int, Int)>.makeStream()
        var markets: [(Features, MarketApplication)] = []
        for index in 0..<count {
            let features = try Features.test(
                database: PostgresClient(
                    configuration: .calm(connectionString: own.connection), logger: TestLog.logger),
                storage: try await DiskStorage.open(folder.url), signer: signer, limits: limits, risk: risk,
                reasons: reasons,
                now: { clock.now }, logger: TestLog.logger)
            let application = MarketApplication(
                features: features, pages: try TestPages.shared.get(), listen: .init(host: "127.0.0.1", port: 0),
                rates: .generous,
                onRunning: { portSink.yield((index, $0)) })
            markets.append((features, application))
        }
        let all = markets
        let services = ServiceGroup(
            configuration: .init(services: all.map { $0.1 as any Service }, logger: TestLog.logger))
        do {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await services.run() }
                group.addTask {
                    var found: [Int: Int] = [:]
                    for await (index, port) in ports {
                        found[index] = port
                        if found.count == count { break }
                    }
                    let ready = all.enumerated().map { index, pair in
                        Node(
                            features: pair.0, routes: pair.1.routes,
                            http: TestHTTP(base: "http://127.0.0.1:\(found[index] ?? 0)"))
                    }
                    let scene = EnforcementScene(nodes: ready, clock: clock)
                    try await scene.features.database.execute(
                        "INSERT INTO game_systems (slug, name, aliases) VALUES ('dnd5e', 'Dungeons & Dragons', '{}')")
                    try await body(scene)
                    await services.triggerGracefulShutdown()
                }
                do {
                    while try await group.next() != nil {}
                } catch {
                    group.cancelAll()
                    throw error
                }
            }
        } catch {
            for (features, _) in all { await features.database.shutdown() }
            throw error
        }
        for (features, _) in all { await features.database.shutdown() }
        withExtendedLifetime((folder, own)) {}
    }

    /// An account of the role, and a caller with a token of it that has every scope.
    func person(_ handle: String, role: UserRole = .user) async throws -> (id: UserID, http: TestHTTP) {
        let accounts = AccountService(accounts: features.accounts)
        let user = try await accounts.ensureSystemUser(handle: handle, role: role)
        let token = try await accounts.makeToken(name: "test", scopes: TokenScope.all, expiresInDays: 365, for: user.id)
        return (user.id, http.signedIn(token.token))
    }

    /// A published template of one version.
    func template(_ name: String, by owner: UserID, version: String = "1.0.0") async throws -> Made {
        let slug = try #require(Slug(slugging: name))
        let made = Made(id: .make(), slug: slug.text, owner: owner)
        try await features.database.execute(
            """
            INSERT INTO templates (id, slug, owner_id, game_system, name, summary, description, tags, license, language,
                published_at)
            VALUES (\(made.id), \(made.slug), \(owner), 'dnd5e', \(name), 'A sheet.', 'Words.', '{blue}', 'CC-BY-4.0',
                'en', now())
            """)
        try await publish(version, of: made)
        return made
    }

    /// One more version, with bytes of its own unless said otherwise.
    func publish(_ number: String, of template: Made, bytes: [UInt8]? = nil) async throws {
        let writer = try await features.storage.makeWriter()
        try await writer.write(ByteBuffer(bytes: bytes ?? Array("%PDF-1.7 \(template.slug) \(number)".utf8)))
        let object = try await writer.finish()
        let submission = SubmissionID.make()
        try await features.database.withTransaction { connection in
            try await connection.execute(
                """
                INSERT INTO artifacts (sha256, size_bytes, media_type)
                VALUES (\(object.hash), \(object.sizeBytes), 'application/pdf') ON CONFLICT DO NOTHING
                """)
            try await connection.execute(
                """
                INSERT INTO submissions (id, template_id, uploader_id, version, metadata, artifact_sha256, file_name,
                    size_bytes, state, page_count)
                VALUES (\(submission), \(template.id), \(template.owner), \(number), '{}', \(object.hash), 'sheet.pdf',
                    \(object.sizeBytes), 'published', 0)
                """)
            try await connection.execute(
                """
                INSERT INTO versions (id, template_id, submission_id, number, artifact_sha256, file_name, size_bytes,
                    page_count, changelog)
                VALUES (\(VersionID.make()), \(template.id), \(submission), \(number), \(object.hash), 'sheet.pdf',
                    \(object.sizeBytes), 0, 'News.')
                """)
            try await Publishing.recomputeLatest(connection, templateID: template.id)
        }
    }

    /// Somebody's review.
    func review(_ template: Made, by user: UserID, stars: Int = 1) async throws -> ReviewID {
        let id = ReviewID.make()
        try await features.database.execute(
            """
            INSERT INTO reviews (id, template_id, user_id, version_id, stars, text, created_at, updated_at)
            SELECT \(id), t.id, \(user), t.latest_version_id, \(Int32(stars)), 'Words.', now(), now()
            FROM templates AS t WHERE t.id = \(template.id)
            """)
        return id
    }

    func takeDown(_ subject: CaseSubject, reasonCode: String = "copyright", message: String = "It was stolen.")
        async throws
    {
        clock.advance(by: 1)
        let now = clock.now
        try await features.database.withTransaction { connection in
            try await Enforcement.takeDown(
                subject, decision: nil, reasonCode: reasonCode, message: message, at: now, in: connection)
        }
        await Enforcement.committed(features.moderation)
    }

    func restore(_ subject: CaseSubject) async throws {
        let now = clock.now
        try await features.database.withTransaction { connection in
            try await Enforcement.restore(subject, decision: nil, at: now, in: connection)
        }
        await Enforcement.committed(features.moderation)
    }

    func impose(_ measure: Sanction.Measure, on user: UserID, reasonCode: String = "spam") async throws -> SanctionID {
        let now = clock.now
        let sanction = Sanction(id: .make(at: now), measure, reasonCode: reasonCode, message: "Advertising.")
        try await features.database.withTransaction { connection in
            try await Enforcement.impose(sanction, on: user, decision: nil, at: now, in: connection)
        }
        return sanction.id
    }

    /// The signed address of a version.
    func address(_ template: Made, _ version: String = "latest", on node: Node? = nil) async throws -> String {
        let answer = try await (node ?? self.node).http.get("\(Paths.download(template.slug, version))?redirect=false")
        return try answer.json(DownloadTicket.self).url
    }

    /// State and reason of each version, by number.
    func states(_ template: Made) async throws -> [String] {
        try await features.database.all(
            "SELECT number, state, state_reason FROM versions WHERE template_id = \(template.id) ORDER BY number"
        ) { row in
            let reason = try row.get(2, as: String?.self)
            return try row.get(0, as: String.self) + " " + row.get(1, as: String.self) + (reason.map { " \($0)" } ?? "")
        }
    }
}
