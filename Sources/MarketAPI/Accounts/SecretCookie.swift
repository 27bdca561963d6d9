// SPDX-License-Identifier: Apache-2.0
import Hummingbird

/// A cookie that holds a secret. No script can read it, and other sites' forms do not carry it.
struct SecretCookie: Sendable {
    /// `__Host-` makes browsers insist on HTTPS, this host and the whole path.
    let name: String
    private let isSecure: Bool

    init(_ plainName: String, limits: MarketLimits) {
        isSecure = limits.secureCookies
        name = limits.secureCookies ? "__Host-\(plainName)" : plainName
    }

    /// What the browser sent, when it can be a secret at all.
    func secret(in request: Request) -> SessionSecret? {
        request.cookies[name].flatMap { SessionSecret($0.value) }
    }

    /// The line that makes the browser keep `value`, for the value of `Set-Cookie`.
    func line(_ value: String, maximumAge: Int) -> String {
        "\(name)=\(value); Path=/; HttpOnly; SameSite=Lax; Max-Age=\(maximumAge)" + (isSecure ? "; Secure" : "")
    }
}
