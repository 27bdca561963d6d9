// SPDX-License-Identifier: Apache-2.0
import Hummingbird

/// A cookie that holds a secret. No script can read it, and other sites' forms do not carry it.
package struct SecretCookie: Sendable {
    /// `__Host-` makes browsers insist on HTTPS, this host and the whole path.
    package let name: String
    private let isSecure: Bool

    package init(_ plainName: String, isSecure: Bool) {
        self.isSecure = isSecure
        name = isSecure ? "__Host-\(plainName)" : plainName
    }

    /// The line that makes the browser keep `value`, for the value of `Set-Cookie`.
    package func line(_ value: String, maximumAge: Int) -> String {
        "\(name)=\(value); Path=/; HttpOnly; SameSite=Lax; Max-Age=\(maximumAge)" + (isSecure ? "; Secure" : "")
    }
}
