// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketWire
import SheetCore

/// A market's API with typed calls. A value: copy it freely, use it from many tasks at once.
///
/// Calls throw `MarketClientError`, or `CancellationError` when their task is cancelled. Those that change nothing
/// when made twice are tried again on broken connections and on `429` and `503`, as `retry` says.
public struct MarketClient: Sendable {
    /// This library's version, sent as `User-Agent: sheets/<version>`.
    public static var version: String { Requests.version }

    /// Whether this library can use a version that asks for at least `minimum`.
    public static func isRecentEnough(for minimum: SemanticVersion?) -> Bool {
        guard let minimum, let own = SemanticVersion(version) else { return true }
        return own >= minimum
    }

    private(set) var requests: Requests
    /// Requests to the market itself, where a mirror is asked in its stead.
    let marketRequests: Requests?

    /// A client of one server; `token` is what `POST /auth/tokens` gave.
    ///
    /// Without a `transport` all clients of the process share one connection pool.
    public init(
        server: ServerAddress, token: String? = nil, retry: RetryPolicy = RetryPolicy(),
        transport: (any HTTPTransport)? = nil
    ) {
        requests = Requests(server: server, token: token, retry: retry, http: transport ?? Self.sharedTransport)
        marketRequests = nil
        mirror = nil
    }

    /// A client of a market that asks a static mirror instead: for what installing, updating and searching need. It is
    /// verified as the market's own answers are, by the market's root; `transport` carries requests to a mirror on the web.
    public init(
        server: ServerAddress, mirror: MirrorAddress, retry: RetryPolicy = RetryPolicy(),
        transport: (any HTTPTransport)? = nil
    ) {
        marketRequests = Requests(server: server, token: nil, retry: retry, http: transport ?? Self.sharedTransport)
        requests = Requests(
            server: server, token: nil, retry: retry,
            http: MirrorTransport(server: server, mirror: mirror, http: transport ?? Self.sharedTransport),
            standIn: mirror.description)
        self.mirror = mirror
    }

    private static var sharedTransport: any HTTPTransport {
        #if canImport(AsyncHTTPClient)
            AsyncHTTPTransport.shared
        #else
            URLSessionTransport.shared
        #endif
    }

    /// The market that is asked.
    public var server: ServerAddress { requests.server }

    /// Who is asked in the market's stead.
    public let mirror: MirrorAddress?

    /// The same client, signed in with another token or none.
    public func signedIn(with token: String?) -> MarketClient {
        var copy = self
        copy.requests.token = mirror == nil ? token : nil
        return copy
    }

    /// One segment of a path; what is not plain is percent-encoded.
    static func segment(_ text: String) throws -> String {
        var plain = CharacterSet.alphanumerics
        plain.insert(charactersIn: "-._~+")
        guard !text.isEmpty, text != ".", text != "..",
            let encoded = text.addingPercentEncoding(withAllowedCharacters: plain)
        else { throw MarketClientError.badRequest("'\(text)' names nothing.") }
        return encoded
    }
}
