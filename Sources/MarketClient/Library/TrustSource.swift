// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketWire

/// Where signed metadata comes from: the market, or whoever has a copy. Nothing that comes is believed unverified.
public struct TrustSource: Sendable {
    /// For people.
    public let name: String
    /// The bytes of a file in the repository, `nil` where there is none; cut off at a limit.
    let fetch: @Sendable (_ name: String, _ limit: Int) async throws -> Data?
    /// Several files by one question, where that can be asked; what it does not tell is fetched one by one.
    var fetchSeveral: (@Sendable (_ names: [String]) async throws -> [String: Data])?
    /// The first root, where that must come from elsewhere than the rest: who has a copy is not asked whom to believe.
    var fetchFirstRoot: (@Sendable (_ limit: Int) async throws -> Data?)?
    /// Whether somebody else than the market is asked.
    var isMirror = false

    /// Any source: `fetch` answers `nil` for what is not there, and no more than `limit` bytes and one.
    public init(name: String, fetch: @escaping @Sendable (_ name: String, _ limit: Int) async throws -> Data?) {
        self.name = name
        self.fetch = fetch
    }

    /// A client's market. Its mirror has every file by itself.
    static func market(_ client: MarketClient) -> TrustSource {
        let requests = client.requests
        // Storage that does not list its files says 403 of those that it lacks.
        var source = TrustSource(name: requests.standIn ?? requests.server.description) { name, limit in
            try await file(name, limit, requests, absent: [403, 404])
        }
        if client.mirror == nil { source.fetchSeveral = { try await client.signedMetadata($0) } }
        source.isMirror = client.mirror != nil
        // Who may not be asked signs for all that, so 403 is not "there is none" here.
        source.fetchFirstRoot = { limit in
            do {
                return try await file("1.root.json", limit, client.marketRequests ?? requests, absent: [404])
            } catch let error as MarketClientError {
                guard let mirror = client.mirror else { throw error }
                throw LibraryError.unverifiableMirror(
                    mirror.description, server: client.server.description, reason: "\(error)")
            }
        }
        return source
    }

    private static func file(
        _ name: String, _ limit: Int, _ requests: Requests, absent: Set<Int>
    ) async throws -> Data? {
        let response: TransportResponse
        do {
            response = try await requests.send(.get("/trust/\(try MarketClient.segment(name))"))
        } catch let error as MarketClientError where error.status.map(absent.contains) == true {
            return nil
        }
        // What is longer is cut off right behind the limit, and refused for its length.
        var bytes = Data()
        do {
            for try await piece in response.body {
                bytes.append(contentsOf: piece.prefix(limit + 1 - bytes.count))
                if bytes.count > limit { break }
            }
        } catch {
            throw requests.failure(error)
        }
        return bytes
    }
}

extension MarketClientError {
    /// The answer's status, where there was one.
    fileprivate var status: Int? {
        switch self {
        case .refused(let problem): problem.status
        case .status(let status, _): status
        default: nil
        }
    }
}
