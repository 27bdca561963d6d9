// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Hummingbird
import MarketHTTP

/// The cookie that keeps a browser signed in.
package struct SessionCookie: Sendable {
    private let cookie: SecretCookie

    package init(isSecure: Bool) {
        cookie = SecretCookie("sheetmarket_session", isSecure: isSecure)
    }

    package var name: String { cookie.name }

    /// The field that signs a browser in for `seconds`.
    package func setting(_ secret: SessionSecret, for seconds: Double) -> HTTPFields {
        field(secret.text, maximumAge: Int(seconds))
    }

    /// The field that makes a browser forget.
    package var clearing: HTTPFields { field("", maximumAge: 0) }

    /// What the browser sent, when it can be a session at all.
    package func secret(in request: Request) -> SessionSecret? { cookie.secret(in: request) }

    private func field(_ value: String, maximumAge: Int) -> HTTPFields {
        [.setCookie: cookie.line(value, maximumAge: maximumAge), .cacheControl: "no-store"]
    }
}

extension SecretCookie {
    /// What the browser sent, when it can be a secret at all.
    package func secret(in request: Request) -> SessionSecret? {
        request.cookies[name].flatMap { SessionSecret($0.value) }
    }
}
