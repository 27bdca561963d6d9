// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import MarketWire
import NIOCore
import NIOFoundationCompat
import Postgres
import SheetCore
import Synchronization
import TestSupport
import Testing

@testable import MarketAPI
@testable import MarketAccounts
@testable import MarketCatalog
@testable import MarketHTTP
@testable import MarketIngest
@testable import MarketPages
@testable import MarketPlatform
@testable import ModerationService

/// A clock that stands still until it is told to go on.
final class StandingClock: Sendable {
    private static let date = Date(timeIntervalSince1970: 1_800_000_000)
    private let time = Mutex(date)
    private let start = ContinuousClock.now

    var now: Date { time.withLock { $0 } }
    /// The same time, for what only measures how much of it passes.
    var instant: ContinuousClock.Instant { start + .seconds(now.timeIntervalSince(Self.date)) }

    func advance(by seconds: Double) {
        time.withLock { $0.addTimeInterval(seconds) }
    }
}

/// Accounts and desk on a database of their own, called over HTTP without a socket.
struct AccountsScene: Sendable {
    let features: Features
    let accounts: AccountService
    let clock: StandingClock
    let client: any TestClientProtocol

    /// What a caller shows.
    enum Caller: Sendable {
        case nobody
        case token(String)
        case cookie(String)
    }

    static let password = "correct horse battery"

    /// Runs `body` against a fresh market. The hashes of passwords are cheap; the clock stands still.
    static func run(
        limits: MarketLimits = MarketLimits(), secureCookies: Bool = false,
        _ body: @escaping @Sendable (AccountsScene) async throws -> Void
    ) async throws {
        let own = try await TestCluster.shared.makeOwnedDatabase()
        let database = PostgresClient(
            configuration: .calm(connectionString: own.connection), logger: TestLog.logger)
        let folder = try ScratchFolder("objects")
        let clock = StandingClock()
        let features = try Features.test(
            database: database, storage: try await DiskStorage.open(folder.url),
            signer: try DownloadSigner(setting: DownloadSigner.makeKeySetting(id: "t")), limits: limits,
            secureCookies: secureCookies,
            secrets: try SecretBox(setting: SecretBox.makeKeySetting(id: "t")),
            emailTemplates: try TestPages.emailTemplates.get(),
            now: { clock.now }, logger: TestLog.logger)
        let accounts = AccountService(
            accounts: features.accounts, passwords: PasswordHasher(parameters: AccountsSecretsTests.cheap))
        let router = Router(context: MarketRequestContext.self)
        // A test's requests have no address of their own: each may name one.
        router.add(middleware: try ContractMiddleware(features: features))
        router.add(middleware: EdgeMiddleware(trustedProxies: ["unknown"], observe: { _, _, _, _ in }))
        let routes = APIRoutes(
            router: router, prefix: Paths.base, authenticate: Authenticator(accounts: features.accounts).identity(of:))
        AccountRoutes(accounts: features.accounts, service: accounts).register(on: routes)
        CaseRoutes(
            moderation: features.moderation, service: CaseService(moderation: features.moderation),
            objects: ObjectServer(storage: features.storage)
        )
        .register(on: routes)
        ConversationRoutes(moderation: features.moderation, service: CaseService(moderation: features.moderation))
            .register(on: routes)
        SubmissionRoutes(ingest: features.ingest, feed: SubmissionChanges(platform: features.platform)).register(
            on: routes)
        AppealRoutes(moderation: features.moderation).register(on: routes)
        AuditRoutes(platform: features.platform).register(on: routes)
        TransparencyRoutes(moderation: features.moderation).register(on: routes)
        do {
            try await Application(router: router).test(.router) { client in
                try await body(AccountsScene(features: features, accounts: accounts, clock: clock, client: client))
            }
        } catch {
            await database.shutdown()
            throw error
        }
        await database.shutdown()
        withExtendedLifetime((folder, own)) {}
    }

    /// Sends a request to a path below the API's base.
    func send(
        _ method: HTTPRequest.Method, _ path: String, json: (any Encodable & Sendable)? = nil,
        as caller: Caller = .nobody,
        headers: HTTPFields = [:]
    ) async throws -> TestResponse {
        var headers = headers
        switch caller {
        case .nobody: break
        case .token(let token): headers[.authorization] = "Bearer \(token)"
        case .cookie(let cookie): headers[.cookie] = cookie
        }
        var body: ByteBuffer?
        if let json {
            headers[.contentType] = "application/json"
            let data = try WireJSON.encoder().encode(json)
            SuiteLog.note(body: data, type: "application/json")
            body = ByteBuffer(data: data)
        }
        return try await client.execute(uri: Paths.base + path, method: method, headers: headers, body: body)
    }

    /// Makes an account of the role, and a token of it with every scope.
    func person(_ handle: String, role: UserRole = .user) async throws -> (id: UserID, caller: Caller) {
        let account = try await accounts.register(
            RegisterRequest(handle: handle, email: "\(handle)@example.org", password: Self.password))
        if role != .user { try await accounts.setRole(role, of: handle, by: .operatorCommand) }
        let token = try await accounts.makeToken(name: "test", scopes: TokenScope.all, for: account.id)
        SuiteLog.note(.token, token.token)
        SuiteLog.note(.password, Self.password)
        return (account.id, .token(token.token))
    }

    /// Signs a browser in and returns what it sends as `Cookie`.
    func browser(_ handle: String) async throws -> Caller {
        let answer = try await send(
            .post, "/auth/login", json: LoginRequest(login: handle, password: Self.password))
        let field = try #require(answer.headers[.setCookie])
        return .cookie(String(field.prefix { $0 != ";" }))
    }
}

extension TestResponse {
    func json<T: Decodable>(_ type: T.Type = T.self) throws -> T {
        try WireJSON.decoder().decode(type, from: Data(buffer: body))
    }

    var problem: ErrorCode? { try? json(ProblemDocument.self).code }
}

extension HTTPFields {
    static var sameOrigin: HTTPFields { [.secFetchSite: "same-origin"] }
    static func from(_ address: String) -> HTTPFields { [.xForwardedFor: address] }
}
