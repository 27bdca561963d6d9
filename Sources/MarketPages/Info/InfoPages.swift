// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Hummingbird
import MarketCatalog
import MarketHTTP
import MarketIngest
import MarketPlatform

/// The pages about the market itself.
struct InfoPages: Sendable {
    let features: Features
    let pages: WebPages

    func register(on routes: APIRoutes) {
        for (name, summary) in Self.texts {
            routes.get("/\(name.rawValue)", access: .optionalAuthentication) { _, context in
                let text = pages.texts.page(name, pages.site, address: context.site.text, language: context.language)
                let head = PageHead(
                    title: Phrase(verbatim: text.title), viewer: context.identity, summary: summary,
                    language: context.language)
                return try pages.answer(.text, text, head: head)
            }
        }
        routes.get("/help", access: .optionalAuthentication, help)
        routes.get("/licences", access: .optionalAuthentication, licences)
    }

    private static let texts: [(SiteTexts.Name, Phrase)] = [
        (.about, "What this market is, and how a sheet gets here."),
        (.privacy, "What this market knows about people, why, and what they can do about it."),
        (.terms, "The terms of this market."),
    ]

    private func help(_ request: Request, _ context: MarketRequestContext) throws -> Response {
        let view = HelpView(
            contact: pages.site.contact, contactAddress: pages.site.contactAddress,
            largestFile: DisplayText.size(features.ingest.limits.uploadBytes))
        let head = PageHead(
            title: "Help", viewer: context.identity, summary: "How to find, install, publish, report and appeal.",
            language: context.language)
        return try pages.answer(.help, view, head: head)
    }

    private func licences(_ request: Request, _ context: MarketRequestContext) throws -> Response {
        let view = LicencesView(groups: LicenceGuide.groups)
        let head = PageHead(
            title: "Licences", viewer: context.identity,
            summary: "What each licence lets you do with a sheet, in one sentence.", language: context.language)
        return try pages.answer(.licences, view, head: head)
    }
}

/// What the page of help cannot say by itself.
struct HelpView: Sendable {
    let contact: String?
    let contactAddress: String?
    let largestFile: Phrase
}

/// What licences mean.
struct LicencesView: Sendable {
    let groups: [LicenceGuide.Group]
}
