// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Hummingbird
import MarketHTTP
import MarketWire

/// The rules of the risk score, for moderators.
package struct RiskRoutes: Sendable {
    package let moderation: ModerationDependencies

    package init(moderation: ModerationDependencies) {
        self.moderation = moderation
    }

    package func register(on routes: APIRoutes) {
        routes.get("/moderation/rules", access: .moderator, rules)
    }

    private func rules(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        var days = RiskReview.days
        if let text = request.query("days") {
            guard let value = Int(text), (1...366).contains(value) else {
                throw APIError.validation([.init(pointer: "days", detail: "From 1 to 366.")])
            }
            days = value
        }
        let list = try await RiskReview(moderation: moderation).rules(days: days)
        return request.conditionalResponse(try .json(list), headers: [.cacheControl: "private, no-cache"])
    }
}
