// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Hummingbird
import MarketWire
import SheetCore

/// What every call of a route goes through before its handler, and every answer after it: limits, who is calling and
/// whether they may, keys that make a repeated call one, compression, and what is told of all that.
package struct RouteGate: Sendable {
    /// How often a form that is sent a second time looks whether the first is dealt with, and in between.
    private static let formWaits = 50
    private static let formPause = Duration.milliseconds(100)

    package let authenticate: APIRoutes.Authenticate
    package let restrain: APIRoutes.Restrain
    package let witness: APIRoutes.Witness
    /// `nil` limits nothing.
    package let limiter: RateLimiter?
    /// `nil` passes over `Idempotency-Key`.
    package let replays: ReplayGuard?
    package let credentials: CredentialMemory
    package let crossOrigin: CrossOrigin
    package let arrivals: ArrivalCookie

    package init(
        authenticate: @escaping APIRoutes.Authenticate, restrain: @escaping APIRoutes.Restrain = { _, _ in },
        witness: @escaping APIRoutes.Witness = { _, _, _, _ in }, limiter: RateLimiter? = nil,
        replays: ReplayGuard? = nil,
        credentials: CredentialMemory = CredentialMemory(seconds: 0), crossOrigin: CrossOrigin = CrossOrigin(.none),
        arrivals: ArrivalCookie = ArrivalCookie(isSecure: false)
    ) {
        self.authenticate = authenticate
        self.restrain = restrain
        self.witness = witness
        self.limiter = limiter
        self.replays = replays
        self.credentials = credentials
        self.crossOrigin = crossOrigin
        self.arrivals = arrivals
    }

    /// The handler as the router calls it; `page` tells the address of the page that a form's own belongs to.
    package func handler(
        of route: RouteDescription, page: @escaping @Sendable (Request) -> String?, _ handler: @escaping RouteHandler
    ) -> RouteHandler {
        let deprecation = route.deprecation?.fields ?? []
        return { request, context in
            var fields = deprecation
            do {
                var context = context
                try await admit(&context, request, to: route, telling: &fields)
                // Whatever is changed here, nobody on this node sees late what they have lost.
                defer { if route.concernsCredentials { credentials.forget() } }
                context.done = arrivals.done(by: request)
                let isForm = route.isForPeople && !route.method.isSafe && !route.hasLargeForm
                var response =
                    try await isForm
                    ? answerForm(request, context, page, handler) : answer(request, context, of: route, handler)
                if !route.method.isSafe { arrivals.mark(&response) }
                if let identity = context.identity, response.status.code < 400,
                    response.headers[.idempotencyReplayed] == nil
                {
                    await witness(identity, route, request.uri.path, context.requestID)
                }
                if !route.isForPeople { try await response.compressJSON(for: request) }
                response.headers.append(contentsOf: fields)
                return response
            } catch  where !fields.isEmpty {
                throw MarkedError(error: error, fields: fields)
            }
        }
    }

    /// Finds out who calls, takes what the call costs, and throws unless they may.
    private func admit(
        _ context: inout MarketRequestContext, _ request: Request, to route: RouteDescription,
        telling fields: inout [HTTPField]
    ) async throws {
        let access = route.access
        // Nobody's name matters for these; asking who calls would cost a query.
        if access != .signedAddress && access != .everybody {
            context.identity = try await identity(of: request, context)
        }
        if let limiter, route.cost != .free {
            let address = RateSubject.address(context.clientAddress)
            let own = context.identity.map { RateSubject.buckets(of: $0) }
            // Who is signed in could else make accounts without an end, each with a bucket of its own.
            if own != nil, route.cost == .signIn { _ = try await limiter.take(route.cost, from: [address]) }
            let standings = try await limiter.take(route.cost, from: own ?? [address])
            fields += RateStanding.fields(standings)
        }
        try access.check(context.identity)
        if case .session = context.identity?.credential, !route.method.isSafe { try CrossSiteGuard.check(request) }
        if let identity = context.identity { try await restrain(identity, route) }
    }

    /// Who calls. Credentials that are none are counted, and not looked at any more when there were too many.
    private func identity(of request: Request, _ context: MarketRequestContext) async throws -> Identity? {
        guard let limiter, request.headers[.authorization] != nil || request.headers[.cookie] != nil else {
            return try await credentials.identity(of: request, authenticate)
        }
        try limiter.checkGuesses(from: context.clientAddress)
        do {
            let identity = try await credentials.identity(of: request, authenticate)
            // A cookie that is over is no crime, but each costs a query.
            if identity == nil, request.headers[.cookie]?.contains("sheetmarket_session=") == true {
                limiter.noteGuess(from: context.clientAddress)
            }
            return identity
        } catch let error as APIError where error.status == .unauthorized {
            limiter.noteGuess(from: context.clientAddress)
            throw error
        }
    }

    private func answer(
        _ request: Request, _ context: MarketRequestContext, of route: RouteDescription,
        _ handler: @escaping RouteHandler
    ) async throws -> Response {
        if !route.method.isSafe, !route.isConditional, !route.isForPeople, request.headers[.ifMatch] != nil {
            // Who sends it counts on it.
            throw APIError(.badRequest, .badRequest, "This call does not look at If-Match; send it without.")
        }
        guard route.takesReplayKey, let replays, let key = try ReplayKey(request) else {
            return try await handler(request, context)
        }
        let looksFirst = route.cost != .write || route.access == .session || route.access == .enrolling
        return try await replays.answer(request, context, key: key, looksFirst: looksFirst, handler)
    }

    /// Answers a page's form. One with a word of its own is dealt with once: sent again it leads to where it led, or is told
    /// that it was.
    private func answerForm(
        _ request: Request, _ context: MarketRequestContext, _ page: @Sendable (Request) -> String?,
        _ handler: @escaping RouteHandler
    ) async throws -> Response {
        var request = request
        guard let replays, let key = try await request.formKey() else { return try await handler(request, context) }
        var waits = Self.formWaits
        while true {
            do {
                return try await replays.answer(request, context, key: key, looksFirst: true, handler)
            } catch let error as APIError {
                // The second press of a button is led to what comes of the first.
                guard error.code == .idempotencyKeyInUse, waits > 0 else { throw error.ofForm { page(request) } }
                waits -= 1
                try await Task.sleep(for: Self.formPause)
            }
        }
    }
}

extension APIError {
    /// The same for who sent a page's form and knows of no keys.
    fileprivate func ofForm(_ page: () -> String?) -> APIError {
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
    /// Routes behind `gate`.
    package init(router: Router<MarketRequestContext>, prefix: String = "", gate: RouteGate) {
        self.init(router: router, prefix: prefix, crossOrigin: gate.crossOrigin) { route, page, handler in
            gate.handler(of: route, page: page, handler)
        }
    }

    /// Routes behind nothing but the question who is calling.
    package init(
        router: Router<MarketRequestContext>, prefix: String = "", authenticate: @escaping Authenticate
    ) {
        self.init(router: router, prefix: prefix, gate: RouteGate(authenticate: authenticate))
    }
}
