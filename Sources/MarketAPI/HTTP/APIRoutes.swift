// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Hummingbird
import MarketWire
import Synchronization

/// What a route's handler is.
public typealias RouteHandler = @Sendable (Request, MarketRequestContext) async throws -> Response

/// One line of the table of routes.
public struct RouteDescription: Sendable, Equatable {
    /// The method.
    public let method: HTTPRequest.Method
    /// The path with `{names}`.
    public let path: String
    /// Who may call.
    public let access: Access
    /// Whether it is a page or what belongs to one, and no part of the contract for programs.
    public let isForPeople: Bool
}

/// The only way to add a route: each one says who may call it, and is entered in the table that the tests walk.
public struct APIRoutes {
    /// Tells who is calling; throws for a credential that is not good.
    typealias Authenticate = @Sendable (Request) async throws -> Identity?

    private let router: Router<MarketRequestContext>
    private let prefix: String
    private let authenticate: Authenticate
    private let table: RouteTable
    private var wrap: (@Sendable (@escaping RouteHandler) -> RouteHandler)?
    private var isForPeople = false

    init(router: Router<MarketRequestContext>, prefix: String = "", authenticate: @escaping Authenticate) {
        self.router = router
        self.prefix = prefix
        self.authenticate = authenticate
        self.table = RouteTable()
    }

    private init(_ other: APIRoutes, prefix: String) {
        router = other.router
        authenticate = other.authenticate
        table = other.table
        self.prefix = other.prefix + prefix
        wrap = other.wrap
        isForPeople = other.isForPeople
    }

    /// The same table under a longer prefix.
    public func under(_ prefix: String) -> APIRoutes {
        APIRoutes(self, prefix: prefix)
    }

    /// The same table; what is added through it is wrapped by `wrap`.
    func wrapping(_ wrap: @escaping @Sendable (@escaping RouteHandler) -> RouteHandler) -> APIRoutes {
        var copy = self
        copy.wrap = wrap
        return copy
    }

    /// The same table; what is added through it are pages.
    var forPeople: APIRoutes {
        var copy = self
        copy.isForPeople = true
        return copy
    }

    /// Every route that was added, in order.
    public var descriptions: [RouteDescription] { table.all }

    /// The same as it stands when it is asked for.
    var laterDescriptions: @Sendable () -> [RouteDescription] { { [table] in table.all } }

    /// Adds a route. `path` names its variable parts in braces: `/templates/{id}`.
    public func add(
        _ method: HTTPRequest.Method, _ path: String, access: Access, _ handler: @escaping RouteHandler
    ) {
        let full = prefix + path
        table.append(RouteDescription(method: method, path: full, access: access, isForPeople: isForPeople))
        let authenticate = self.authenticate
        let handler = wrap?(handler) ?? handler
        router.on(RouterPath(full), method: method) { request, context in
            // Nobody's name matters here; asking who calls would cost a query.
            if access == .signedAddress || access == .everybody { return try await handler(request, context) }
            var context = context
            context.identity = try await authenticate(request)
            try access.check(context.identity)
            if case .session = context.identity?.credential, !method.isSafe { try CrossSiteGuard.check(request) }
            return try await handler(request, context)
        }
    }

    /// Adds a `GET`.
    public func get(_ path: String, access: Access, _ handler: @escaping RouteHandler) {
        add(.get, path, access: access, handler)
    }

    /// Adds a `POST`.
    public func post(_ path: String, access: Access, _ handler: @escaping RouteHandler) {
        add(.post, path, access: access, handler)
    }

    /// Adds a `PUT`.
    public func put(_ path: String, access: Access, _ handler: @escaping RouteHandler) {
        add(.put, path, access: access, handler)
    }

    /// Adds a `PATCH`.
    public func patch(_ path: String, access: Access, _ handler: @escaping RouteHandler) {
        add(.patch, path, access: access, handler)
    }

    /// Adds a `DELETE`.
    public func delete(_ path: String, access: Access, _ handler: @escaping RouteHandler) {
        add(.delete, path, access: access, handler)
    }
}

extension APIRoutes {
    private static let methods: [HTTPRequest.Method] =
        [.get, .head, .post, .put, .patch, .delete, .options, .trace] + ["QUERY"].compactMap { .init($0) }

    /// Answers `405` with `Allow` (RFC 9110, section 15.5.6) wherever a path is known and the method is not. Called
    /// once, after all routes were added.
    func refuseOtherMethods() {
        for (path, lines) in Dictionary(grouping: descriptions, by: \.path) {
            var known = Set(lines.map(\.method))
            if known.contains(.get) { known.insert(.head) }
            let allow = Self.methods.filter(known.contains).map(\.rawValue).joined(separator: ", ")
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
}

extension HTTPRequest.Method {
    /// Methods that change nothing (RFC 9110, section 9.2.1).
    var isSafe: Bool { self == .get || self == .head || self == .options }
}
