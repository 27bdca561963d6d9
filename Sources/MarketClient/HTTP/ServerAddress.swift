// SPDX-License-Identifier: Apache-2.0
import Foundation

/// Where a market lives: `http` or `https`, a host, and perhaps a path in front of `/api/v1`.
public struct ServerAddress: Hashable, Sendable, CustomStringConvertible {
    /// Without a trailing slash, query, fragment or credentials.
    public let url: URL

    /// Reads an address; `nil` for anything but an absolute `http` or `https` one.
    public init?(_ text: String) {
        guard var parts = URLComponents(string: text.trimmingCharacters(in: .whitespaces)),
            let scheme = parts.scheme?.lowercased(), scheme == "http" || scheme == "https",
            let host = parts.host, !host.isEmpty, parts.user == nil, parts.password == nil
        else { return nil }
        parts.scheme = scheme
        parts.host = host.lowercased()
        parts.query = nil
        parts.fragment = nil
        while parts.path.hasSuffix("/") { parts.path.removeLast() }
        guard let url = parts.url else { return nil }
        self.url = url
    }

    /// The address as text.
    public var description: String { url.absoluteString }

    /// Whether what is sent there stays readable only to this machine or the server.
    public var isPrivate: Bool {
        url.scheme == "https" || ["localhost", "127.0.0.1", "::1", "[::1]"].contains(url.host() ?? "")
    }

    /// Resolves an address that the server gave: absolute, or relative to the server.
    func resolve(_ reference: String) -> URL? {
        if let absolute = URL(string: reference), let scheme = absolute.scheme {
            return ["http", "https"].contains(scheme.lowercased()) && absolute.host() != nil ? absolute : nil
        }
        guard reference.hasPrefix("/"), !reference.hasPrefix("//") else { return nil }
        return URL(string: description + reference)
    }

    /// Whether `other` is the same scheme, host and port: the only place where the token may go.
    func hasSameOrigin(as other: URL) -> Bool { Origin(url) == Origin(other) }
}

/// Scheme, host and port (RFC 6454, section 4).
struct Origin: Equatable {
    let scheme: String
    let host: String
    let port: Int

    init(_ url: URL) {
        scheme = url.scheme?.lowercased() ?? ""
        host = url.host()?.lowercased() ?? ""
        port = url.port ?? (scheme == "https" ? 443 : 80)
    }
}
