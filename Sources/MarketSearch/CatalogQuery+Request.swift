// SPDX-License-Identifier: Apache-2.0
import Foundation
import Hummingbird
import MarketHTTP
import MarketPlatform
import MarketWire
import SheetCore

extension CatalogQuery {
    /// Reads the query, of `usual` rows when it says nothing of a size; throws everything that is wrong with it at
    /// once, or `bad_cursor`.
    package init(_ request: Request, usually usual: Int = 20) throws {
        self.init()
        let query = request.queryParameters
        var problems: [ProblemDocument.Detail] = []
        if let text = query["q"]?.trimmingCharacters(in: .whitespacesAndNewlines), !text.isEmpty {
            if text.count > SearchWords.maximumLength {
                problems.append(.init(pointer: "q", detail: "At most \(SearchWords.maximumLength) characters."))
            }
            words = SearchWords(text)
        }
        gameSystem = query["gameSystem"]
        author = query["author"]
        license = query["license"]
        language = query["language"].map { LanguageRegistry.standard.tag(for: $0)?.text ?? $0 }
        kind = query["kind"].map { TemplateKind(rawValue: $0) }
        tags = query.all("tag").map { $0.lowercased() }
        if tags.count > Self.maximumTags {
            problems.append(.init(pointer: "tag", detail: "At most \(Self.maximumTags) tags."))
        }
        if let text = query["minRating"] {
            minRating = Double(text)
            if !(minRating.map { (0...5).contains($0) } ?? false) {
                problems.append(.init(pointer: "minRating", detail: "A number from 0 to 5."))
            }
        }
        minPages = Self.pages(query["minPages"], "minPages", &problems)
        maxPages = Self.pages(query["maxPages"], "maxPages", &problems)
        sort = Self.sort(query["sort"], searching: words != nil, &problems)
        do { isFillable = try request.flag("fillable") } catch { problems += error.errors }
        do { isLiteral = try request.flag("literal") ?? false } catch { problems += error.errors }
        do { wantsFacets = try request.flag("facets") ?? false } catch { problems += error.errors }
        do { pageRequest = try request.pageRequest(usually: usual) } catch { problems += error.errors }
        if !problems.isEmpty { throw APIError.validation(problems) }
        try begin()
    }

    private static func pages(_ text: String?, _ name: String, _ problems: inout [ProblemDocument.Detail]) -> Int? {
        guard let text else { return nil }
        guard let count = Int32(text), count >= 1 else {
            problems.append(.init(pointer: name, detail: "A whole number from 1."))
            return nil
        }
        return Int(count)
    }

    private static func sort(
        _ text: String?, searching: Bool, _ problems: inout [ProblemDocument.Detail]
    ) -> Sort {
        // Without words nothing is more relevant than anything else.
        let usual = searching ? Sort.relevance : .updated
        guard let text else { return usual }
        guard let sort = Sort(rawValue: text) else {
            let known = Sort.allCases.map(\.rawValue).joined(separator: ", ")
            problems.append(.init(pointer: "sort", detail: "One of \(known)."))
            return usual
        }
        return sort == .relevance ? usual : sort
    }
}
