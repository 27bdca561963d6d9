// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Hummingbird
import MarketWire
import Synchronization

/// Answers a request.
package typealias RouteHandler = @Sendable (Request, MarketRequestContext) async throws -> Response

/// Wraps a route's handler in what every call goes through before it and every answer after it. `page` gives the
/// address of the page that a form's address belongs to.
package typealias RoutePolicy =
    @Sendable (
        _ route: RouteDescription, _ page: @escaping @Sendable (Request) -> String?, _ handler: @escaping RouteHandler
    ) -> RouteHandler

/// One line of the table of routes.
package struct RouteDescription: Sendable, Equatable {
    package let method: HTTPRequest.Method
    /// The path with `{names}`.
    package let path: String
    /// Who may call.
    package let access: Access
    /// Whether it is a page, or belongs to one, and so is not in the OpenAPI contract.
    package let isWebPage: Bool
    /// How much a call counts against the rate limits.
    package let cost: RouteCost
    /// Whether it takes `Idempotency-Key`: every call that changes something, except pages' forms.
    package let acceptsIdempotencyKey: Bool
    /// Whether it takes `If-Match`.
    package let isConditional: Bool
    /// Set when the route should no longer be called.
    package let deprecation: RouteDeprecation?
    /// Whether its form may be larger than others. Only its handler reads such a form, so it has no idempotency token.
    package var hasLargeForm = false
    /// Whether what is read may be some seconds old, so that a replica of the database will do.
    package var mayLag = false

    package init(
        method: HTTPRequest.Method, path: String, access: Access, isWebPage: Bool, cost: RouteCost,
        acceptsIdempotencyKey: Bool, isConditional: Bool, deprecation: RouteDeprecation?, hasLargeForm: Bool = false,
        mayLag: Bool = false
    ) {
        self.method = method
        self.path = path
        self.access = access
        self.isWebPage = isWebPage
        self.cost = cost
        self.acceptsIdempotencyKey = acceptsIdempotencyKey
        self.isConditional = isConditional
        self.deprecation = deprecation
        self.hasLargeForm = hasLargeForm
        self.mayLag = mayLag
    }

    /// Whether a call changes something, as far as its kind says.
    package var makesChanges: Bool { !method.isSafe && (isWebPage || acceptsIdempotencyKey) }

    /// Whether a call may change credentials or roles: each one that changes anything, except those that need only the
    /// scopes for templates and reviews.
    var concernsCredentials: Bool {
        guard !method.isSafe else { return false }
        return switch access {
        case .user(.templatesWrite), .user(.reviewsWrite): false
        default: true
        }
    }
}

/// The only way to add a route: each one says who may call it, and is entered in the table that the tests walk.
package struct APIRoutes {
    /// Returns the caller; throws for an invalid credential.
    package typealias Authenticate = @Sendable (Request) async throws -> Identity?

    /// Throws when a sanction forbids the caller this route.
    package typealias SanctionCheck = @Sendable (Identity, RouteDescription) async throws -> Void

    /// Called after each successful call of a signed-in caller.
    package typealias AuditHook =
        @Sendable (Identity, RouteDescription, _ path: String, _ requestID: String) async -> Void

    private let router: Router<MarketRequestContext>
    private var prefix: String
    private let crossOrigin: CORSPolicy
    private let policy: RoutePolicy
    private let table: RouteTable
    private var wrap: (@Sendable (@escaping RouteHandler) -> RouteHandler)?
    private var isWebPage = false
    private var cost: RouteCost?
    private var changesNothing = false
    private var isConditional = false
    private var deprecation: RouteDeprecation?
    private var hasLargeForm = false
    private var mayLag = false

    package init(
        router: Router<MarketRequestContext>, prefix: String = "", crossOrigin: CORSPolicy,
        policy: @escaping RoutePolicy
    ) {
        self.router = router
        self.prefix = prefix
        self.crossOrigin = crossOrigin
        self.policy = policy
        self.table = RouteTable()
    }

    /// The same table under a longer prefix.
    package func group(_ prefix: String) -> APIRoutes {
        with { $0.prefix += prefix }
    }

    private func with(_ change: (inout APIRoutes) -> Void) -> APIRoutes {
        var copy = self
        change(&copy)
        return copy
    }

    /// The same table; what is added through it is wrapped by `wrap`, and that by what wraps already.
    package func wrapping(_ wrap: @escaping @Sendable (@escaping RouteHandler) -> RouteHandler) -> APIRoutes {
        with { routes in
            let outer = routes.wrap
            routes.wrap = { handler in outer.map { $0(wrap(handler)) } ?? wrap(handler) }
        }
    }

    /// The same table; what is added through it are pages.
    package var webPages: APIRoutes { with { $0.isWebPage = true } }

    /// The same table; what is added through it costs this, and not what its method says.
    package func withCost(_ cost: RouteCost) -> APIRoutes { with { $0.cost = cost } }

    /// The same table; what is added through it takes forms that may be larger than others.
    package var takingLargeForms: APIRoutes { with { $0.hasLargeForm = true } }

    /// The same table; what is added through it changes nothing, although its method could: a query with a body.
    package var asking: APIRoutes {
        with { routes in
            routes.changesNothing = true
            routes.cost = routes.cost ?? .search
        }
    }

    /// The same table; what is added through it and open to everybody may be read from a replica of the database, unless it
    /// changes something: answers may be some seconds old.
    package var lagging: APIRoutes { with { $0.mayLag = true } }

    /// The same table; what is added through it is never older than the question.
    package var current: APIRoutes { with { $0.mayLag = false } }

    /// The same table; what is added through it looks at `If-Match` where it writes, and `If-None-Match: *`.
    package var conditional: APIRoutes { with { $0.isConditional = true } }

    /// The same table; what is added through it should no longer be called. Answers and the contract say so.
    package func deprecated(since: Date, sunset: Date? = nil, link: String) -> APIRoutes {
        with { $0.deprecation = RouteDeprecation(since: since, sunset: sunset, link: link) }
    }

    /// Every route that was added, in order.
    package var descriptions: [RouteDescription] { table.all }

    /// `descriptions`, read later: routes that are added meanwhile are in it.
    package var laterDescriptions: @Sendable () -> [RouteDescription] { { [table] in table.all } }

    /// Adds a route. `path` names its variable parts in braces: `/templates/{id}`.
    package func add(
        _ method: HTTPRequest.Method, _ path: String, access: Access, _ handler: @escaping RouteHandler
    ) {
        let full = prefix + path
        let isPublicFile = access == .withoutAuthentication
        let route = RouteDescription(
            method: method, path: full, access: access, isWebPage: isWebPage,
            cost: cost ?? (method.isSafe ? (isPublicFile ? .free : .read) : .write),
            acceptsIdempotencyKey: !method.isSafe && !isWebPage && !changesNothing, isConditional: isConditional,
            deprecation: deprecation, hasLargeForm: hasLargeForm,
            mayLag: mayLag && (method.isSafe || changesNothing)
                && (access == .optionalAuthentication || access == .withoutAuthentication))
        table.append(route)
        let page: @Sendable (Request) -> String? = { [table] in table.page(of: full, at: $0.uri.path) }
        router.on(
            RouterPath(full), method: method, use: policy(route, page, wrap?(handler) ?? handler))
    }

    package func get(_ path: String, access: Access, _ handler: @escaping RouteHandler) {
        add(.get, path, access: access, handler)
    }

    package func post(_ path: String, access: Access, _ handler: @escaping RouteHandler) {
        add(.post, path, access: access, handler)
    }

    package func put(_ path: String, access: Access, _ handler: @escaping RouteHandler) {
        add(.put, path, access: access, handler)
    }

    package func patch(_ path: String, access: Access, _ handler: @escaping RouteHandler) {
        add(.patch, path, access: access, handler)
    }

    package func delete(_ path: String, access: Access, _ handler: @escaping RouteHandler) {
        add(.delete, path, access: access, handler)
    }
}

extension APIRoutes {
    private static let methods: [HTTPRequest.Method] =
        [.get, .head, .post, .put, .patch, .delete, .options, .trace] + ["QUERY"].compactMap { .init($0) }

    /// Answers `OPTIONS`, and `405` with `Allow` (RFC 9110, section 15.5.6) wherever a path is known and the method is
    /// not. Called once, after all routes were added.
    package func refuseOtherMethods() {
        for (path, lines) in Dictionary(grouping: descriptions, by: \.path) {
            var known = Set(lines.map(\.method))
            if known.contains(.get) { known.insert(.head) }
            let isAPI = lines.contains { !$0.isWebPage }
            if isAPI { known.insert(.options) }
            let allow = Self.methods.filter(known.contains).map(\.rawValue).joined(separator: ", ")
            if isAPI {
                router.on(RouterPath(path), method: .options) { [crossOrigin] request, _ in
                    crossOrigin.options(allow: allow, for: request)
                }
            }
            for method in Self.methods where !known.contains(method) {
                router.on(RouterPath(path), method: method) { _, _ -> Response in
                    throw APIError(
                        .methodNotAllowed, .methodNotAllowed, "This address takes \(allow).", headers: [.allow: allow])
                }
            }
        }
    }
}

/// Filled while the application is built, read afterwards.
private final class RouteTable: Sendable {
    private let lines = Mutex<[RouteDescription]>([])

    func append(_ line: RouteDescription) { lines.withLock { $0.append(line) } }

    var all: [RouteDescription] { lines.withLock { $0 } }

    /// The address of the page that a form's address belongs to: the same, or the nearest above it.
    func page(of pattern: String, at address: String) -> String? {
        let pages = Set(all.filter { $0.isWebPage && $0.method == .get }.map(\.path))
        var parts = pattern.split(separator: "/")
        var segments = address.split(separator: "/")
        while !parts.isEmpty, parts.count == segments.count {
            if pages.contains("/" + parts.joined(separator: "/")) { return "/" + segments.joined(separator: "/") }
            parts.removeLast()
            segments.removeLast()
        }
        return nil
    }
}

extension HTTPRequest.Method {
    /// Methods that change nothing (RFC 9110, section 9.2.1).
    package var isSafe: Bool { self == .get || self == .head || self == .options }
}
