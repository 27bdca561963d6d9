// SPDX-License-Identifier: Apache-2.0
import MarketPlatform
import MarketWire
import NIOHTTP1
import Postgres
import SheetCore
import TestSupport
import Testing

@testable import MarketContract

@Suite("Filters and orders of lists")
struct ListFilterTests {
    /// What a filter compares, where that is not the entries' member of its own name.
    private static let compared = [
        "tag": "tags", "minRating": "rating", "minPages": "pageCount", "maxPages": "pageCount", "minRisk": "risk",
        "audit": "isAudit", "mine": "claimedBy",
    ]
    /// What looks at more than a member, or leaves nothing out.
    private static let others: Set<String> = ["limit", "cursor", "q", "literal", "facets", "fillable", "format"]
    /// All orders there are. Each is a word of its own and not a member with a sign: what is newest, nearest, or most comes
    /// first, and names go from A to Z.
    private static let orders: Set<String> = [
        "relevance", "newest", "updated", "downloads", "rating", "trending", "name", "helpful", "highest", "lowest",
    ]

    /// A list of the contract.
    private struct List {
        var name: String
        var path: String
        /// Those of the query, by name.
        var parameters: [String: JSONValue]
        /// The member of the answer that is the list.
        var member: String
        /// What its entries tell, by name.
        var entry: [String: JSONValue]
    }

    private static func lists(in document: JSONValue) -> [List] {
        (document["paths"]?.members ?? [:]).compactMap { path, methods -> List? in
            guard let operation = methods["get"], let name = operation["operationId"]?.text else { return nil }
            let parameters = (operation["parameters"]?.items ?? []).map { resolved($0, document) }
            let ofQuery = parameters.filter { $0["in"] == "query" }
            let named = Dictionary(ofQuery.map { ($0["name"]?.text ?? "", $0) }, uniquingKeysWith: { $1 })
            let content = operation["responses"]?["200"]?["content"]?["application/json"]
            let answer = members(of: content?["schema"] ?? [:], document)
            guard named["cursor"] != nil, let list = answer.first(where: { $0.value["type"] == "array" }) else {
                return nil
            }
            return List(
                name: name, path: path, parameters: named, member: list.key,
                entry: members(of: list.value["items"] ?? [:], document))
        }
    }

    private static func resolved(_ value: JSONValue, _ document: JSONValue) -> JSONValue {
        guard let reference = value["$ref"]?.text else { return value }
        let target = reference.split(separator: "/").dropFirst().reduce(document) { $0[String($1)] ?? [:] }
        return resolved(target, document)
    }

    private static func members(of schema: JSONValue, _ document: JSONValue) -> [String: JSONValue] {
        let whole = resolved(schema, document)
        return (whole["allOf"]?.items ?? []).reduce(into: whole["properties"]?.members ?? [:]) { found, part in
            found.merge(members(of: part, document)) { own, _ in own }
        }
    }

    @Test("All lists name their orders alike, and their filters as what the entries tell")
    func names() async throws {
        try await withMarket { market in
            let document = try await market.http.get("/openapi.json").json(JSONValue.self)
            let lists = Self.lists(in: document)
            #expect(lists.count > 18)
            var types: [String: JSONValue] = [:]
            var sorted = 0
            for list in lists {
                for (name, parameter) in list.parameters {
                    let place = "\(list.name) \(name)"
                    let schema = Self.resolved(parameter["schema"] ?? [:], document)
                    #expect(parameter["required"] != true, "\(place)")
                    let type = schema["type"] ?? .null
                    let elsewhere = types.updateValue(type, forKey: name) ?? type
                    #expect(elsewhere == type, "\(place) is of another type")
                    if name == "sort" {
                        sorted += 1
                        let words = Set(schema["enum"]?.texts ?? [])
                        #expect(!words.isEmpty && words.isSubset(of: Self.orders), "\(place)")
                        #expect(parameter["description"]?.text?.contains("when absent") == true, "\(place)")
                        continue
                    }
                    if Self.others.contains(name) { continue }
                    let member = list.entry[Self.compared[name] ?? name].map { Self.resolved($0, document) }
                    guard let member else {
                        Issue.record("\(place): entries do not tell what it compares")
                        continue
                    }
                    guard let told = member["enum"]?.texts, !told.isEmpty else { continue }
                    let words = Set(schema["enum"]?.texts ?? [])
                    #expect(!words.isEmpty && words.isSubset(of: Set(told)), "\(place)")
                }
            }
            #expect(sorted == 2 && types.keys.contains("state"))
            #expect(Set(types.keys).isSuperset(of: Self.compared.keys), "no filters any more")
        }
    }

    /// Values that a parameter does not take; none where any text is one.
    private static func wrong(for schema: JSONValue) -> String? {
        if schema["enum"] != nil { return "no_such_word" }
        switch schema["type"] {
        case "boolean": return "perhaps"
        case "integer", "number": return "many"
        default: return nil
        }
    }

    @Test("What no order or filter knows is refused alike by every list, and what it knows is taken")
    func values() async throws {
        try await withMarket { market in
            let ada = try await market.person("ada", role: .administrator)
            let version = try #require(SemanticVersion("1.0.0"))
            try await ListTests.addVersions([version], to: "many", by: "ada", market)
            let wish = WebhookRequest(url: "https://example.org/", events: [.versionPublished])
            let made = try await ada.send(.POST, "\(Paths.base)/webhooks", json: wish)
            let webhook = try made.json(NewWebhook.self).webhook.id.description
            let document = try await market.http.get("/openapi.json").json(JSONValue.self)
            var refused = 0
            for list in Self.lists(in: document) {
                let isOfWebhook = list.path.hasPrefix("\(Paths.base)/webhooks/")
                let address = list.path.replacing("{id}", with: isOfWebhook ? webhook : "many")
                for (name, parameter) in list.parameters where !["limit", "cursor"].contains(name) {
                    let schema = Self.resolved(parameter["schema"] ?? [:], document)
                    guard let wrong = Self.wrong(for: schema) else { continue }
                    for value in [wrong, "-\(wrong)"] {
                        let answer = try await ada.get("\(address)?\(name)=\(value)")
                        #expect(answer.status == 422, "\(list.name) \(name)=\(value): \(answer.text)")
                        let problem = try answer.json(ProblemDocument.self)
                        #expect(problem.code == .validationFailed && problem.errors?.map(\.pointer) == [name])
                    }
                    refused += 1
                    for word in schema["enum"]?.texts ?? [] {
                        let answer = try await ada.get("\(address)?\(name)=\(word)")
                        #expect(answer.status == 200, "\(list.name) \(name)=\(word): \(answer.text)")
                    }
                }
            }
            #expect(refused > 12)
        }
    }

    @Test("A filter keeps what has its word, on every page of a list")
    func filtered() async throws {
        try await withMarket { market in
            let nadia = try await market.person("nadia")
            let numbers = ["1.0.0", "1.1.0", "1.2.0", "1.3.0", "1.4.0"].compactMap { SemanticVersion($0) }
            try await ListTests.addVersions(numbers, to: "many", by: "nadia", market)
            let versions = "\(Paths.template("many"))/versions"
            for number in ["1.1.0", "1.3.0"] {
                let yanked = try await nadia.send(.POST, "\(versions)/\(number)/yank")
                let moved = try await nadia.send(
                    .PUT, "\(versions)/\(number == "1.1.0" ? number : "1.4.0")/channel",
                    json: ChannelRequest(channel: .beta))
                #expect(yanked.status == 200 && moved.status == 200, "\(yanked.text) \(moved.text)")
            }
            try await market.features.database.execute(
                """
                INSERT INTO submissions (id, template_id, uploader_id, version, metadata, artifact_sha256, file_name,
                    size_bytes, state, page_count)
                SELECT gen_random_uuid(), t.id, t.owner_id, other.number, '{}', sha256('many'), 'sheet.pdf', 1,
                    other.state, 1
                FROM templates AS t CROSS JOIN (
                    VALUES ('7.0.0', 'rejected'), ('7.0.1', 'rejected'), ('7.0.2', 'withdrawn')) AS other (number, state)
                WHERE t.slug = 'many'
                """)
            try await Self.keep("state", ["published", "yanked"], of: versions, "versions", by: nadia)
            try await Self.keep("channel", ["stable", "beta"], of: versions, "versions", by: nadia)
            let submissions = "\(Paths.base)/submissions"
            let states = ["published", "rejected", "withdrawn"]
            try await Self.keep("state", states, of: submissions, "submissions", by: nadia)
            let none = try await nadia.get("\(submissions)?state=inspecting")
            let both = try await nadia.get("\(versions)?state=yanked&channel=beta")
            #expect(try none.json(SubmissionList.self).submissions == [])
            #expect(try both.json(VersionList.self).versions.map(\.version.description) == ["1.1.0"])
        }
    }

    /// The entries with each word are those of the whole list that have it, in its order, one page after the other.
    private static func keep(
        _ filter: String, _ words: [String], of address: String, _ member: String, by reader: TestHTTP
    ) async throws {
        let whole = try await reader.get("\(address)?limit=100").json(JSONValue.self)[member]?.items ?? []
        var kept = 0
        for word in words {
            var found: [JSONValue] = []
            var next: String? = "\(address)?limit=1&\(filter)=\(word)"
            while let page = next, found.count <= whole.count {
                let answer = try await reader.get(page)
                try #require(answer.status == 200, "\(page): \(answer.text)")
                found += try answer.json(JSONValue.self)[member]?.items ?? []
                // As a client follows it: the link keeps the filter.
                let link = answer.headers.first(name: "link")
                next = link.map { String($0.dropFirst().prefix { $0 != ">" }) }
            }
            let wanted = whole.filter { $0[filter]?.text == word }
            #expect(!wanted.isEmpty && found == wanted, "\(address) \(filter)=\(word)")
            kept += found.count
        }
        #expect(kept == whole.count, "\(address) \(filter)")
    }

    @Test("The newest comes first wherever the newest is asked for")
    func newest() async throws {
        try await withMarket { market in
            let nadia = try await market.person("nadia")
            let version = try #require(SemanticVersion("1.0.0"))
            for slug in ["first", "second", "third"] {
                try await ListTests.addVersions([version], to: slug, by: "nadia", market)
            }
            let listed = try await nadia.get("\(Paths.base)/templates?sort=newest").json(TemplateList.self)
            #expect(listed.templates.map(\.slug) == ["third", "second", "first"])
            let reviews = "\(Paths.template("first"))/reviews"
            for handle in ["karl", "kim", "lena"] {
                let reviewer = try await market.person(handle)
                let made = try await reviewer.send(
                    .PUT, "\(reviews)/mine", json: ReviewRequest(stars: 4, text: "Good."))
                #expect(made.status == 201, "\(made.text)")
            }
            let answer = try await nadia.get("\(reviews)?sort=newest").json(JSONValue.self)
            let authors = answer["reviews"]?.items.compactMap { $0["author"]?.text }
            #expect(authors == ["lena", "kim", "karl"])
        }
    }
}
