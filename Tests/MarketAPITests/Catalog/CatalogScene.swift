// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import MarketTrust
import MarketWire
import ModerationService
import NIOCore
import NIOFoundationCompat
import Outgoing
import Postgres
import SheetCore
import TestSupport
import Testing

@testable import MarketCatalog
@testable import MarketCommunity
@testable import MarketHTTP
@testable import MarketIngest
@testable import MarketPages
@testable import MarketPlatform
@testable import MarketSearch
@testable import MemberPages
@testable import StaffPages

/// The catalog and its downloads on a database of their own, called over HTTP without a socket. Accounts are not part
/// of it: a caller is whoever the field `X-Test-Caller` names.
struct CatalogScene: Sendable {
    /// A template as the scene makes one.
    struct Made: Sendable {
        var id: TemplateID
        var submission: SubmissionID
        var slug: String
    }

    let features: Features
    let counter: DownloadCounter
    let client: any TestClientProtocol
    /// Who owns what the scene makes, unless said otherwise.
    let owner: UserID

    static func run(
        responses: ResponseCache = ResponseCache(timeToLive: .seconds(3600)),
        summaries: SummaryCache = SummaryCache(), outgoingPolicy: AddressPolicy = .publicOnly,
        now: @escaping @Sendable () -> Date = { Date() },
        _ body: @escaping @Sendable (CatalogScene) async throws -> Void
    ) async throws {
        let own = try await TestCluster.shared.makeOwnedDatabase()
        let database = PostgresClient(
            configuration: .calm(connectionString: own.connection), logger: TestLog.logger)
        let folder = try ScratchFolder("catalog")
        let features = try Features.test(
            database: database, storage: try await DiskStorage.open(folder.url),
            signer: try DownloadSigner(keys: [("t", Array(repeating: 7, count: 32))]), responses: responses,
            summaries: summaries, secrets: try SecretBox(setting: SecretBox.makeKeySetting(id: "test")),
            outgoingPolicy: outgoingPolicy,
            now: now, logger: TestLog.logger)
        let counter = DownloadCounter(platform: features.platform)
        let objects = ObjectServer(storage: features.storage)
        let router = Router(context: MarketRequestContext.self, options: .autoGenerateHeadEndpoints)
        router.add(middleware: try ContractMiddleware(features: features))
        router.add(middleware: EdgeMiddleware(trustedProxies: ["unknown"], observe: { _, _, _, _ in }))
        let routes = APIRoutes(router: router) { request in try await Self.caller(of: request, database) }
        let api = routes.group(Paths.base)
        CatalogRoutes(catalog: features.catalog).register(on: api)
        SearchRoutes(catalog: features.catalog).register(on: api)
        OwnerRoutes(catalog: features.catalog).register(on: api)
        AuthorRoutes(catalog: features.catalog).register(on: api)
        UploadRoutes(ingest: features.ingest).register(on: api)
        ReviewRoutes(community: features.community).register(on: api)
        StatisticsRoutes(platform: features.platform).register(on: api)
        DownloadRoutes(catalog: features.catalog, objects: objects).register(on: api)
        ChangeRoutes(platform: features.platform).register(on: api)
        DumpRoutes(platform: features.platform, objects: objects).register(on: api)
        FollowingRoutes(platform: features.platform).register(on: api)
        WebhookRoutes(platform: features.platform).register(on: api)
        FeedRoutes(features: features, siteName: "Sheetmarket").register(on: routes)
        let pages = try TestPages.shared.get()
        CatalogPages(features: features, pages: pages).register(on: routes)
        EmbedPages(features: features, pages: pages).register(on: routes)
        SitemapRoutes(features: features).register(on: routes)
        CollectionPages(features: features, pages: pages).register(on: routes)
        CollectionForms(features: features, pages: pages).register(on: routes)
        AuthorPages(features: features, pages: pages).register(on: routes)
        FollowingPages(features: features, pages: pages).register(on: routes)
        ReviewPages(features: features).register(on: routes)
        ReviewHistoryPages(features: features, pages: pages).register(on: routes)
        ManagePages(features: features, pages: pages).register(on: routes)
        SheetStatisticsPages(features: features, pages: pages).register(on: routes)
        RegionPages(features: features, pages: pages, caseService: CaseService(moderation: features.moderation))
            .register(on: routes)
        FileRoutes(catalog: features.catalog, objects: objects, counter: counter).register(on: routes)
        TrustRoutes(catalog: features.catalog, objects: objects).register(on: routes)
        let application = Application(router: router, logger: TestLog.logger)
        try await application.test(.router) { client in
            let owner = UserID.make()
            let scene = CatalogScene(features: features, counter: counter, client: client, owner: owner)
            try await scene.addUser(owner, "nadia")
            try await scene.addSystems()
            try await body(scene)
        }
        await database.shutdown()
        withExtendedLifetime((folder, own)) {}
    }

    /// A field that leaves a caller no scope but `read`.
    static let readsOnly = HTTPField.Name(parsed: "x-test-reads-only") ?? .age

    private static func caller(of request: Request, _ database: PostgresClient) async throws -> Identity? {
        guard let field = HTTPField.Name("X-Test-Caller"), let text = request.headers[field], let id = UserID(text)
        else {
            return nil
        }
        return try await database.first("SELECT handle, role FROM users WHERE id = \(id)") { row in
            Identity(
                userID: id, handle: try row.get("handle"), role: try row.get("role"),
                credential: .token(TokenID.make()),
                scopes: request.headers[Self.readsOnly] == nil ? Set(TokenScope.all) : [.read])
        }
    }

    // MARK: - What is there

    func addUser(_ id: UserID = .make(), _ handle: String, role: UserRole = .user, named name: String? = nil)
        async throws
    {
        try await features.database.execute(
            """
            INSERT INTO users (id, handle, display_name, email, role)
            VALUES (\(id), \(handle), \(name ?? handle), \("\(handle)@example.org"), \(role))
            """)
    }

    private func addSystems() async throws {
        try await features.database.execute(
            """
            INSERT INTO game_systems (slug, name, publisher, aliases) VALUES
                ('dnd5e', 'Dungeons & Dragons 5e', 'Wizards', '{dnd,"d&d"}'),
                ('pathfinder2e', 'Pathfinder Second Edition', 'Paizo', '{pf2}'),
                ('call-of-cthulhu', 'Call of Cthulhu', NULL, '{coc}')
            """)
    }

    /// A template with one published version of `pages` pages, whose artifact is `bytes`.
    @discardableResult
    func addTemplate(
        _ name: String, gameSystem: String = "dnd5e", summary: String = "A sheet.", tags: [String] = [],
        license: String = "CC-BY-4.0", language: String = "en", version: String = "1.0.0", pages: Int = 2,
        rating: Double = 0, downloads: Int = 0, at updated: Date = Date(), owner: UserID? = nil,
        bytes: [UInt8] = Array("%PDF-1.7 a sheet".utf8)
    ) async throws -> Made {
        let slug = try #require(Slug(slugging: name))
        let made = Made(id: .make(), submission: .make(), slug: slug.text)
        try await features.database.execute(
            """
            INSERT INTO templates (id, slug, owner_id, game_system, name, summary, description, tags, license, language,
                rating, rating_lower, downloads, created_at, updated_at, published_at)
            VALUES (\(made.id), \(made.slug), \(owner ?? self.owner), \(gameSystem), \(name), \(summary), 'Words.',
                \(tags), \(license), \(language), \(rating), \(rating), \(downloads), \(updated), \(updated), \(updated))
            """)
        try await addVersion(version, of: made, submission: made.submission, pages: pages, bytes: bytes, at: updated)
        return made
    }

    /// One more published version.
    func addVersion(
        _ number: String, of template: Made, submission: SubmissionID = .make(), pages: Int = 2,
        bytes: [UInt8] = Array("%PDF-1.7 a sheet".utf8), at date: Date = Date(),
        channel: ReleaseChannel = .stable, minimumClient: String? = nil
    ) async throws {
        let artifact = try await store(bytes, as: "application/pdf")
        let region = [
            ZoomRegion(id: "skills", name: "Skills", rect: .init(x: 0, y: 0, width: 0.5, height: 0.5), pageIndex: 0)
        ]
        try await features.database.withTransaction { connection in
            try await connection.execute(
                """
                INSERT INTO submissions (id, template_id, uploader_id, version, metadata, artifact_sha256, file_name,
                    size_bytes, state, page_count)
                SELECT \(submission), id, owner_id, \(number), '{}', \(artifact.hash), 'Sheet ü.pdf',
                    \(artifact.sizeBytes), 'published', \(Int32(pages)) FROM templates WHERE id = \(template.id)
                """)
            try await connection.execute(
                """
                INSERT INTO submission_pages (submission_id, page_index, width, height, rotation, text_characters,
                    form_fields, regions)
                SELECT \(submission), page, 595, 842, 0, 100, 3,
                    CASE page WHEN 0 THEN \(PostgresJSON(region)) ELSE '[]'::jsonb END
                FROM generate_series(0, \(Int32(pages)) - 1) AS page
                """)
            try await connection.execute(
                """
                INSERT INTO versions (id, template_id, submission_id, number, artifact_sha256, file_name, size_bytes,
                    page_count, changelog, published_at, channel, minimum_client_version)
                VALUES (\(VersionID.make()), \(template.id), \(submission), \(number), \(artifact.hash), 'Sheet ü.pdf',
                    \(artifact.sizeBytes), \(Int32(pages)), 'News.', \(date), \(channel), \(minimumClient))
                """)
            try await Publishing.recomputeLatest(connection, templateID: template.id)
        }
    }

    /// Bytes in storage, and their row.
    func store(_ bytes: [UInt8], as mediaType: String) async throws -> StoredObject {
        let writer = try await features.storage.makeWriter()
        try await writer.write(ByteBuffer(bytes: bytes))
        let object = try await writer.finish()
        try await features.database.execute(
            """
            INSERT INTO artifacts (sha256, size_bytes, media_type) VALUES (\(object.hash), \(object.sizeBytes), \(mediaType))
            ON CONFLICT DO NOTHING
            """)
        return object
    }

    /// A picture of a page.
    func addPreview(_ submission: SubmissionID, page: Int = 0, width: Int) async throws -> [UInt8] {
        let bytes = Array("picture \(submission) \(page) \(width)".utf8)
        let object = try await store(bytes, as: "image/webp")
        try await features.database.execute(
            """
            INSERT INTO previews (submission_id, page_index, width, height, sha256)
            VALUES (\(submission), \(Int32(page)), \(Int32(width)), \(Int32(width)), \(object.hash))
            """)
        return bytes
    }

    func takeDown(_ number: String, of template: Made, reason: String = "It was stolen.") async throws {
        try await features.database.withTransaction { connection in
            try await connection.execute(
                """
                UPDATE versions SET state = 'taken_down', state_reason = \(reason)
                WHERE template_id = \(template.id) AND number = \(number)
                """)
            try await Publishing.recomputeLatest(connection, templateID: template.id)
        }
        features.catalog.catalogChanged()
    }

    // MARK: - Calls

    func send(
        _ method: HTTPRequest.Method, _ path: String, as caller: UserID? = nil, headers: HTTPFields = [:],
        body: ByteBuffer? = nil
    ) async throws -> TestResponse {
        var headers = headers
        if let caller, let field = HTTPField.Name("X-Test-Caller") { headers[field] = caller.description }
        return try await client.execute(uri: path, method: method, headers: headers, body: body)
    }

    func get(_ path: String, as caller: UserID? = nil, headers: HTTPFields = [:]) async throws -> TestResponse {
        try await send(.get, path.hasPrefix("/files") ? path : Paths.base + path, as: caller, headers: headers)
    }

    func send(
        _ method: HTTPRequest.Method, _ path: String, as caller: UserID?, json: some Encodable
    ) async throws -> TestResponse {
        let body = ByteBuffer(data: try WireJSON.encoder().encode(json))
        return try await send(
            method, Paths.base + path, as: caller,
            headers: [.contentType: "application/json", .contentLength: String(body.readableBytes)], body: body)
    }

    /// Uploads a file, as `POST /templates` or, for a slug or id, as a new version.
    func upload(
        _ metadata: UploadMetadata, to template: String? = nil, as caller: UserID, file: String = UUID().uuidString
    ) async throws -> TestResponse {
        var form = MultipartForm()
        form.add("metadata", contentType: "application/json", try WireJSON.encoder().encode(metadata))
        form.add("file", fileName: "a.pdf", contentType: "application/pdf", Array("%PDF-1.7 \(file)".utf8))
        let path = template.map { Paths.template($0) + "/versions" } ?? "\(Paths.base)/templates"
        return try await send(
            .post, path, as: caller, headers: [.contentType: form.contentType], body: form.finished)
    }

    /// The names in `GET /templates` with `query`.
    func names(_ query: String = "") async throws -> [String] {
        try await list(query).templates.map(\.name)
    }

    func list(_ query: String) async throws -> TemplateList {
        try await get("/templates?\(query)").json(TemplateList.self)
    }
}

extension TestResponse {
    /// The pointers of what is wrong.
    var pointers: [String] {
        (try? WireJSON.decoder().decode(ProblemDocument.self, from: Data(buffer: body)))?.errors?.map(\.pointer) ?? []
    }
}
