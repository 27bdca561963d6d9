// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketHTTP
import MarketPlatform
import MarketWire
import SheetCore

/// What changed since the version before, in words.
package struct ChangesView: Sendable {
    package struct Line: Sendable {
        let text: Phrase
    }

    package let since: String
    package let verdict: StateLabel
    package let explanation: Phrase
    package let lines: [Line]
    package let hasLines: Bool

    package init(_ changes: VersionChanges) {
        let since = changes.since.description
        self.since = since
        verdict = StateLabel(changes.ink)
        explanation =
            switch changes.ink {
            case .compatible: "What was written on \(since) fits as it is."
            case .shifted: "What was written on \(since) fits when it is moved."
            case .incompatible: "What was written on \(since) does not fit everywhere."
            }
        lines =
            changes.pagesAdded.map { Line(text: "Page \($0 + 1) is new.") }
            + changes.pagesRemoved.map { Line(text: "Page \($0 + 1) of \(since) is gone.") }
            + changes.pages.compactMap(Self.line)
        hasLines = !lines.isEmpty
    }

    /// `nil` when nothing can be told of the page.
    private static func line(_ page: PageChange) -> Line? {
        var parts: [Phrase] = []
        if page.from != page.to { parts.append("was page \(page.from + 1)") }
        if let before = page.sizeBefore, let size = page.size {
            let names = [before, size].map { DisplayText.paper(width: $0.width, height: $0.height) }
            parts.append("was \(names[0]), is \(names[1])")
        }
        switch page.ink {
        case .compatible: break
        case .shifted: parts.append("everything on it has moved together")
        case .incompatible: parts.append("places on it are others now")
        }
        parts += words(page.fields, "form field") + words(page.regions, "zoom region")
        if let distance = page.lookDistance, distance > 8 {
            parts.append(distance > 20 ? "looks quite different" : "looks somewhat different")
        }
        guard !parts.isEmpty else { return nil }
        return Line(text: "Page \(page.to + 1): \(parts.joined(separator: "; ")).")
    }

    private static func words(_ names: PageChange.Names?, _ what: String) -> [Phrase] {
        guard let names else { return [] }
        let lists: [([String], Phrase)] = [
            (names.added, "new"), (names.removed, "gone"), (names.moved, "elsewhere"),
        ]
        return lists.compactMap { list, word in
            guard !list.isEmpty else { return nil }
            let shown = list.prefix(5).joined(separator: ", ") + (list.count > 5 ? ", …" : "")
            return "\(DisplayText.count(list.count, what)) \(word) (\(shown))"
        }
    }
}

/// Why a template should no longer be used, and what to use instead.
struct DeprecationView: Sendable {
    let message: String
    let since: DisplayTime
    let successorName: String?
    let successorAddress: String

    init(_ deprecation: Deprecation, now: Date) {
        message = deprecation.message
        since = DisplayTime(deprecation.since, now: now)
        successorName = deprecation.successor?.name
        successorAddress = deprecation.successor.map { PagePaths.sheet($0.slug) } ?? ""
    }
}

/// The readable rendering of a template without pages.
package struct OutlineView: Sendable {
    package struct Section: Sendable {
        let heading: String
        let rows: [Row]
        let omitted: Phrase?
    }

    package struct Row: Sendable {
        let label: String
        let detail: String
    }

    package let summary: String
    package let sections: [Section]

    package init(_ outline: ContentOutline) {
        summary = outline.summary
        sections = outline.sections.map { section in
            Section(
                heading: section.title, rows: section.rows.map { Row(label: $0.label, detail: $0.detail) },
                omitted: section.omitted > 0 ? "and \(DisplayText.number(section.omitted)) more" : nil)
        }
    }
}
