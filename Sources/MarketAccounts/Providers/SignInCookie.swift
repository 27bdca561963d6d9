// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Hummingbird
import MarketHTTP

/// The cookie that binds a sign-in with a provider to the browser that began it, and then holds the ticket of the
/// identity that came of it. `Lax` suffices, for providers that send forms too: their form is answered by leading the
/// browser to this site's own address, and on that way it carries the cookie.
package struct SignInCookie: Sendable {
    private let cookie: SecretCookie

    package init(isSecure: Bool) {
        cookie = SecretCookie("sheetmarket_sign_in", isSecure: isSecure)
    }

    /// What the browser sent.
    package func secret(in request: Request) -> SessionSecret? { cookie.secret(in: request) }

    /// The line that makes the browser keep `secret`, for the value of `Set-Cookie`.
    package func setting(_ secret: SessionSecret) -> String {
        cookie.line(secret.text, maximumAge: Int(SignInStore.pendingIdentitySeconds))
    }

    /// The line that makes it forget.
    package var clearing: String { cookie.line("", maximumAge: 0) }
}
