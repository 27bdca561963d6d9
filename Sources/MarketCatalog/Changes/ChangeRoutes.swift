// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Hummingbird
import MarketHTTP
import MarketPlatform
import MarketWire

/// What happened to the catalog.
package struct ChangeRoutes: Sendable {
    /// Entries of an answer at most.
    static let maximumLimit = 500

    package let platform: Platform

    package init(platform: Platform) {
        self.platform = platform
    }

    package func register(on routes: APIRoutes) {
        routes.get("/changes", access: .optionalAuthentication, changes)
    }

    private func changes(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let include = request.query("include")
        guard include == nil || include == "templates" else {
            throw APIError.validation([.init(pointer: "include", detail: "'templates', or nothing.")])
        }
        let list = try await ChangeService(platform: platform).changes(
            try request.pageRequest(usually: 100, upTo: Self.maximumLimit, after: "since"),
            includingTemplates: include != nil)
        // The response must be current, so no cache in between may store it.
        return request.conditionalResponse(try .json(list), headers: [.cacheControl: "no-cache"])
    }
}
