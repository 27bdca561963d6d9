// SPDX-License-Identifier: Apache-2.0
import Foundation
import IngestWire
import Logging
import MarketAPI
import MarketAccounts
import MarketCatalog
import MarketCommunity
import MarketHTTP
import MarketIngest
import MarketPages
import MarketPlatform
import MarketWire
import ModerationService
import Outgoing
import Postgres
import ServiceLifecycle
import SheetCore
import SystemPackage
import TemplateIngest

/// A market inside the test's own process: a database and a storage folder of its own, every route on a real socket.
package struct TestMarket: Sendable {
    /// What the features work with.
    package let features: Features
    /// The table of routes.
    package let routes: [RouteDescription]
    /// HTTP towards it, as nobody.
    package let http: TestHTTP

    /// Makes an account of `role` and calls as its holder, with a token that has every scope unless told otherwise.
    package func person(
        _ handle: String, role: UserRole = .user, scopes: [TokenScope] = TokenScope.all
    ) async throws -> TestHTTP {
        let accounts = AccountService(accounts: features.accounts)
        // No password: hashing one takes the better part of a second, and few tests are about that.
        let user = try await accounts.ensureSystemUser(handle: handle, role: role)
        let token = try await accounts.makeToken(name: "test", scopes: scopes, for: user.id)
        SuiteLog.note(.token, token.token)
        return http.signedIn(token.token)
    }

    /// Enters a game system.
    package func addGameSystem(_ slug: String, name: String, aliases: [String] = []) async throws {
        try await features.database.execute(
            """
            INSERT INTO game_systems (slug, name, publisher, aliases) VALUES (\(slug), \(name), 'Nobody', \(aliases))
            ON CONFLICT DO NOTHING
            """)
    }
}

extension MiddlewareSettings {
    /// Counts every call, and lets as many through as a test may ever make.
    package static let generous: MiddlewareSettings = {
        var settings = MiddlewareSettings()
        settings.addressQuota = RateLimitQuota(points: 1_000_000, seconds: 1)
        settings.accountQuota = settings.addressQuota
        settings.invalidCredentialQuota = settings.addressQuota
        // Tests change accounts behind the server's back, and look at once.
        settings.credentialSeconds = 0
        return settings
    }()
}

/// Runs `body` against a market of its own. `workers` ingest workers with the real reader run beside it; the game
/// system `dnd5e` is there. Sheets that look like those of `presets` get their zoom regions. `connection` leads to a
/// migrated database that is not of the usual kind, `replicas` to its streaming replicas.
package func withMarket(
    workers: Int = 0, presets: PresetFolder = PresetFolder(), limits: MarketLimits = MarketLimits(),
    middleware: MiddlewareSettings = .generous, risk: RiskPolicy = TestRules.policy, signIn: ProviderDirectory = .none,
    outgoingPolicy: AddressPolicy = .publicOnly, connection: String? = nil,
    replicas: [String] = [], replicaBound: Duration = .seconds(10),
    now: @escaping @Sendable () -> Date = { Date() },
    _ body: @escaping @Sendable (TestMarket) async throws -> Void
) async throws {
    let folder = try ScratchFolder("market")
    let logger = TestLog.logger
    let own = connection == nil ? try await TestCluster.shared.makeOwnedDatabase() : nil
    var pool = PostgresConfiguration.calm(connectionString: connection ?? own?.connection ?? "")
    pool.replicas = replicas
    pool.replicaBound = replicaBound
    let database = PostgresClient(configuration: pool, logger: logger)
    var limits = limits
    // So that a worker of a process that was stopped for a while does not lose its work to another; tests of leases set
    // their own.
    if limits.leaseSeconds == MarketLimits().leaseSeconds { limits.leaseSeconds = 600 }
    let sealing = SecretBox.makeKeySetting(id: "test")
    SuiteLog.note(keys: sealing)
    let features = try Features.test(
        database: database, storage: try await DiskStorage.open(folder.url.appendingPathComponent("storage")),
        limits: limits, secrets: try SecretBox(setting: sealing), outgoingPolicy: outgoingPolicy,
        emailTemplates: try TestPages.emailTemplates.get(), risk: risk,
        reasons: CannedReasonFiles.read([BuildProducts.root.appendingPathComponent("web/reasons")]).reasons,
        signIn: signIn,
        now: now, logger: logger)
    let (ports, portSink) = AsyncStream<Int>.makeStream()
    let application = MarketApplication(
        features: features, pages: try TestPages.shared.get(),
        listen: .init(host: "127.0.0.1", port: 0), rates: middleware,
        onRunning: { portSink.yield($0) })
    let services = ServiceGroup(
        configuration: .init(
            services: [application] + testWorkers(workers, presets, features), logger: logger))
    do {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await services.run() }
            group.addTask {
                guard let port = await ports.first(where: { _ in true }) else { return }
                let running = TestMarket(
                    features: features, routes: application.routes, http: TestHTTP(base: "http://127.0.0.1:\(port)"))
                try await running.addGameSystem("dnd5e", name: "Dungeons & Dragons 5e", aliases: ["D&D", "DnD"])
                try await body(running)
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
        await database.shutdown()
        throw error
    }
    await database.shutdown()
    withExtendedLifetime((folder, own)) {}
}

/// The pages, read once for all markets of a run.
package enum TestPages {
    /// The project's own.
    package static let shared = Result { try WebPages(folder: BuildProducts.root.appendingPathComponent("web")) }

    /// The project's own texts of e-mails.
    package static let emailTemplates = Result {
        try EmailTemplates(folder: BuildProducts.root.appendingPathComponent("web/mail"))
    }
}

/// The rules that come with the program, read once for all markets of a run.
package enum TestRules {
    /// They are the project's own.
    package static let shared = Result {
        try RulesFolder.read(BuildProducts.root.appendingPathComponent("rules"))
    }

    /// The rules in force; none where they cannot be read, which tests of their own notice.
    package static var policy: RiskPolicy {
        var policy = RiskPolicy()
        policy.rules = try? shared.get()
        return policy
    }
}

/// The real reader, as built.
package func testReader() -> SheetReader {
    SheetReader(
        configuration: .init(
            executable: FilePath(BuildProducts.executable("sheet-inspect").path), logger: TestLog.logger))
}

/// Pictures of people are redrawn by the real reader, which starts when one comes.
package func testRedrawing() -> PictureRedrawing {
    var limits = ReaderLimits()
    limits.cpuSeconds = 120
    limits.wallSeconds = 300
    limits.fileBytes = ProfilePictureService.maximumBytes
    return PortraitRenderer(reader: testReader(), limits: limits).redrawing(atOnce: 8)
}

private func testWorkers(_ count: Int, _ presets: PresetFolder, _ features: Features) -> [any Service] {
    guard count > 0 else { return [] }
    let reader = testReader()
    // A debug build beside others takes longer than anybody's sheet may.
    var limits = ReaderLimits()
    limits.cpuSeconds = 120
    limits.wallSeconds = 300
    var importLimits = ImportLimits()
    importLimits.cpuSeconds = limits.cpuSeconds
    importLimits.wallSeconds = limits.wallSeconds
    let request = ReaderRequest(limits: limits)
    let importer = ProgramImporter.builtIn(
        executable: FilePath(BuildProducts.executable("sheet-import").path), reader: reader, request: request,
        limits: importLimits, logger: features.logger)
    let pipeline = IngestPipeline(reader: reader, request: request, others: [importer])
    let cleaner = SheetCleaner(reader: reader, request: request)
    var configuration = WorkerConfiguration()
    configuration.concurrency = count
    return [
        Worker(
            platform: features.platform,
            handlers: [
                IngestUpload(
                    ingest: features.ingest, inspection: .pipeline(pipeline, cleaner: cleaner), presets: presets),
                RenderDifferences(
                    platform: features.platform, drawer: DifferenceRenderer(reader: reader, limits: limits)),
                DrawSharpPictures(platform: features.platform, reader: reader, limits: limits),
                MakeDeltas(platform: features.platform),
            ],
            configuration: configuration)
    ]
}
