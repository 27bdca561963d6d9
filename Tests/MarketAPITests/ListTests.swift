// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketAPI
import MarketWire
import NIOHTTP1
import SheetCore
import TestSupport
import Testing

@Suite("Lists")
struct ListTests {
    /// Lists that have two entries at least in what the test makes.
    private static let filled: Set<String> = [
        "listTemplates", "listSubmissions", "listCases", "listAudit", "listReviews",
    ]

    @Test("All lists of the contract take the same limit and cursor, and lead to their next page alike")
    func alike() async throws {
        try await withMarket(workers: 1) { market in
            let administrator = try await market.person("ada", role: .administrator)
            let slug = try await Self.fill(market, administrator)
            let document = try await market.http.get("/openapi.json").json(JSONValue.self)
            var walked: Set<String> = []
            for (path, methods) in document["paths"]?.members ?? [:] {
                guard let operation = methods["get"] else { continue }
                let names = Set(
                    (operation["parameters"]?.items ?? []).compactMap { $0["$ref"]?.text?.split(separator: "/").last })
                guard names.contains("limit") else { continue }
                let address = path.replacing("{id}", with: slug)
                let name = operation["operationId"]?.text ?? path
                guard !address.contains("{") else { continue }
                try await Self.walk(name, address, administrator, hasCursor: names.contains("cursor"))
                walked.insert(name)
            }
            #expect(Self.filled.subtracting(walked) == [], "no lists any more")
        }
    }

    private static func walk(_ name: String, _ address: String, _ caller: TestHTTP, hasCursor: Bool) async throws {
        let plain = try await caller.get(address)
        // Something else than a template that is not there.
        if plain.status == 404, !filled.contains(name) { return }
        #expect(plain.status == 200, "\(name): \(plain.text)")
        for limit in ["0", "101", "-1", "x", "1.5"] {
            let answer = try await caller.get("\(address)?limit=\(limit)")
            #expect(answer.status == 422 && answer.problemCode == .validationFailed, "\(name) limit=\(limit)")
            let problem = try answer.json(ProblemDocument.self)
            #expect(problem.errors?.first?.pointer == "limit", "\(name)")
        }
        #expect(try await caller.get("\(address)?limit=100").status == 200, "\(name)")
        guard hasCursor else { return }
        for cursor in ["x", "WyJ4IiwieCJd", String(repeating: "A", count: 4000), "%F0%9F%8E%B2"] {
            let answer = try await caller.get("\(address)?cursor=\(cursor)")
            #expect(answer.status == 400 && answer.problemCode == .badCursor, "\(name) cursor=\(cursor.prefix(20))")
        }
        let first = try await caller.get("\(address)?limit=1")
        let page = try first.json(JSONValue.self)
        #expect(page["nextCursor"] != nil, "\(name) has no 'nextCursor'")
        guard let cursor = page["nextCursor"]?.text else {
            #expect(!filled.contains(name), "\(name) is to have two entries")
            #expect(first.headers.first(name: "Link") == nil, "\(name)")
            return
        }
        #expect(cursor.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") })
        let link = try #require(first.headers.first(name: "Link"), "\(name)")
        #expect(link.hasPrefix("<\(address)?limit=1&cursor=\(cursor)>; rel=\"next\""), "\(name): \(link)")
        let next = try await caller.get("\(address)?limit=1&cursor=\(cursor)")
        #expect(next.status == 200 && next.text != first.text, "\(name)")
    }

    /// Two templates on offer, two submissions that wait, two reviews; the slug of the first template.
    private static func fill(_ market: TestMarket, _ administrator: TestHTTP) async throws -> String {
        var slugs: [String] = []
        for number in 0..<4 {
            var builder = PDFDocumentBuilder()
            builder.addPage(headings: ["Skills", "Combat", "Number \(number)"])
            let answer = try await administrator.upload(
                metadata: UploadMetadata(
                    name: "Sheet \(number)", summary: "For a test.", gameSystem: "dnd5e", license: "CC0-1.0",
                    language: "en", version: "1.0.0"),
                file: builder.build())
            let waiting = try await administrator.submission(
                try answer.json(SubmissionStatus.self).id, reaches: [.awaitingReview, .rejected])
            if number < 2 {
                let decision = try await administrator.decide(waiting)
                #expect(decision.status == 200, "\(decision.text)")
                slugs.append(waiting.templateSlug)
            }
        }
        let slug = try #require(slugs.first)
        for handle in ["karl", "kim"] {
            let review = try await market.person(handle).send(
                .PUT, "\(Paths.template(slug))/reviews/mine", json: ReviewRequest(stars: 4, text: "Good."))
            #expect(review.status == 201)
        }
        return slug
    }
}
