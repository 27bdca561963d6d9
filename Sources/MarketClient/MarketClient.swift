// SPDX-License-Identifier: Apache-2.0
import AsyncHTTPClient
import Foundation
import MarketWire
import NIOCore
import SheetCore

/// A market's API with typed calls. A value: copy it freely, use it from many tasks at once.
///
/// Calls throw `MarketClientError`, or `CancellationError` when their task is cancelled. Those that change nothing
/// when made twice are tried again on broken connections and on `429` and `503`, as `retry` says.
public struct MarketClient: Sendable {
    /// This library's version, sent as `User-Agent: sheets/<version>`.
    public static let version = "0.1.0"

    /// Whether this library can use a version that asks for at least `minimum`.
    public static func isRecentEnough(for minimum: SemanticVersion?) -> Bool {
        guard let minimum, let own = SemanticVersion(version) else { return true }
        return own >= minimum
    }

    let transport: Transport

    /// A client of one server; `token` is what `POST /auth/tokens` gave.
    ///
    /// Without `http` all clients share one connection pool. A given one must not follow redirects by itself.
    public init(
        server: ServerAddress, token: String? = nil, retry: RetryPolicy = RetryPolicy(), http: HTTPClient? = nil
    ) {
        transport = Transport(server: server, token: token, retry: retry, http: http ?? Transport.sharedHTTP)
    }

    public var server: ServerAddress { transport.server }

    /// The same client, signed in with another token or none.
    public func signedIn(with token: String?) -> MarketClient {
        MarketClient(server: server, token: token, retry: transport.retry, http: transport.http)
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

/// How far a transfer is.
public struct TransferProgress: Sendable, Equatable {
    /// Bytes done, those of an earlier try included.
    public var bytes: Int
    /// All bytes.
    public var total: Int

    public init(bytes: Int, total: Int) {
        self.bytes = bytes
        self.total = total
    }

    /// 0…1.
    public var fraction: Double { total > 0 ? min(1, Double(bytes) / Double(total)) : 1 }
}
