// SPDX-License-Identifier: Apache-2.0
import AsyncHTTPClient
import Foundation
import HTTPTypes
import Hummingbird
import IngestWire
import MarketWire
import NIOCore
import NIOFoundationCompat
import Postgres
import ServiceLifecycle
import SheetCore
import TestSupport
import Testing

@testable import MarketAPI
@testable import MarketAccounts
@testable import MarketHTTP
@testable import MarketIngest
@testable import MarketPages
@testable import MarketPlatform
@testable import TemplateIngest

/// Uploads and submissions on a database of their own, served over a real socket, since bodies and events stream.
struct UploadsScene: Sendable {
    let features: Features
    let feed: SubmissionChanges
    let base: String
    /// Where storage keeps its files.
    let folder: URL

    /// Runs `body` against a fresh market with the game systems `cairn` and `call-of-cthulhu`.
    static func run(
        limits: MarketLimits = MarketLimits(), _ body: @escaping @Sendable (UploadsScene) async throws -> Void
    ) async throws {
        let folder = try ScratchFolder("objects")
        var limits = limits
        // As in `withMarket`: who is stopped for a while loses no work.
        if limits.leaseSeconds == MarketLimits().leaseSeconds { limits.leaseSeconds = 600 }
        let own = try await TestCluster.shared.makeOwnedDatabase()
        let database = PostgresClient(
            configuration: .calm(connectionString: own.connection), logger: TestLog.logger)
        do {
            try await database.execute(
                "INSERT INTO game_systems (slug, name) VALUES ('cairn', 'Cairn'), ('call-of-cthulhu', 'Call of Cthulhu')"
            )
            let features = try Features.test(
                database: database, storage: try await DiskStorage.open(folder.url),
                signer: try DownloadSigner(setting: DownloadSigner.makeKeySetting(id: "t")), limits: limits,
                logger: TestLog.logger)
            try await serve(features, folder.url, body)
        } catch {
            await database.shutdown()
            throw error
        }
        await database.shutdown()
        withExtendedLifetime((folder, own)) {}
    }

    private static func serve(
        _ features: Features, _ folder: URL, _ body: @escaping @Sendable (UploadsScene) async throws -> Void
    ) async throws {
        let feed = SubmissionChanges(platform: features.platform, beat: .milliseconds(200))
        let router = Router(context: MarketRequestContext.self)
        router.add(middleware: try ContractMiddleware(features: features))
        router.add(middleware: EdgeMiddleware(trustedProxies: [], observe: { _, _, _, _ in }))
        let routes = APIRoutes(
            router: router, prefix: Paths.base, authenticate: Authenticator(accounts: features.accounts).identity(of:))
        UploadRoutes(ingest: features.ingest).register(on: routes)
        SubmissionRoutes(ingest: features.ingest, feed: feed).register(on: routes)
        let (ports, port) = AsyncStream<Int>.makeStream()
        var application = Application(
            router: router, configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { port.yield($0.localAddress?.port ?? 0) }, logger: features.logger)
        application.addServices(feed)
        let group = ServiceGroup(configuration: .init(services: [application], logger: features.logger))
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            var iterator = ports.makeAsyncIterator()
            let number = await iterator.next() ?? 0
            do {
                try await body(
                    UploadsScene(features: features, feed: feed, base: "http://127.0.0.1:\(number)", folder: folder))
            } catch {
                await group.triggerGracefulShutdown()
                throw error
            }
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
        }
    }

    /// As nobody.
    var http: TestHTTP {
        // The contract is not served here; `ContractMiddleware` holds the answers against it.
        var http = TestHTTP(base: base)
        http.isChecked = false
        return http
    }

    /// Makes an account, and a token of it.
    func person(
        _ handle: String, role: UserRole = .user, scopes: [TokenScope] = TokenScope.all
    ) async throws -> (id: UserID, http: TestHTTP) {
        let id = UserID.make()
        try await features.database.execute(
            """
            INSERT INTO users (id, handle, display_name, email, role)
            VALUES (\(id), \(handle), \(handle), \(handle + "@example.org"), \(role))
            """)
        let token = try await AccountService(accounts: features.accounts).makeToken(
            name: "test", scopes: scopes, for: id)
        return (id, http.signedIn(token.token))
    }

    /// Metadata of an upload that passes.
    static func metadata(_ name: String = "Night Shift", version: String = "1.0.0") -> UploadMetadata {
        UploadMetadata(
            name: name, summary: "Two pages for one night", description: "More of it.", gameSystem: "cairn",
            tags: ["two-pages"], license: "CC-BY-4.0", language: "en", version: version, changelog: "First.")
    }

    /// Bytes that begin like a PDF; different for each `seed`.
    static func file(_ seed: Int = 0, bytes: Int = 4000) -> Data {
        var data = Data("%PDF-1.7\n%\(seed)\n".utf8)
        var state = UInt64(truncatingIfNeeded: seed &+ 1)
        while data.count < bytes {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            data.append(UInt8(truncatingIfNeeded: state >> 33))
        }
        return data
    }

    /// Everything that storage holds.
    func storedObjects() async throws -> Set<ContentHash> {
        let found = Found()
        try await features.storage.forEach { hash, _ in await found.insert(hash) }
        return await found.hashes
    }

    /// Files on their way into storage.
    func incoming() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.appendingPathComponent("incoming").path)
    }

    /// How many rows a table has.
    func count(_ table: String) async throws -> Int {
        try await features.database.scalar("SELECT count(*) FROM \(ident: table)")
    }

    private actor Found {
        var hashes: Set<ContentHash> = []
        func insert(_ hash: ContentHash) { hashes.insert(hash) }
    }
}

extension InspectionDependencies {
    /// Judges every file as a sheet of two pages, with a picture of each, after `pause`.
    static func twoPages(
        findings: [Finding] = [], pause: @escaping @Sendable () async throws -> Void = {}
    ) -> InspectionDependencies {
        InspectionDependencies { file, observer in
            try await observer.onProgress(.init(stage: .reading, pagesDone: 1, pageCount: 2))
            try await pause()
            let bytes = try Data(contentsOf: file.location)
            for page in 0..<2 {
                let picture = Array("RIFF....WEBP page \(page) of \(file.sha256)".utf8)
                try await observer.onPreview(
                    .init(page: page, requestedWidth: 360, width: 360, height: 509, webp: picture))
            }
            let region = ZoomRegion(
                id: "skills", name: "Skills", rect: .init(x: 0.1, y: 0.1, width: 0.4, height: 0.3), pageIndex: 0)
            return ReaderReport(
                verdict: findings.contains { $0.severity == .blocker } ? .refused : .accepted, sha256: file.sha256,
                bytes: bytes.count, pageCount: 2, findings: findings,
                pages: (0..<2).map { index in
                    .init(
                        index: index, width: 595, height: 842, rotation: 0, textCharacters: 12, formFields: 3,
                        regions: index == 0 ? [region] : [], text: "Name\0 and \"quotes\"")
                })
        }
    }
}

extension UploadsScene {
    /// Runs `services` while `body` runs, then shuts down in order.
    func working(
        _ services: [any Service], while body: @escaping @Sendable () async throws -> Void
    ) async throws {
        let group = ServiceGroup(configuration: .init(services: services, logger: features.logger))
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            do {
                try await body()
            } catch {
                await group.triggerGracefulShutdown()
                throw error
            }
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
        }
    }

    /// A worker that inspects with `inspection`, looking for work often.
    func ingestWorker(
        _ inspection: InspectionDependencies, name: String = "w", concurrency: Int = 2, grace: Double = 120
    ) -> Worker {
        var configuration = WorkerConfiguration()
        configuration.name = name
        configuration.concurrency = concurrency
        configuration.pollSeconds = 0.1
        configuration.graceSeconds = grace
        return Worker(
            platform: features.platform,
            handlers: [
                IngestUpload(ingest: features.ingest, inspection: inspection, progressInterval: .milliseconds(1))
            ],
            configuration: configuration)
    }

    /// Submits without HTTP.
    func submit(
        _ name: String = "Night Shift", version: String = "1.0.0", target: UploadService.Target = .newTemplate,
        file: Data = UploadsScene.file(), by uploader: UserID
    ) async throws -> SubmissionStatus {
        try await UploadService(ingest: features.ingest).submit(
            uploader: uploader, target: target, metadata: Self.metadata(name, version: version), fileName: "sheet.pdf",
            bytes: AsyncStream {
                $0.yield(ByteBuffer(data: file))
                $0.finish()
            })
    }

    /// Waits until `condition` holds; an issue when that takes too long.
    func expectEventually(
        _ condition: @Sendable () async throws -> Bool, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        if try await eventually(condition) { return }
        Issue.record("what was waited for did not happen", sourceLocation: sourceLocation)
    }
}
