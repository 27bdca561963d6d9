// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Hummingbird

/// The cookie that binds a sign-in with a provider to the browser that began it, and then holds the ticket of the
/// identity that came of it. `Lax` suffices, for providers that send forms too: their form is answered by leading the
/// browser to this site's own address, and on that way it carries the cookie.
struct SignInCookie: Sendable {
    private let isSecure: Bool

    init(limits: MarketLimits) {
        isSecure = limits.secureCookies
    }

    private var name: String { isSecure ? "__Host-sheetmarket_sign_in" : "sheetmarket_sign_in" }

    /// What the browser sent.
    func secret(in request: Request) -> SessionSecret? {
        request.cookies[name].flatMap { SessionSecret($0.value) }
    }

    /// The line that makes the browser keep `secret`, for the value of `Set-Cookie`.
    func setting(_ secret: SessionSecret) -> String {
        line(secret.text, maximumAge: Int(SignInStore.vouchedSeconds))
    }

    /// The line that makes it forget.
    var clearing: String { line("", maximumAge: 0) }

    private func line(_ value: String, maximumAge: Int) -> String {
        "\(name)=\(value); Path=/; HttpOnly; SameSite=Lax; Max-Age=\(maximumAge)" + (isSecure ? "; Secure" : "")
    }
}
