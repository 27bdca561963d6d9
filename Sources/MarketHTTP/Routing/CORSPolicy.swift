// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Hummingbird

/// Lets pages of other sites call the API from a browser (CORS, WHATWG Fetch). Cookies are never
/// allowed with it: such a page sends a token or nothing; what comes with a cookie must come from our own pages.
package struct CORSPolicy: Sendable {
    private let origins: AllowedOrigins

    /// The header fields that pages may read.
    private static let exposed = HTTPField(
        name: .accessControlExposeHeaders,
        value: "ETag, Link, Location, X-Request-Id, Retry-After, RateLimit, RateLimit-Policy, Idempotency-Replayed, "
            + "Deprecation, Sunset, WWW-Authenticate, Content-Disposition, Read-After")
    private static let anyOrigin = HTTPField(name: .accessControlAllowOrigin, value: "*")
    private static let varies = HTTPField(name: .vary, value: "Origin")
    /// The header fields that pages may send.
    private static let allowedHeaders =
        "Authorization, Content-Type, Accept, Idempotency-Key, If-Match, If-None-Match, Range, X-Request-Id, "
        + "Last-Event-ID, Read-After"
    /// How long a browser may remember a preflight's answer, in seconds.
    private static let seconds = "7200"

    package init(_ origins: AllowedOrigins) {
        self.origins = origins
    }

    /// Whether other sites may read what is at a path: the API, its contract, feeds and files; never a page.
    package static func covers(_ path: String) -> Bool {
        path.hasPrefix("/api/") || path.hasPrefix("/files/") || path.hasPrefix("/feeds/") || path == "/openapi.json"
    }

    /// Adds to an answer who may read it.
    package func mark(_ headers: inout HTTPFields, for request: Request) {
        switch origins {
        case .none: return
        case .any: headers.append(Self.anyOrigin)
        case .listed(let origins):
            // The same for all without an origin, or a cache would give one site's answer to another.
            headers.append(Self.varies)
            guard let origin = request.headers[.origin], origins.contains(origin.lowercased()) else { return }
            headers.append(HTTPField(name: .accessControlAllowOrigin, value: origin))
        }
        headers.append(Self.exposed)
    }

    /// The answer to `OPTIONS`: what the address takes, and for a preflight what a page may send.
    package func options(allow: String, for request: Request) -> Response {
        var headers: HTTPFields = [.allow: allow, .cacheControl: "no-store"]
        guard origins != .none, request.headers[.origin] != nil,
            request.headers[.accessControlRequestMethod] != nil
        else { return .empty(headers: headers) }
        headers[.accessControlAllowMethods] = allow
        headers[.accessControlAllowHeaders] = Self.allowedHeaders
        headers[.accessControlMaxAge] = Self.seconds
        return .empty(headers: headers)
    }
}

/// Which pages of other sites may read answers.
package enum AllowedOrigins: Sendable, Equatable {
    case none
    case any
    case listed(Set<String>)
}
