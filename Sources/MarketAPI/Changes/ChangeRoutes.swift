// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Hummingbird
import MarketWire

/// What happened to the catalog.
struct ChangeRoutes: Sendable {
    /// Entries of an answer at most.
    static let maximumLimit = 500

    let market: Market

    func register(on routes: APIRoutes) {
        routes.get("/changes", access: .anyone, changes)
    }

    private func changes(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let start: ChangeService.Start =
            switch request.query("since") {
            case nil: .beginning
            case "now": .now
            case .some(let text): .cursor(text)
            }
        let include = request.query("include")
        guard include == nil || include == "templates" else {
            throw APIError.validation([.init(pointer: "include", detail: "'templates', or nothing.")])
        }
        let list = try await ChangeService(market: market).changes(
            from: start, limit: try Self.limit(request), includingTemplates: include != nil)
        // Whoever asks wants to know what is new now: nothing in between may answer with what it kept.
        return request.revalidated(try .json(list), headers: [.cacheControl: "no-cache"])
    }

    private static func limit(_ request: Request) throws(APIError) -> Int {
        guard let text = request.query("limit") else { return 100 }
        guard let limit = Int(text), (1...maximumLimit).contains(limit) else {
            throw .validation([.init(pointer: "limit", detail: "A whole number from 1 to \(maximumLimit).")])
        }
        return limit
    }
}
