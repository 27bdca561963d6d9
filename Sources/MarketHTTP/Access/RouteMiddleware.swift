// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Hummingbird
import MarketWire
import SheetCore

/// What every call of a route goes through before its handler, and every answer after it: rate limits, authentication,
/// authorization, sanctions, idempotency keys, compression and the audit hook.
package struct RouteMiddleware: Sendable {
    /// How often, and at what interval, a form that is sent twice looks for the result of the first.
    private static let formRetryLimit = 50
    private static let formRetryDelay = Duration.milliseconds(100)

    package let authenticate: APIRoutes.Authenticate
    package let checkSanctions: APIRoutes.SanctionCheck
    package let auditHook: APIRoutes.AuditHook
    /// `nil` limits nothing.
    package let limiter: RateLimiter?
    /// `nil` passes over `Idempotency-Key`.
    package let idempotency: IdempotencyMiddleware?
    package let credentials: CredentialCache
    package let crossOrigin: CORSPolicy
    package let flashCookie: FlashCookie
    package let languageCookie: LanguageCookie
    /// `nil` reads everything from the primary.
    package let replicaReading: ReplicaReading?
    /// The parameters that a route's query may have; `nil` where any may stand.
    package let knownParameters: @Sendable (RouteDescription) -> Set<String>?

    package init(
        authenticate: @escaping APIRoutes.Authenticate, checkSanctions: @escaping APIRoutes.SanctionCheck = { _, _ in },
        auditHook: @escaping APIRoutes.AuditHook = { _, _, _, _ in }, limiter: RateLimiter? = nil,
        idempotency: IdempotencyMiddleware? = nil,
        credentials: CredentialCache = CredentialCache(seconds: 0), crossOrigin: CORSPolicy = CORSPolicy(.none),
        flashCookie: FlashCookie = FlashCookie(isSecure: false),
        languageCookie: LanguageCookie = LanguageCookie(isSecure: false),
        replicaReading: ReplicaReading? = nil,
        knownParameters: @escaping @Sendable (RouteDescription) -> Set<String>? = { _ in nil }
    ) {
        self.authenticate = authenticate
        self.checkSanctions = checkSanctions
        self.auditHook = auditHook
        self.limiter = limiter
        self.idempotency = idempotency
        self.credentials = credentials
        self.crossOrigin = crossOrigin
        self.flashCookie = flashCookie
        self.languageCookie = languageCookie
        self.replicaReading = replicaReading
        self.knownParameters = knownParameters
    }

    /// The handler as the router calls it; `page` tells the address of the page that a form's own belongs to.
    package func handler(
        of route: RouteDescription, page: @escaping @Sendable (Request) -> String?, _ handler: @escaping RouteHandler
    ) -> RouteHandler {
        let deprecation = route.deprecation?.fields ?? []
        let knownParameters = knownParameters(route)
        let handler = route.mayLag ? replicaReading?.wrapping(handler) ?? handler : handler
        return { request, context in
            var fields = deprecation
            do {
                var context = context
                try await admit(&context, request, to: route, telling: &fields)
                if let knownParameters, request.uri.query != nil {
                    try request.queryParameters.check(against: knownParameters)
                }
                // Revoked rights take effect at once on the node that revoked them.
                defer { if route.concernsCredentials { credentials.removeAll() } }
                context.done = flashCookie.done(by: request)
                if route.isWebPage { context.choose(languageCookie.language(for: request, context.identity)) }
                let isForm = route.isWebPage && !route.method.isSafe && !route.hasLargeForm
                var response =
                    try await isForm
                    ? answerForm(request, context, page, handler) : answer(request, context, of: route, handler)
                if !route.method.isSafe { flashCookie.mark(&response) }
                if let identity = context.identity, response.status.code < 400,
                    response.headers[.idempotencyReplayed] == nil
                {
                    await auditHook(identity, route, request.uri.path, context.requestID)
                }
                if route.makesChanges, response.status.code < 400 {
                    await replicaReading?.mark(&response, context.identity, logger: context.logger)
                }
                if !route.isWebPage { try await response.compressJSON(for: request) }
                response.headers.append(contentsOf: fields)
                return response
            } catch  where !fields.isEmpty {
                throw ErrorWithHeaders(error: error, fields: fields)
            }
        }
    }

    /// Authenticates the caller, charges the rate limits, and throws unless the call is allowed.
    private func admit(
        _ context: inout MarketRequestContext, _ request: Request, to route: RouteDescription,
        telling fields: inout [HTTPField]
    ) async throws {
        let access = route.access
        // These need no identity, and looking it up would cost a query.
        if access != .signedAddress && access != .withoutAuthentication {
            context.identity = try await identity(of: request, context)
        }
        if let limiter, route.cost != .free {
            let address = RateLimitSubject.address(context.clientAddress)
            let own = context.identity.map { RateLimitSubject.buckets(of: $0) }
            // Otherwise somebody signed in could go on registering accounts, each with a fresh bucket of its own.
            if own != nil, route.cost == .signIn { _ = try await limiter.consume(route.cost, from: [address]) }
            let standings = try await limiter.consume(route.cost, from: own ?? [address])
            fields += RateLimitStatus.fields(standings)
        }
        try access.check(context.identity)
        if case .session = context.identity?.credential, !route.method.isSafe { try CSRFProtection.check(request) }
        if let identity = context.identity { try await checkSanctions(identity, route) }
    }

    /// The caller. Invalid credentials are counted, and not checked any more after too many.
    private func identity(of request: Request, _ context: MarketRequestContext) async throws -> Identity? {
        guard let limiter, request.headers[.authorization] != nil || request.headers[.cookie] != nil else {
            return try await credentials.identity(of: request, authenticate)
        }
        try limiter.checkInvalidCredentials(from: context.clientAddress)
        do {
            let identity = try await credentials.identity(of: request, authenticate)
            // An expired cookie is harmless, but each one costs a query.
            if identity == nil, request.headers[.cookie]?.contains("sheetmarket_session=") == true {
                limiter.recordInvalidCredential(from: context.clientAddress)
            }
            return identity
        } catch  where APIError.mapping(error).error.status == .unauthorized {
            limiter.recordInvalidCredential(from: context.clientAddress)
            throw error
        }
    }

    private func answer(
        _ request: Request, _ context: MarketRequestContext, of route: RouteDescription,
        _ handler: @escaping RouteHandler
    ) async throws -> Response {
        if !route.method.isSafe, !route.isConditional, !route.isWebPage, request.headers[.ifMatch] != nil {
            // A client that sends the field relies on it: ignoring it could overwrite another's change.
            throw APIError(.badRequest, .badRequest, "This call does not look at If-Match; send it without.")
        }
        guard route.acceptsIdempotencyKey, let idempotency, let key = try IdempotencyKey(request) else {
            return try await handler(request, context)
        }
        let checksStoreFirst = route.cost != .write || route.access == .session || route.access == .enrolling
        return try await idempotency.answer(request, context, key: key, checksStoreFirst: checksStoreFirst, handler)
    }

    /// Handles a web form. A form with an idempotency token is processed once: sent again, it gets the same redirect or
    /// a message that it was already sent.
    private func answerForm(
        _ request: Request, _ context: MarketRequestContext, _ page: @Sendable (Request) -> String?,
        _ handler: @escaping RouteHandler
    ) async throws -> Response {
        var request = request
        guard let idempotency, let key = try await request.formIdempotencyKey() else {
            return try await handler(request, context)
        }
        var waits = Self.formRetryLimit
        while true {
            do {
                return try await idempotency.answer(request, context, key: key, checksStoreFirst: true, handler)
            } catch let error as APIError {
                // A second click of the button gets the result of the first.
                guard error.code == .idempotencyKeyInUse, waits > 0 else { throw error.forWebForm { page(request) } }
                waits -= 1
                try await Task.sleep(for: Self.formRetryDelay)
            }
        }
    }
}

extension APIError {
    /// The same error in words for a person who sent a web form.
    fileprivate func forWebForm(_ page: () -> String?) -> APIError {
        var told = self
        switch code {
        case .idempotencyAnswerNotKept:
            told.detail =
                "This form was sent before, and what it asks for was made then. It is not made again, and a secret that was "
                + "shown then is not shown again: make a new one if you have lost it."
        case .idempotencyKeyInUse: told.detail = "This form was sent just now, and is still being dealt with."
        default: return self
        }
        told.page = page()
        return told
    }
}

extension APIRoutes {
    /// Routes behind `middleware`.
    package init(router: Router<MarketRequestContext>, prefix: String = "", middleware: RouteMiddleware) {
        self.init(router: router, prefix: prefix, crossOrigin: middleware.crossOrigin) { route, page, handler in
            middleware.handler(of: route, page: page, handler)
        }
    }

    /// Routes behind nothing but the question who is calling.
    package init(
        router: Router<MarketRequestContext>, prefix: String = "", authenticate: @escaping Authenticate
    ) {
        self.init(router: router, prefix: prefix, middleware: RouteMiddleware(authenticate: authenticate))
    }
}
