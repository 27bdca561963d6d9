// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Hummingbird

/// The cookie that keeps a browser signed in. No script can read it, and other sites' forms do not carry it.
struct SessionCookie: Sendable {
    private let isSecure: Bool

    init(limits: MarketLimits) {
        isSecure = limits.secureCookies
    }

    /// `__Host-` makes browsers insist on HTTPS, this host and the whole path.
    var name: String { isSecure ? "__Host-sheetmarket_session" : "sheetmarket_session" }

    /// The field that signs a browser in for `seconds`.
    func setting(_ secret: SessionSecret, for seconds: Double) -> HTTPFields {
        field(secret.text, maximumAge: Int(seconds))
    }

    /// The field that makes a browser forget.
    var clearing: HTTPFields { field("", maximumAge: 0) }

    /// What the browser sent, when it can be a session at all.
    func secret(in request: Request) -> SessionSecret? {
        request.cookies[name].flatMap { SessionSecret($0.value) }
    }

    private func field(_ value: String, maximumAge: Int) -> HTTPFields {
        let attributes = "Path=/; HttpOnly; SameSite=Lax; Max-Age=\(maximumAge)" + (isSecure ? "; Secure" : "")
        return [.setCookie: "\(name)=\(value); \(attributes)", .cacheControl: "no-store"]
    }
}
