// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Hummingbird
import MarketHTTP
import MarketPlatform
import MarketWire

/// Closes hints, and has them all shown again.
struct HintRoutes: Sendable {
    let features: Features

    func register(on routes: APIRoutes) {
        routes.post("/hints", access: .optionalAuthentication, change)
    }

    private func change(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let form = try await request.form()
        let cookie = VisitHintCookie(isSecure: features.platform.secureCookies)
        var closed = cookie.closed(by: request)
        if form["again"] != nil {
            closed = []
        } else {
            guard let hint = form["close"].flatMap(VisitHint.init(rawValue:)) else {
                throw APIError.validation([.init(pointer: "/close", detail: "There is no such hint.")])
            }
            closed.insert(hint)
        }
        return .seeOther(
            request.ownReferrer(context.site.text),
            headers: [.setCookie: cookie.line(closed), .cacheControl: "no-store"])
    }
}
