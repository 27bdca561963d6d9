// SPDX-License-Identifier: Apache-2.0
import Foundation
import SheetCore

/// Whether what was drawn on a version still fits on a later one, in words.
enum InkNews {
    /// What an author says of a version.
    static func quoted(_ changelog: String) -> String {
        let lines = changelog.trimmingCharacters(in: .whitespacesAndNewlines)
            .split(separator: "\n", omittingEmptySubsequences: false)
        return "What is new:\n" + lines.map { "  \(Terminal.printable(String($0)))" }.joined(separator: "\n")
    }

    static func text(_ changes: VersionChanges?, since installed: SemanticVersion) -> String {
        guard let changes else {
            return "Whether ink drawn on \(installed) still fits is not known: compare the pages before you draw on."
        }
        let fitting = changes.pages.filter { $0.ink == .compatible && $0.from == $0.to }
        guard fitting.count < changes.pages.count || !changes.pagesAdded.isEmpty || !changes.pagesRemoved.isEmpty
        else { return "Ink drawn on \(installed) fits on every page." }
        let kept = changes.pages.map { (at: $0.to, text: line($0)) }
        let added = changes.pagesAdded.map { (at: $0, text: "page \($0 + 1) is new") }
        let lines = (kept + added).sorted { $0.at < $1.at }.map(\.text)
        let gone = changes.pagesRemoved.map { "page \($0 + 1) of \(installed) is gone, with what was drawn on it" }
        return "Ink drawn on \(installed):\n" + (lines + gone).map { "  \($0)" }.joined(separator: "\n")
    }

    private static func line(_ page: PageChange) -> String {
        let name = page.from == page.to ? "page \(page.to + 1)" : "page \(page.from + 1), now page \(page.to + 1),"
        switch page.ink {
        case .compatible: return "\(name) fits"
        case .shifted: return "\(name) fits when moved"
        case .incompatible: return "\(name) does not fit"
        }
    }
}
