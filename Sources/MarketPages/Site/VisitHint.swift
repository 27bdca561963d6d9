// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Hummingbird
import MarketHTTP
import MarketPlatform

/// A few words on a page for whoever sees it for the first time, until they close it. What was closed is remembered in
/// the browser.
package enum VisitHint: String, CaseIterable, Sendable {
    case sheet, upload, queue

    /// Whether the page itself places it, beside what it is about; it stands above the page otherwise.
    var isPlaced: Bool { self == .sheet }

    var words: Phrase {
        switch self {
        case .sheet:
            "The outlines on a page are its zoom regions. Choose one to see it large, and go on from there to the next."
        case .upload:
            "Nobody but you and the moderators sees an upload before it is approved. Once it is read, you can correct "
                + "its zoom regions without sending the file again."
        case .queue:
            "“Take the next” gives you the most urgent case and keeps others away from it for a while. "
                + "Press ? for keys that save time."
        }
    }

    /// The hint, unless it was closed in this browser.
    package func unlessClosed(_ request: Request, _ platform: Platform) -> VisitHint? {
        VisitHintCookie(isSecure: platform.secureCookies).closed(by: request).contains(self) ? nil : self
    }
}

/// Remembers in the browser which hints were closed.
struct VisitHintCookie: Sendable {
    private static let seconds = 365 * 86_400

    private let cookie: SecretCookie

    init(isSecure: Bool) { cookie = SecretCookie("sheetmarket_hints", isSecure: isSecure) }

    func closed(by request: Request) -> Set<VisitHint> {
        guard request.headers[.cookie]?.contains(cookie.name) == true else { return [] }
        let names = request.cookies[cookie.name]?.value.split(separator: ".") ?? []
        return Set(names.compactMap { VisitHint(rawValue: String($0)) })
    }

    /// The line that makes the browser remember them, for the value of `Set-Cookie`.
    func line(_ closed: Set<VisitHint>) -> String {
        cookie.line(
            closed.map(\.rawValue).sorted().joined(separator: "."), maximumAge: closed.isEmpty ? 0 : Self.seconds)
    }
}
