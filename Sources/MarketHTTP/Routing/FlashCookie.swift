// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Hummingbird
import SheetCore

/// Marks a browser that a form has redirected to an address with `done=…`, so that the page confirms what was done only
/// to that browser, and not to others who follow the same address.
package struct FlashCookie: Sendable {
    /// How long the confirmation is shown again when the page is reloaded.
    private static let seconds = 300

    private let cookie: SecretCookie

    package init(isSecure: Bool) {
        cookie = SecretCookie("sheetmarket_done", isSecure: isSecure)
    }

    /// The address's `done`, when this browser was redirected there.
    package func done(by request: Request) -> String? {
        guard request.method.isSafe, request.headers[.cookie]?.contains(cookie.name) == true,
            let done = request.query("done"),
            request.cookies[cookie.name]?.value == Self.mark(of: request.uri.string)
        else { return nil }
        return done
    }

    /// Marks the browser, where the answer leads it to such an address.
    package func mark(_ response: inout Response) {
        guard response.status == .seeOther, let location = response.headers[.location] else { return }
        let address = String(location.prefix { $0 != "#" })
        let query = address.split(separator: "?", maxSplits: 1).dropFirst().first.map(String.init)
        guard QueryParameters(query)["done"] != nil else { return }
        let line = cookie.line(Self.mark(of: address), maximumAge: Self.seconds)
        response.headers.append(HTTPField(name: .setCookie, value: line))
    }

    /// The page's address, in characters that a cookie takes. It is no secret, and proves nothing to anybody else.
    private static func mark(of address: String) -> String { ContentHash(hashing: Data(address.utf8)).hex }
}
