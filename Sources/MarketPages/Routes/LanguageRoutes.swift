// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Hummingbird
import MarketAccounts
import MarketHTTP
import MarketPlatform
import MarketWire

/// The switch in the pages' footer: remembers a language in the browser, and in the account of who is signed in.
struct LanguageRoutes: Sendable {
    let features: Features

    func register(on routes: APIRoutes) {
        routes.post("/language", access: .optionalAuthentication, choose)
    }

    private func choose(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let form = try await request.form()
        guard let language = form["language"].flatMap(PageLanguage.init(rawValue:)) else {
            throw APIError.validation([.init(pointer: "/language", detail: "There are no pages in this language.")])
        }
        // A token's calls do not change how the account reads.
        if let identity = context.identity, case .session = identity.credential,
            features.accounts.emailTemplates?.languages.contains(language.rawValue) == true
        {
            try await AccountStore.edit(
                identity.userID, displayName: nil, language: language.rawValue, in: features.database)
        }
        let line = LanguageCookie(isSecure: features.platform.secureCookies).line(language)
        return .seeOther(
            request.ownReferrer(context.site.text), headers: [.setCookie: line, .cacheControl: "no-store"])
    }
}

extension Request {
    /// The page of ours that the form was on, which browsers name; the first page where they do not.
    func ownReferrer(_ site: String) -> String {
        // A proxy may have taken `https` off on the way here.
        func bare(_ address: String) -> Substring {
            (address.firstRange(of: "://")?.upperBound).map { address[$0...] } ?? ""
        }
        let host = "\(bare(site))/"
        guard let referrer = headers[.referer].map(bare), referrer.hasPrefix(host) else { return "/" }
        return ReturnPath("/\(referrer.dropFirst(host.count))").text
    }
}
