// SPDX-License-Identifier: Apache-2.0
import MarketPlatform
import MarketWire
import SheetCore

/// A small picture with a sheet's version and rating, for pages elsewhere.
enum SheetBadge {
    /// The picture, with its words as a title for those who do not see it.
    static func svg(_ template: TemplateSummary) -> String {
        let (version, rating) = words(template)
        let isRated = template.ratingCount > 0
        let left = width(version)
        let right = width(rating)
        let spoken =
            "\(template.name), version \(template.version), "
            + (isRated
                ? "\(DisplayText.tenths(template.rating)) of 5 stars in \(DisplayText.count(template.ratingCount, "review"))"
                : "no ratings yet")
        let title = AtomFeed.escaped(spoken)
        return """
            <svg xmlns="http://www.w3.org/2000/svg" width="\(left + right)" height="24" \
            viewBox="0 0 \(left + right) 24" role="img" aria-label="\(title)">
            <title>\(title)</title>
            <clipPath id="edge"><rect width="\(left + right)" height="24" rx="5"/></clipPath>
            <g clip-path="url(#edge)"><rect width="\(left)" height="24" fill="#5f2222"/>\
            <rect x="\(left)" width="\(right)" height="24" fill="#fbf3e4"/></g>
            <rect x=".5" y=".5" width="\(left + right - 1)" height="23" rx="4.5" fill="none" stroke="#5f2222"/>
            <g font-family="Verdana, DejaVu Sans, Geneva, sans-serif" font-size="12" font-weight="600" \
            text-anchor="middle"><text x="\(left / 2)" y="16" textLength="\(left - 16)" \
            lengthAdjust="spacingAndGlyphs" fill="#ffffff">\(AtomFeed.escaped(version))</text>\
            <text x="\(left + right / 2)" y="16" textLength="\(right - 16)" lengthAdjust="spacingAndGlyphs" \
            fill="#4a1a1a">\(rating)</text></g>
            </svg>

            """
    }

    /// Its whole width; it is 24 pixels high.
    static func width(_ template: TemplateSummary) -> Int {
        let (version, rating) = words(template)
        return width(version) + width(rating)
    }

    private static func words(_ template: TemplateSummary) -> (version: String, rating: String) {
        (
            "v\(template.version)",
            template.ratingCount > 0 ? "★ \(DisplayText.tenths(template.rating))" : "no ratings"
        )
    }

    /// Room for that many letters, and a margin.
    private static func width(_ text: String) -> Int { min(text.count, 40) * 8 + 18 }
}
