// SPDX-License-Identifier: Apache-2.0
import MarketAccounts
import MarketCatalog
import MarketCommunity
import MarketHTTP
import MarketIngest
import MarketPages
import MarketPlatform
import MarketSearch
import MarketTrust
import MemberPages
import Moderation
import ModerationService
import Postgres
import ServiceLifecycle
import StaffPages

/// Which feature gets what, and in which order routes are entered. The only place that knows all features.
struct CompositionRoot {
    let features: Features
    let rates: MiddlewareSettings
    let metrics: MarketMetrics
    let authenticator: Authenticator
    let problemPages: ProblemPages
    private let pages: WebPages
    private let settings: [SettingLine]
    private let auditKeys: AuditKeys?
    private let drain: Drain
    private let accounts: AccountService
    private let caseService: CaseService
    private let feed: SubmissionChanges
    private let objects: ObjectServer
    private let counter: DownloadCounter
    private let limiter: RateLimiter
    private let idempotency: IdempotencyMiddleware
    private let credentials: CredentialCache

    init(
        features: Features, rates: MiddlewareSettings, metrics: MarketMetrics, pages: WebPages, settings: [SettingLine],
        auditKeys: AuditKeys?, drain: Drain
    ) {
        self.features = features
        self.rates = rates
        self.metrics = metrics
        self.pages = pages
        self.settings = settings
        self.auditKeys = auditKeys
        self.drain = drain
        authenticator = Authenticator(accounts: features.accounts)
        problemPages = ProblemPages(
            pages: pages, authenticate: authenticator.identity(of:),
            languageCookie: LanguageCookie(isSecure: features.platform.secureCookies))
        accounts = AccountService(accounts: features.accounts)
        caseService = CaseService(moderation: features.moderation)
        feed = SubmissionChanges(platform: features.platform)
        objects = ObjectServer(storage: features.storage)
        counter = DownloadCounter(platform: features.platform)
        idempotency = IdempotencyMiddleware(
            platform: features.platform, keepSeconds: rates.idempotencySeconds,
            largestBody: features.ingest.limits.uploadBytes + UploadRoutes.overheadBytes)
        credentials = CredentialCache(seconds: rates.credentialSeconds)
        limiter = RateLimiter(settings: rates, database: features.database, logger: features.logger) { bucket in
            metrics.count("sheetmarket_rate_limit_rejections_total", [("bucket", bucket)])
        }
        metrics.registry.describe(
            "sheetmarket_rate_limit_rejections_total", .counter,
            "Calls refused by limits, by bucket; 'store' when the nodes' common counts could not be had.")
        StateMetrics(features: features).register(with: metrics.registry)
        CaseQueueMetrics(moderation: features.moderation).register(with: metrics.registry)
        replicaMonitor?.register(with: metrics.registry)
        OutboxMetrics(platform: features.platform).register(with: metrics.registry)
        TrustMetrics.register(with: metrics.registry, platform: features.platform)
    }

    /// What runs beside the server, as long as it does.
    var background: [any Service] {
        [
            feed, counter, features.community.interest, CatalogChangeListener(catalog: features.catalog),
            BlockedArtifactsService(database: features.database, blocked: features.catalog.blockedArtifacts),
            RateLimitSynchronizer(limiter: limiter),
            CredentialChangeListener(database: features.database, cache: credentials),
            idempotency.tracker,
        ] + [replicaMonitor].compactMap { $0 }
    }

    private var replicaMonitor: ReplicaMonitor? { features.database.replicas.map { ReplicaMonitor(replicas: $0) } }

    /// What every call goes through.
    var middleware: RouteMiddleware {
        RouteMiddleware(
            authenticate: authenticator.identity(of:),
            checkSanctions: SanctionPolicy(platform: features.platform).check,
            auditHook: AuditTrail(platform: features.platform).record, limiter: limiter, idempotency: idempotency,
            credentials: credentials, crossOrigin: CORSPolicy(rates.origins),
            flashCookie: FlashCookie(isSecure: features.platform.secureCookies),
            languageCookie: LanguageCookie(isSecure: features.platform.secureCookies),
            replicaReading: ReplicaReading(features.database, isSecure: features.platform.secureCookies),
            knownParameters: pages.queryParameters(of:))
    }

    func register(on routes: APIRoutes) {
        let api = routes.group("/api/v1")
        let lagging = api.lagging
        AccountRoutes(accounts: features.accounts, service: accounts) { [features] account in
            try await SanctionService(moderation: features.moderation).inForce(on: account)
        }.register(on: api)
        TokenRoutes(platform: features.platform).register(on: api)
        SignInRoutes(accounts: features.accounts).register(on: api)
        PrivacyRoutes(community: features.community).register(on: api)
        CatalogRoutes(catalog: features.catalog).register(on: lagging)
        SearchRoutes(catalog: features.catalog).register(on: lagging)
        GameSystemRoutes(catalog: features.catalog).register(on: api)
        TagRoutes(catalog: features.catalog).register(on: api)
        OwnerRoutes(catalog: features.catalog).register(on: api)
        AuthorRoutes(catalog: features.catalog).register(on: lagging)
        UploadRoutes(ingest: features.ingest).register(on: api)
        SubmissionRoutes(ingest: features.ingest, feed: feed).register(on: api)
        DownloadRoutes(catalog: features.catalog, objects: objects).register(on: api)
        ReviewRoutes(community: features.community).register(on: lagging)
        StatisticsRoutes(platform: features.platform).register(on: api)
        CaseRoutes(moderation: features.moderation, service: caseService, objects: objects).register(on: api)
        RiskRoutes(moderation: features.moderation).register(on: api)
        ConversationRoutes(moderation: features.moderation, service: caseService).register(on: api)
        AppealRoutes(moderation: features.moderation).register(on: api)
        EnforcementRoutes(moderation: features.moderation).register(on: api)
        AuditRoutes(platform: features.platform).register(on: api)
        CopyrightRoutes(moderation: features.moderation).register(on: api)
        TransparencyRoutes(moderation: features.moderation).register(on: lagging)
        ChangeRoutes(platform: features.platform).register(on: api)
        DumpRoutes(platform: features.platform, objects: objects).register(on: api)
        MemberCollectionRoutes(catalog: features.catalog).register(on: lagging)
        ProfileRoutes(catalog: features.catalog).register(on: lagging)
        ProfilePictureRoutes(community: features.community, objects: objects).register(on: api, root: routes)
        FollowingRoutes(platform: features.platform).register(on: api)
        WebhookRoutes(platform: features.platform).register(on: api)
        FileRoutes(catalog: features.catalog, objects: objects, counter: counter).register(on: routes)
        TrustRoutes(catalog: features.catalog, objects: objects).register(on: routes)
        WebRoutes(features: features, pages: pages).register(on: routes.lagging)
        MemberRoutes(features: features, pages: pages, accounts: accounts, caseService: caseService)
            .register(on: routes)
        StaffRoutes(
            features: features, pages: pages, caseService: caseService, settings: settings, auditKeys: auditKeys
        )
        .register(on: routes)
        FeedRoutes(features: features, siteName: pages.site.name).register(on: routes.lagging)
        OperationsRoutes(features: features, drain: drain, metrics: metrics.render).register(on: routes)
        ContractRoutes(pages: pages).register(on: routes)
    }
}

/// What `/metrics` says of the pool, the queue and the cache of summaries, read at each request.
private struct StateMetrics {
    let features: Features

    func register(with registry: PrometheusRegistry) {
        registry.describe("sheetmarket_queue_jobs", .gauge, "Jobs by state; 'ready' ones could begin now.")
        registry.describe("sheetmarket_jobs_total", .counter, "Jobs that ended, by kind and result.")
        registry.describe("sheetmarket_job_duration_seconds", .histogram, "Time of a job, by kind.")
        registry.describe("sheetmarket_queue_oldest_seconds", .gauge, "How long the oldest ready job has waited.")
        registry.describe("sheetmarket_database_connections", .gauge, "Connections of the pool by use.")
        registry.describe("sheetmarket_database_pool_waiting", .gauge, "Tasks that wait for a connection.")
        registry.describe(
            "sheetmarket_summary_cache_requests_total", .counter,
            "Templates in lists, by whether their JSON was remembered ('hit') or made ('miss').")
        registry.describe("sheetmarket_summary_cache_bytes", .gauge, "Size of what is remembered of them.")
        registry.addCollector { await queue() + pool() + summaries() }
    }

    private func queue() async -> [PrometheusRegistry.Sample] {
        // Without an answer of the database these figures are missing; that it does not answer, /readyz says.
        guard let state = try? await JobQueue(platform: features.platform).statistics() else { return [] }
        return [
            .init("sheetmarket_queue_jobs", [("state", "ready")], Double(state.ready)),
            .init("sheetmarket_queue_jobs", [("state", "delayed")], Double(state.delayed)),
            .init("sheetmarket_queue_jobs", [("state", "running")], Double(state.running)),
            .init("sheetmarket_queue_jobs", [("state", "dead")], Double(state.dead)),
            .init("sheetmarket_queue_oldest_seconds", [], state.oldestReadySeconds),
        ]
    }

    private func summaries() -> [PrometheusRegistry.Sample] {
        let figures = features.catalog.summaries.figures
        return [
            .init("sheetmarket_summary_cache_requests_total", [("result", "hit")], Double(figures.hits)),
            .init("sheetmarket_summary_cache_requests_total", [("result", "miss")], Double(figures.misses)),
            .init("sheetmarket_summary_cache_bytes", [], Double(figures.bytes)),
        ]
    }

    private func pool() -> [PrometheusRegistry.Sample] {
        let pool = features.database.statistics
        return [
            .init("sheetmarket_database_connections", [("use", "in_use")], Double(pool.inUse)),
            .init("sheetmarket_database_connections", [("use", "idle")], Double(pool.idle)),
            .init("sheetmarket_database_pool_waiting", [], Double(pool.waiting)),
        ]
    }
}
