// SPDX-License-Identifier: Apache-2.0
import Hummingbird
import HummingbirdCore
import Logging
import MarketHTTP
import MarketPages
import MarketPlatform
import Moderation
import NIOCore
import ServiceLifecycle
import StaffPages

/// The HTTP side of a node: every route, bound to one address. Run it as a service.
package struct MarketApplication: Service {
    private let application: Application<RouterResponder<MarketRequestContext>>
    private let drain: Drain
    /// The table of routes: what the documentation and the tests compare themselves with.
    package let routes: [RouteDescription]
    /// All that the router answers, as `METHOD /path`, refusals of other methods included; nothing else is reachable.
    package let endpoints: [String]

    /// Serves `features` at `listen`; administrators are shown `settings`; `onRunning` is told the port once connections are taken.
    package init(
        features: Features, pages: WebPages, listen: ListenAddress, rates: MiddlewareSettings = MiddlewareSettings(),
        trustedProxies: Set<String> = [],
        metrics: MarketMetrics = MarketMetrics(), settings: [SettingLine] = [], auditKeys: AuditKeys? = nil,
        onRunning: @escaping @Sendable (Int) async -> Void = { _ in }
    ) {
        let drain = Drain()
        self.drain = drain
        let wiring = CompositionRoot(
            features: features, rates: rates, metrics: metrics, pages: pages, settings: settings,
            auditKeys: auditKeys, drain: drain)
        let router = Router(context: MarketRequestContext.self, options: .autoGenerateHeadEndpoints)
        router.add(
            middleware: EdgeMiddleware(
                trustedProxies: trustedProxies, observe: metrics.observe, problemPage: wiring.problemPages.answer,
                crossOrigin: CORSPolicy(rates.origins), publicURL: features.publicURL))
        let table = APIRoutes(router: router, middleware: wiring.middleware)
        wiring.register(on: table)
        table.refuseOtherMethods()
        routes = table.descriptions
        endpoints = router.routes.map { "\($0.method.rawValue) \($0.path)" }
        application = Application(
            router: router,
            server: .http1(
                configuration: .init(
                    additionalChannelHandlers: [IdleTimeoutHandler(), ContinueHandler(), DrainHandler(drain)])),
            configuration: .init(
                address: .hostname(listen.host, port: listen.port), serverName: nil, backlog: 1024, reuseAddress: true),
            services: wiring.background,
            onServerRunning: { channel in await onRunning(channel.localAddress?.port ?? 0) },
            logger: features.logger)
    }

    /// Serves until the task is cancelled or the service group shuts down.
    package func run() async throws {
        try await application.run()
    }

    /// What must end before this does: for so long the server still takes connections, and sends its callers elsewhere with
    /// each answer.
    package func drainPeriod(_ period: Duration) -> any Service { DrainPeriod(drain: drain, period: period) }
}

private struct DrainPeriod: Service {
    let drain: Drain
    let period: Duration

    func run() async throws {
        // Cancelled, it is over sooner.
        try? await gracefulShutdown()
        drain.begin()
        try? await Task.sleep(for: period)
    }
}
