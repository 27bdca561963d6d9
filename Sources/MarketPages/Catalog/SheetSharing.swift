// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketHTTP
import MarketPlatform
import MarketWire
import SheetCore

/// How a sheet's page is told of elsewhere: what others show of it, what its authors copy into their own pages, and
/// how it is installed from this server.
struct SheetSharing: Sendable {
    /// Of the card in other sites' pages, in pixels of CSS.
    static let cardWidth = 480
    static let cardHeight = 200

    let address: String
    let installCommand: String
    /// A frame for HTML.
    let cardSnippet: String
    /// A picture for Markdown.
    let badgeSnippet: String
    let badgeAddress: String
    let badgeWidth: Int
    let cardAddress: String

    init(_ template: TemplateSummary, site: String) {
        address = "\(site)/sheets/\(template.slug)"
        installCommand = "sheets install --server \(site) \(template.slug)"
        cardAddress = PagePaths.card(template.slug)
        badgeAddress = PagePaths.badge(template.slug)
        badgeWidth = SheetBadge.width(template)
        cardSnippet = Self.frame(template, site: site)
        // What would end the text of a Markdown link stays out of it.
        let marks: Set<UInt8> = Set("[]()\\`*_<>|!\n".utf8)
        let plain = template.name.escapingBytes { marks.contains($0) ? "" : nil }
        badgeSnippet = "[![\(plain)](\(site)\(badgeAddress))](\(address))"
    }

    /// The frame that shows the card.
    static func frame(
        _ template: TemplateSummary, site: String, width: Int = cardWidth, height: Int = cardHeight
    ) -> String {
        let title = EscapedHTML().escapeText(template.name)
        return "<iframe src=\"\(site)\(PagePaths.card(template.slug))\" width=\"\(width)\" height=\"\(height)\" "
            + "title=\"\(title)\" loading=\"lazy\" style=\"border:0;max-width:100%\"></iframe>"
    }

    /// What others show where the page's address is shared.
    static func card(_ detail: TemplateDetail, authorName: String, site: String, siteName: String) -> ShareCard {
        let template = detail.summary
        let address = "\(site)/sheets/\(template.slug)"
        let picture = detail.latest.pages.first.map { absolute($0.previewURL, site) + "?width=1200" }
        return ShareCard(
            siteName: siteName, title: template.name, summary: template.summary, address: address, picture: picture,
            oEmbed: site + PageAddress("/oembed").with("format", "json").with("url", address).text,
            structured: StructuredSheet(
                detail, authorName: authorName, site: site, address: address, picture: picture
            ).text)
    }

    static func absolute(_ address: String, _ site: String) -> String {
        address.hasPrefix("/") ? site + address : address
    }
}

/// A sheet in the words of schema.org.
private struct StructuredSheet: Encodable {
    struct Person: Encodable {
        let type = "Person"
        let name: String
        let url: String

        enum CodingKeys: String, CodingKey {
            case type = "@type"
            case name, url
        }
    }

    struct Rating: Encodable {
        let type = "AggregateRating"
        let ratingValue: Double
        let ratingCount: Int
        let bestRating = 5
        let worstRating = 1

        enum CodingKeys: String, CodingKey {
            case type = "@type"
            case ratingValue, ratingCount, bestRating, worstRating
        }
    }

    let context = "https://schema.org"
    let type = "DigitalDocument"
    let name: String
    let description: String
    let url: String
    let image: String?
    let author: Person
    let version: String
    let inLanguage: String
    let license: String
    let keywords: [String]
    let datePublished: Date
    let dateModified: Date
    let isAccessibleForFree = true
    let numberOfPages: Int?
    let aggregateRating: Rating?

    enum CodingKeys: String, CodingKey {
        case context = "@context"
        case type = "@type"
        case name, description, url, image, author, version, inLanguage, license, keywords, datePublished
        case dateModified, isAccessibleForFree, numberOfPages, aggregateRating
    }

    init(_ detail: TemplateDetail, authorName: String, site: String, address: String, picture: String?) {
        let template = detail.summary
        name = template.name
        description = template.summary
        url = address
        image = picture
        author = Person(name: authorName, url: site + PagePaths.author(template.author))
        version = template.version.description
        inLanguage = template.language
        license = site + LicenceGuide.address(template.license)
        keywords = template.tags
        datePublished = detail.createdAt
        dateModified = template.updatedAt
        numberOfPages = template.pageCount > 0 ? template.pageCount : nil
        aggregateRating =
            template.ratingCount > 0
            ? Rating(ratingValue: (template.rating * 10).rounded() / 10, ratingCount: template.ratingCount) : nil
    }

    var text: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .iso8601
        // Plain values always encode; a page without this is still a page.
        return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
    }
}
