// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Hummingbird
import MarketPlatform

/// Remembers the language that somebody chose for the pages in this browser.
package struct LanguageCookie: Sendable {
    private static let seconds = 365 * 86_400

    private let cookie: SecretCookie

    package init(isSecure: Bool) { cookie = SecretCookie("sheetmarket_language", isSecure: isSecure) }

    /// In which language to answer: what was chosen here, else what the account says, else the best that the browser asks
    /// for.
    package func language(for request: Request, _ identity: Identity?) -> PageLanguage {
        chosen(by: request) ?? identity?.language ?? PageLanguage(accepting: request.headers[.acceptLanguage])
            ?? .english
    }

    /// The line that makes the browser remember `language`, for the value of `Set-Cookie`.
    package func line(_ language: PageLanguage) -> String { cookie.line(language.rawValue, maximumAge: Self.seconds) }

    private func chosen(by request: Request) -> PageLanguage? {
        guard request.headers[.cookie]?.contains(cookie.name) == true else { return nil }
        return request.cookies[cookie.name].flatMap { PageLanguage(rawValue: $0.value) }
    }
}
