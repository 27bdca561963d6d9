// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketClient
import MarketWire
import SheetCore

/// A sheet as one HTML file that needs nothing else: pictures of its pages, and its regions to zoom into by keyboard,
/// mouse or touch, each with a sentence for people who do not see it.
struct SheetViewer {
    let record: LibraryRecord
    let saved: LibraryRecord.SavedVersion
    /// By page from 0.
    let pictures: [Int: PagePicture]

    /// Names come from strangers: nothing of them is markup. No script but the one whose hash stands here is run.
    func html() -> String {
        let style = ViewerParts.style + placing()
        let name = Self.escaped(record.template.name)
        let version = Self.escaped(saved.detail.version.description)
        let policy =
            "default-src 'none'; img-src data:; style-src '\(Self.integrity(style))'; "
            + "script-src '\(Self.integrity(ViewerParts.script))'; base-uri 'none'; form-action 'none'"
        return """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta http-equiv="Content-Security-Policy" content="\(policy)">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <title>\(name) \(version)</title>
            <style>\(style)</style>
            </head>
            <body>
            <header>
            <h1 lang="\(Self.escaped(record.template.language))">\(name)</h1>
            <p>Version \(version) by \(Self.escaped(record.template.author)), \(Self.escaped(record.template.license))</p>
            \(ViewerParts.tools)
            </header>
            <main id="stage" tabindex="0" aria-label="Pages; the arrow keys go from region to region, plus and minus zoom">
            \(saved.detail.pages.map(page).joined(separator: "\n"))
            </main>
            <script>\(ViewerParts.script)</script>
            </body>
            </html>

            """
    }

    private var tour: RegionTour { RegionTour(saved.regions.flatMap(\.regions)) }

    private func page(_ page: PageSummary) -> String {
        let number = page.index + 1
        let title = "Page \(number) of \(saved.detail.pageCount)"
        var parts = ["<section class=\"page\" id=\"page-\(number)\" aria-label=\"\(title)\">"]
        if let picture = pictures[page.index] {
            let type = picture.mediaType == "image/webp" ? "image/webp" : "image/png"
            parts.append(
                "<img alt=\"\(title)\" width=\"\(Int(page.width.rounded()))\" height=\"\(Int(page.height.rounded()))\" "
                    + "src=\"data:\(type);base64,\(picture.data.base64EncodedString())\">")
        } else {
            parts.append("<p class=\"none\">The library has no picture of page \(number).</p>")
        }
        for (place, region) in tour.regions.enumerated() where region.pageIndex == page.index {
            parts.append(
                "<button type=\"button\" class=\"region\" id=\"r\(place)\" aria-label=\""
                    + "\(Self.escaped(tour.blankSentence(for: region)))\"><span>\(Self.escaped(region.name))</span></button>"
            )
        }
        return (parts + ["</section>"]).joined(separator: "\n")
    }

    /// Where pages and regions are: style attributes would need a laxer policy.
    private func placing() -> String {
        func percent(_ part: Double) -> String { "\((min(max(part, 0), 1) * 10_000).rounded() / 100)%" }
        let pages = saved.detail.pages.map { page in
            "#page-\(page.index + 1){aspect-ratio:\(max(page.width, 1))/\(max(page.height, 1))}"
        }
        let regions = tour.regions.enumerated().map { place, region in
            let rect = region.rect
            return "#r\(place){left:\(percent(rect.x));top:\(percent(rect.y));width:\(percent(rect.width));"
                + "height:\(percent(rect.height))}"
        }
        return (pages + regions).joined(separator: "\n") + "\n"
    }

    private static func integrity(_ text: String) -> String {
        "sha256-\(Data(ContentHash(hashing: Data(text.utf8)).bytes).base64EncodedString())"
    }

    static func escaped(_ text: String) -> String {
        var plain = ""
        for character in text.unicodeScalars {
            switch character {
            case "&": plain += "&amp;"
            case "<": plain += "&lt;"
            case ">": plain += "&gt;"
            case "\"": plain += "&quot;"
            case "'": plain += "&#39;"
            default: plain.unicodeScalars.append(character)
            }
        }
        return plain
    }
}
