// SPDX-License-Identifier: Apache-2.0
import Foundation

/// Which proxy carries a request, as the environment says by the names that curl and most programs know: `http_proxy`,
/// `https_proxy`, `all_proxy` and `no_proxy`, the last three in capitals, too. This machine itself is always asked directly.
public struct ProxySettings: Sendable, Equatable {
    /// Where requests go first, and as whom.
    public struct Proxy: Sendable, Hashable {
        /// How it is spoken to.
        public enum Kind: Sendable, Hashable {
            /// Connects to servers, of `http`, too (RFC 9110, section 9.3.6).
            case http
            /// RFC 1928.
            case socks
        }

        /// How it is spoken to.
        public var kind: Kind
        /// Its name or address.
        public var host: String
        /// Where the text names none: 80, or 1080 for SOCKS.
        public var port: Int
        /// Who signs in there, if it asks.
        public var user: String?
        /// For Basic authentication; absent when the address names none.
        public var password: String?

        /// Reads `http://user:password@host:port`; without a scheme `http`, without a port its usual one. `nil` of what
        /// cannot be used: proxies that are reached by TLS, and a sign-in to SOCKS.
        public init?(_ text: String) {
            let whole = text.contains("://") ? text : "http://" + text
            guard let parts = URLComponents(string: whole), let host = parts.host, !host.isEmpty else { return nil }
            switch parts.scheme?.lowercased() {
            case "http":
                kind = .http
                port = parts.port ?? 80
            case "socks5", "socks5h", "socks":
                kind = .socks
                port = parts.port ?? 1080
            default: return nil
            }
            self.host = host.trimmingCharacters(in: CharacterSet(charactersIn: "[]"))
            user = parts.user
            if kind == .socks, user?.isEmpty == false { return nil }
            password = parts.password
        }
    }

    private let forHTTP: Result<Proxy, MarketClientError>?
    private let forHTTPS: Result<Proxy, MarketClientError>?
    private let exceptions: [String]

    /// Reads them from environment variables.
    public init(environment: [String: String]) {
        func named(_ names: String...) -> String? { names.first { environment[$0]?.isEmpty == false } }
        func proxy(_ name: String?) -> Result<Proxy, MarketClientError>? {
            guard let name, let text = environment[name] else { return nil }
            if let proxy = Proxy(text) { return .success(proxy) }
            // What it says is not told: a password may be in it.
            let advice = "Set it to http://HOST:PORT or http://USER:PASSWORD@HOST:PORT, or to socks5://HOST:PORT"
            return .failure(
                .badRequest("\(name) names a proxy that cannot be used. \(advice), or name the market in no_proxy."))
        }
        let all = named("all_proxy", "ALL_PROXY")
        // In capitals a web server's CGI would set it from a header of whoever asks.
        forHTTP = proxy(named("http_proxy") ?? all)
        forHTTPS = proxy(named("https_proxy", "HTTPS_PROXY") ?? all)
        exceptions = (named("no_proxy", "NO_PROXY").flatMap { environment[$0] } ?? "").lowercased()
            .split { $0 == "," || $0 == " " }.map(String.init)
    }

    /// Whom to ask for an address; `nil` is the server itself. Throws of a proxy that cannot be used, which is not passed by.
    public func proxy(for url: URL) throws(MarketClientError) -> Proxy? {
        guard let host = url.host()?.lowercased().trimmingCharacters(in: CharacterSet(charactersIn: "[]")),
            let proxy = url.scheme?.lowercased() == "https" ? forHTTPS : forHTTP,
            !Self.isLocal(host)
        else { return nil }
        let port = url.port ?? (url.scheme?.lowercased() == "https" ? 443 : 80)
        return try exceptions.contains { Self.matches($0, host, port) } ? nil : proxy.get()
    }

    /// Whether a host is this machine itself.
    package static func isLocal(_ host: String) -> Bool {
        host == "localhost" || host.hasSuffix(".localhost") || host == "::1"
            || (host.hasPrefix("127.") && host.allSatisfy { $0.isNumber || $0 == "." })
    }

    /// `*`, a name, which stands for what is below it, too, or an address; perhaps with a port.
    private static func matches(_ exception: String, _ host: String, _ port: Int) -> Bool {
        if exception == "*" { return true }
        var name = exception
        if let colon = exception.lastIndex(of: ":"), let named = Int(exception[exception.index(after: colon)...]),
            exception.firstIndex(of: ":") == colon
        {
            guard named == port else { return false }
            name = String(exception[..<colon])
        }
        while name.hasPrefix(".") || name.hasPrefix("*") { name.removeFirst() }
        return !name.isEmpty && (host == name || host.hasSuffix("." + name))
    }
}
