// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Hummingbird

/// The cookie that keeps a browser signed in.
struct SessionCookie: Sendable {
    private let cookie: SecretCookie

    init(limits: MarketLimits) {
        cookie = SecretCookie("sheetmarket_session", limits: limits)
    }

    var name: String { cookie.name }

    /// The field that signs a browser in for `seconds`.
    func setting(_ secret: SessionSecret, for seconds: Double) -> HTTPFields {
        field(secret.text, maximumAge: Int(seconds))
    }

    /// The field that makes a browser forget.
    var clearing: HTTPFields { field("", maximumAge: 0) }

    /// What the browser sent, when it can be a session at all.
    func secret(in request: Request) -> SessionSecret? { cookie.secret(in: request) }

    private func field(_ value: String, maximumAge: Int) -> HTTPFields {
        [.setCookie: cookie.line(value, maximumAge: maximumAge), .cacheControl: "no-store"]
    }
}
