// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import SheetCore

/// Near-duplicate finding on the fingerprints that `scripts/measure-similarity` took.
struct Similarity: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Look for variants of sheets among the originals; prints precision and recall as a table.")

    @Argument(help: "The fingerprints, as scripts/measure-similarity writes them.")
    var file: String

    @Flag(help: "Name every page that was missed, and every other sheet that was found.")
    var misses = false

    func run() throws {
        let table = try JSONDecoder().decode(Table.self, from: Data(contentsOf: URL(fileURLWithPath: file)))
        let originals = table.documents.filter { $0.variant == nil }
        let count = originals.reduce(0) { $0 + $1.pages.count }
        print(
            "\(originals.count) sheets with \(count) pages; recall (found of all) and false alarms, strict and near\n")
        print("| variant | pages, same page | pages, near | sheets, near | false pages | false sheets |")
        print("| --- | --- | --- | --- | --- | --- |")
        var whole = Score()
        for variant in table.variants {
            var score = Score()
            for document in table.documents where document.variant == variant { search(document, originals, &score) }
            whole.add(score)
            print(score.row(variant))
        }
        print(whole.row("all"))
        print(
            "\nprecision: pages \(Score.percent(whole.near, whole.near + whole.falsePages)), sheets "
                + "\(Score.percent(whole.sheetsFound, whole.sheetsFound + whole.falseSheets))")
        var alarms: Set<String> = []
        for (place, one) in originals.enumerated() {
            for other in originals.dropFirst(place + 1) where one.isLike(other) {
                alarms.insert("\(one.sheet) ~ \(other.sheet)")
            }
        }
        print(
            "originals that are like each other: \(alarms.isEmpty ? "none" : alarms.sorted().joined(separator: ", "))")
    }

    private func search(_ document: Document, _ originals: [Document], _ score: inout Score) {
        var found: [String: Int] = [:]
        for page in document.pages {
            guard let signature = page.signature, !signature.isEmpty else { continue }
            score.pages += 1
            var names: Set<String> = []
            for original in originals {
                let near = original.pages.filter { page.isNear($0) }
                if !near.isEmpty { names.insert(original.sheet) }
                if original.sheet == document.sheet {
                    score.near += near.isEmpty ? 0 : 1
                    score.strict += original.pages.contains { page.isSame($0) } ? 1 : 0
                    if near.isEmpty, misses { print("missed: \(document.sheet), \(document.variant ?? "")") }
                }
            }
            let wrong = names.filter { !Document.isFamily($0, document.sheet) }
            score.falsePages += wrong.isEmpty ? 0 : 1
            if misses, !wrong.isEmpty { print("wrong: \(document.sheet) found \(wrong.sorted())") }
            for name in names { found[name, default: 0] += 1 }
        }
        let pages = document.pages.filter { $0.signature?.isEmpty == false }.count
        guard pages > 0 else { return }
        score.sheets += 1
        let sheets = found.filter { 2 * $0.value >= pages }.keys
        score.sheetsFound += sheets.contains(document.sheet) ? 1 : 0
        score.falseSheets += sheets.contains { !Document.isFamily($0, document.sheet) } ? 1 : 0
    }

    private struct Table: Decodable {
        var variants: [String]
        var documents: [Document]
    }

    private struct Document: Decodable {
        var sheet: String
        var variant: String?
        var pages: [Page]

        /// Sheets of one program differ in what is filled in only; the shared ones are named `program_sheet`.
        static func isFamily(_ one: String, _ other: String) -> Bool {
            one.split(separator: "_").first == other.split(separator: "_").first
        }

        func isLike(_ other: Document) -> Bool {
            pages.contains { page in other.pages.contains { page.isNear($0) } }
        }
    }

    private struct Page: Decodable {
        var width: Double
        var height: Double
        var look: String?
        var text: String?
        var characters: Int

        var signature: PageSignature? {
            look.flatMap { Fingerprint($0) }.map {
                PageSignature(width: width, height: height, look: $0, text: text.flatMap { Fingerprint($0) })
            }
        }

        func isNear(_ other: Page) -> Bool {
            guard let mine = signature, let theirs = other.signature else { return false }
            return mine.isNearDuplicate(of: theirs, characters: min(characters, other.characters))
        }

        func isSame(_ other: Page) -> Bool {
            guard let mine = signature, let theirs = other.signature else { return false }
            return mine.isSamePage(as: theirs)
        }
    }

    private struct Score {
        var pages = 0
        var strict = 0
        var near = 0
        var falsePages = 0
        var sheets = 0
        var sheetsFound = 0
        var falseSheets = 0

        mutating func add(_ other: Score) {
            pages += other.pages
            strict += other.strict
            near += other.near
            falsePages += other.falsePages
            sheets += other.sheets
            sheetsFound += other.sheetsFound
            falseSheets += other.falseSheets
        }

        func row(_ name: String) -> String {
            "| \(name) | \(Self.share(strict, pages)) | \(Self.share(near, pages)) | \(Self.share(sheetsFound, sheets)) "
                + "| \(falsePages) | \(falseSheets) |"
        }

        static func share(_ part: Int, _ whole: Int) -> String { "\(part)/\(whole) (\(percent(part, whole)))" }

        static func percent(_ part: Int, _ whole: Int) -> String {
            whole == 0 ? "–" : "\((1000 * Double(part) / Double(whole)).rounded() / 10) %"
        }
    }
}
