// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Hummingbird
import MarketWire

/// Refuses changes that another site makes a signed-in browser send. Browsers say where a request comes from
/// (`Sec-Fetch-Site`, or `Origin` in older ones); a cookie alone is never enough to change anything.
package enum CSRFProtection {
    package static func check(_ request: Request) throws(APIError) {
        if let site = request.headers[.secFetchSite] {
            if site == "same-origin" || site == "none" { return }
        } else if let origin = request.headers[.origin] {
            let host = request.head.authority ?? ""
            if origin.drop(while: { $0 != "/" }).dropFirst(2) == host { return }
        }
        throw APIError(
            .forbidden, .crossSite, "This form was not sent from our own page. Open the page here and send it again.")
    }

    /// The same for what needs no session, such as signing in: another site must not sign a browser in to an account of
    /// its choosing. Programs say nothing of where they come from, and pass.
    package static func checkIfFromBrowser(_ request: Request) throws(APIError) {
        if request.headers[.secFetchSite] != nil || request.headers[.origin] != nil { try check(request) }
    }
}

extension HTTPField.Name {
    /// Fetch Metadata (W3C): `same-origin`, `same-site`, `cross-site` or `none`.
    package static let secFetchSite = Self("Sec-Fetch-Site") ?? .origin
}
