// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import MarketWire
import NIOCore
import Postgres
import SheetCore
import TestSupport

@testable import MarketAccounts
@testable import MarketHTTP
@testable import MarketIngest
@testable import MarketPages
@testable import MarketPlatform

/// A gate with routes of the test's own behind it, called over HTTP without a socket.
struct GateScene: Sendable {
    let features: Features
    let client: any TestClientProtocol
    let idempotency: IdempotencyMiddleware

    /// Who calls says so in `X-Test-Caller`: an account's id.
    static let callerField = HTTPField.Name("X-Test-Caller") ?? .origin

    static func run(
        settings: MiddlewareSettings = .generous, prefix: String = "/api/v1",
        trustedProxies: Set<String> = ["unknown"],
        routes add: @escaping @Sendable (APIRoutes, Features) -> Void,
        _ body: @escaping @Sendable (GateScene) async throws -> Void
    ) async throws {
        let own = try await TestCluster.shared.makeOwnedDatabase()
        let database = PostgresClient(
            configuration: .calm(connectionString: own.connection), logger: TestLog.logger)
        let folder = try ScratchFolder("gate")
        let features = try Features.test(
            database: database, storage: try await DiskStorage.open(folder.url),
            signer: try DownloadSigner(keys: [("t", Array(repeating: 7, count: 32))]), logger: TestLog.logger)
        do {
            try await serve(
                features, rates: settings, prefix: prefix, trustedProxies: trustedProxies, routes: add, body)
        } catch {
            await database.shutdown()
            throw error
        }
        await database.shutdown()
        withExtendedLifetime((folder, own)) {}
    }

    /// One node of the market.
    static func serve(
        _ features: Features, rates: MiddlewareSettings = .generous, prefix: String = "/api/v1",
        trustedProxies: Set<String> = ["unknown"],
        routes add: @escaping @Sendable (APIRoutes, Features) -> Void,
        _ body: @escaping @Sendable (GateScene) async throws -> Void
    ) async throws {
        let router = Router(context: MarketRequestContext.self, options: .autoGenerateHeadEndpoints)
        let crossOrigin = CORSPolicy(rates.origins)
        router.add(
            middleware: EdgeMiddleware(
                trustedProxies: trustedProxies, observe: { _, _, _, _ in }, crossOrigin: crossOrigin))
        let idempotency = IdempotencyMiddleware(
            platform: features.platform, keepSeconds: rates.idempotencySeconds,
            largestBody: features.ingest.limits.uploadBytes + UploadRoutes.overheadBytes)
        let middleware = RouteMiddleware(
            authenticate: { try Self.caller(of: $0) },
            limiter: RateLimiter(settings: rates, database: features.database, logger: TestLog.logger),
            idempotency: idempotency, crossOrigin: crossOrigin)
        let routes = APIRoutes(router: router, prefix: prefix, middleware: middleware)
        add(routes, features)
        routes.refuseOtherMethods()
        try await Application(router: router, logger: TestLog.logger).test(.router) { client in
            try await body(GateScene(features: features, client: client, idempotency: idempotency))
        }
        await idempotency.tracker.flush()
    }

    private static func caller(of request: Request) throws -> Identity? {
        if request.headers[.authorization] != nil { throw TokenError.unknown }
        guard let text = request.headers[callerField], let id = UserID(text) else { return nil }
        return Identity(
            userID: id, handle: "somebody", role: .user, credential: .token(TokenID.make()),
            scopes: Set(TokenScope.all))
    }

    /// Sends a request to a path below `/api/v1`.
    func send(
        _ method: HTTPRequest.Method, _ path: String, key: String? = nil, body: String? = nil, as caller: UserID? = nil,
        from address: String = "203.0.113.7", headers: HTTPFields = [:]
    ) async throws -> TestResponse {
        var headers = headers
        headers[.xForwardedFor] = address
        headers[.idempotencyKey] = key
        headers[Self.callerField] = caller?.description
        return try await client.execute(
            uri: "/api/v1" + path, method: method, headers: headers, body: body.map { ByteBuffer(string: $0) })
    }
}
