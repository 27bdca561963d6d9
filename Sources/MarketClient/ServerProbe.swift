// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import MarketWire

/// What a market says of itself when it is only asked whether it is there.
public struct ServerProbe: Sendable, Codable, Equatable {
    /// The version of its API, if it says so.
    public var version: String?
    /// The version of the interface that this library was written for; a later major one may not be understood.
    public static let knownVersion = "1.0.0"
    /// How far this machine's clock is ahead of the server's, in seconds; the answer's way is left out of it.
    public var clockAhead: Double?
    /// How long the answer took, in seconds.
    public var seconds: Double
}

extension MarketClient {
    /// Asks whether the market is there, what it is, and what time it has; `now` is this machine's clock.
    public func probe(now: @Sendable () -> Date = { Date() }) async throws -> ServerProbe {
        struct Contract: Decodable {
            struct Info: Decodable { let version: String? }
            let info: Info
        }
        let start = now()
        let response = try await requests.send(.get("/healthz"))
        let end = now()
        let seconds = end.timeIntervalSince(start)
        // HTTP's dates have whole seconds (RFC 9110, section 5.6.7): the middle of that second is as good as it gets.
        let ahead = response.headers[.date].flatMap(HTTPDate.parse).map {
            (start.timeIntervalSince1970 + seconds / 2) - ($0.timeIntervalSince1970 + 0.5)
        }
        // A market that does not say its version is a market all the same.
        let contract = try? await requests.json(.get("/openapi.json"), as: Contract.self)
        return ServerProbe(version: contract?.info.version, clockAhead: ahead, seconds: seconds)
    }
}
