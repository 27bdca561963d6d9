// SPDX-License-Identifier: Apache-2.0
import Postgres
import ServiceLifecycle

/// Which feature gets what, and in which order routes are entered. The only place that knows all features.
struct Wiring {
    let market: Market
    let metrics: MarketMetrics
    let authenticator: Authenticator
    let problemPages: ProblemPages
    private let pages: WebPages
    private let accounts: AccountService
    private let desk: DeskService
    private let feed: SubmissionFeed
    private let objects: ObjectServer
    private let counter: DownloadCounter
    private let limiter: RateLimiter
    private let replays: ReplayGuard
    private let credentials: CredentialMemory

    init(market: Market, metrics: MarketMetrics, pages: WebPages) {
        self.market = market
        self.metrics = metrics
        self.pages = pages
        authenticator = Authenticator(market: market)
        problemPages = ProblemPages(pages: pages, authenticate: authenticator.identity(of:))
        accounts = AccountService(market: market)
        desk = DeskService(market: market)
        feed = SubmissionFeed(market: market)
        objects = ObjectServer(storage: market.storage)
        counter = DownloadCounter(market: market)
        replays = ReplayGuard(market: market)
        credentials = CredentialMemory(seconds: market.gate.credentialSeconds)
        limiter = RateLimiter(settings: market.gate, database: market.database, logger: market.logger) { bucket in
            metrics.count("sheetmarket_limit_refusals_total", [("bucket", bucket)])
        }
        metrics.registry.describe(
            "sheetmarket_limit_refusals_total", .counter,
            "Calls refused by limits, by bucket; 'store' when the nodes' common counts could not be had.")
        StateMetrics(market: market).register(with: metrics.registry)
        DeskMetrics(market: market).register(with: metrics.registry)
        OutboxMetrics(market: market).register(with: metrics.registry)
    }

    /// What runs beside the server, as long as it does.
    var background: [any Service] {
        [
            feed, counter, CatalogListener(market: market),
            BlockedArtifactsKeeper(database: market.database, blocked: market.blockedArtifacts),
            RateReporter(limiter: limiter), CredentialListener(database: market.database, memory: credentials),
            replays.ledger,
        ]
    }

    /// What every call goes through.
    var gate: RouteGate {
        RouteGate(
            authenticate: authenticator.identity(of:), restrain: Restraints(market: market).check,
            witness: AuditTrail(market: market).note, limiter: limiter, replays: replays,
            credentials: credentials, crossOrigin: CrossOrigin(market.gate.origins),
            arrivals: ArrivalCookie(limits: market.limits))
    }

    func register(on routes: APIRoutes) {
        let api = routes.under("/api/v1")
        AccountRoutes(market: market, service: accounts).register(on: api)
        TokenRoutes(market: market).register(on: api)
        SignInRoutes(market: market).register(on: api)
        PrivacyRoutes(market: market).register(on: api)
        CatalogRoutes(market: market).register(on: api)
        SearchRoutes(market: market).register(on: api)
        OwnerRoutes(market: market).register(on: api)
        AuthorRoutes(market: market).register(on: api)
        UploadRoutes(market: market).register(on: api)
        SubmissionRoutes(market: market, feed: feed).register(on: api)
        DownloadRoutes(market: market, objects: objects).register(on: api)
        ReviewRoutes(market: market).register(on: api)
        DeskRoutes(market: market, service: desk, objects: objects).register(on: api)
        RiskRoutes(market: market).register(on: api)
        ConversationRoutes(market: market, service: desk).register(on: api)
        AppealRoutes(market: market).register(on: api)
        EnforcementRoutes(market: market).register(on: api)
        AuditRoutes(market: market).register(on: api)
        CopyrightRoutes(market: market).register(on: api)
        TransparencyRoutes(market: market).register(on: api)
        ChangeRoutes(market: market).register(on: api)
        DumpRoutes(market: market, objects: objects).register(on: api)
        WebhookRoutes(market: market).register(on: api)
        FileRoutes(market: market, objects: objects, counter: counter).register(on: routes)
        WebRoutes(market: market, pages: pages, accounts: accounts, desk: desk).register(on: routes)
        FeedRoutes(market: market).register(on: routes)
        OperationsRoutes(market: market, metrics: metrics.render).register(on: routes)
        ContractRoutes(pages: pages).register(on: routes)
    }
}

/// What `/metrics` says of the pool, the queue and the templates that are remembered for lists, read when it is asked.
private struct StateMetrics {
    let market: Market

    func register(with registry: PrometheusRegistry) {
        registry.describe("sheetmarket_queue_jobs", .gauge, "Jobs by state; 'ready' ones could begin now.")
        registry.describe("sheetmarket_queue_oldest_seconds", .gauge, "How long the oldest ready job has waited.")
        registry.describe("sheetmarket_database_connections", .gauge, "Connections of the pool by use.")
        registry.describe("sheetmarket_database_waiting", .gauge, "Tasks that wait for a connection.")
        registry.describe(
            "sheetmarket_list_templates_total", .counter,
            "Templates in lists, by whether their JSON was remembered ('hit') or made ('miss').")
        registry.describe("sheetmarket_list_templates_bytes", .gauge, "Size of what is remembered of them.")
        registry.addCollector { await queue() + pool() + summaries() }
    }

    private func queue() async -> [PrometheusRegistry.Sample] {
        guard let state = try? await JobQueue(market: market).statistics() else { return [] }
        return [
            .init("sheetmarket_queue_jobs", [("state", "ready")], Double(state.ready)),
            .init("sheetmarket_queue_jobs", [("state", "delayed")], Double(state.delayed)),
            .init("sheetmarket_queue_jobs", [("state", "running")], Double(state.running)),
            .init("sheetmarket_queue_jobs", [("state", "dead")], Double(state.dead)),
            .init("sheetmarket_queue_oldest_seconds", [], state.oldestReadySeconds),
        ]
    }

    private func summaries() -> [PrometheusRegistry.Sample] {
        let figures = market.summaries.figures
        return [
            .init("sheetmarket_list_templates_total", [("result", "hit")], Double(figures.hits)),
            .init("sheetmarket_list_templates_total", [("result", "miss")], Double(figures.misses)),
            .init("sheetmarket_list_templates_bytes", [], Double(figures.bytes)),
        ]
    }

    private func pool() -> [PrometheusRegistry.Sample] {
        let pool = market.database.statistics
        return [
            .init("sheetmarket_database_connections", [("use", "in_use")], Double(pool.inUse)),
            .init("sheetmarket_database_connections", [("use", "idle")], Double(pool.idle)),
            .init("sheetmarket_database_waiting", [], Double(pool.waiting)),
        ]
    }
}
