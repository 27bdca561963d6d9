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
        routes.get("/changes", access: .anyone, changes)
    }

    private func changes(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let include = request.query("include")
        guard include == nil || include == "templates" else {
            throw APIError.validation([.init(pointer: "include", detail: "'templates', or nothing.")])
        }
        let list = try await ChangeService(platform: platform).changes(
            try request.part(usually: 100, upTo: Self.maximumLimit, after: "since"), includingTemplates: include != nil)
        // Whoever asks wants to know what is new now: nothing in between may answer with what it kept.
        return request.revalidated(try .json(list), headers: [.cacheControl: "no-cache"])
    }
}
