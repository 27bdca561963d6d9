// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import MarketAPI
import MarketWire
import NIOCore
import NIOHTTP1
import SheetCore
import TestSupport
import Testing

@testable import MarketContract
@testable import MarketHTTP
@testable import MarketPages
@testable import MarketPlatform

@Suite("The contract")
struct ContractTests {
    private static func document(_ market: TestMarket) async throws -> JSONValue {
        try await market.http.get("/openapi.json").json(JSONValue.self)
    }

    @Test("A parameter that a call does not know is refused, and the nearest known one is named")
    func unknownParameters() async throws {
        try await withMarket { market in
            let refused = try await market.http.get("/api/v1/templates?gamesystem=cairn&q=lantern&zzz=1")
            #expect(refused.status == 400)
            let problem = try refused.json(ProblemDocument.self)
            #expect(problem.code == .unknownParameter)
            #expect(problem.errors?.map(\.pointer) == ["gamesystem", "zzz"])
            #expect(problem.errors?.first?.detail.contains("Did you mean 'gameSystem'?") == true)
            #expect(problem.errors?.last?.detail.contains("gameSystem, kind, language") == true)
            let bare = try await market.http.get("/api/v1/game-systems?limit=5").json(ProblemDocument.self)
            #expect(bare.errors?.first?.detail == "There is no such parameter here. There is none.")
            // Empty items count as absent; pages and probes take what links and monitors add.
            for path in ["/api/v1/templates?&gameSystem=&&", "/?utm_source=letter", "/healthz?at=noon"] {
                #expect(try await market.http.get(path).status == 200, "\(path)")
            }
        }
    }

    @Test("The contract has every route that is not a page, and no other, with who may call and with what scope")
    func routes() async throws {
        try await withMarket { market in
            let document = try await Self.document(market)
            var told: Set<String> = []
            for (path, methods) in document["paths"]?.members ?? [:] {
                for method in methods.members.keys { told.insert("\(method.uppercased()) \(path)") }
            }
            let routes = market.routes.filter { !$0.isWebPage }
            let served = Set(routes.map { "\($0.method.rawValue) \($0.path)" })
            #expect(told.subtracting(served).sorted() == [], "told, not served")
            #expect(served.subtracting(told).sorted() == [], "served, not told")
            #expect(routes.count > 50 && market.routes.contains { $0.isWebPage })
            for route in routes {
                let operation = document["paths"]?[route.path]?[route.method.rawValue.lowercased()] ?? [:]
                let roles = operation["x-roles"]?.texts.first
                let scope = operation["x-scope"]?.text
                switch route.access {
                case .withoutAuthentication, .signedAddress, .optionalAuthentication:
                    #expect(roles == "anyone" && scope == nil, "\(route)")
                case .session, .enrolling: #expect(roles == "user" && scope == nil, "\(route)")
                case .user(let needed): #expect(roles == "user" && scope == needed.rawValue, "\(route)")
                case .moderator: #expect(roles == "moderator" && scope == "moderation", "\(route)")
                case .administrator: #expect(roles == "administrator" && scope == "administration", "\(route)")
                }
            }
        }
    }

    @Test("Every call has a name of its own, its path's parameters, and examples that fit their schemas")
    func operations() async throws {
        try await withMarket { market in
            let document = try await Self.document(market)
            let check = SchemaCheck(document: document)
            var names: Set<String> = []
            for (path, methods) in document["paths"]?.members ?? [:] {
                for (method, operation) in methods.members {
                    let name = operation["operationId"]?.text ?? ""
                    #expect(!name.isEmpty && names.insert(name).inserted, "\(method) \(path): \(name)")
                    #expect(operation["summary"] != nil && operation["tags"]?.items.count == 1, "\(name)")
                    let inPath = path.matches(of: /\{([^}]+)\}/).map { String($0.1) }
                    let parameters = (operation["parameters"]?.items ?? []).map { Self.resolved($0, document) }
                    let told = parameters.filter { $0["in"] == "path" }.compactMap { $0["name"]?.text }
                    #expect(Set(told) == Set(inPath), "\(name)")
                    #expect(parameters.allSatisfy { $0["schema"] != nil && $0["description"] != nil }, "\(name)")
                    for (place, media) in Self.media(operation) {
                        let schema = media["schema"] ?? [:]
                        let examples = (media["examples"]?.members.values.compactMap { $0["value"] } ?? [])
                        for example in [media["example"]].compactMap({ $0 }) + examples {
                            #expect(check.faults(of: example, by: schema) == [], "\(name) \(place)")
                        }
                        if schema["$ref"] != nil {
                            #expect(media["example"] != nil, "\(name) \(place) has no example")
                        }
                    }
                }
            }
        }
    }

    private static func resolved(_ value: JSONValue, _ document: JSONValue) -> JSONValue {
        guard let reference = value["$ref"]?.text else { return value }
        return reference.split(separator: "/").dropFirst().reduce(document) { $0[String($1)] ?? [:] }
    }

    private static func media(_ operation: JSONValue) -> [(place: String, media: JSONValue)] {
        let bodies = (operation["requestBody"]?["content"]?.members ?? [:]).map { ($0.key, $0.value) }
        let answers = (operation["responses"]?.members ?? [:]).flatMap { status, response in
            (response["content"]?.members ?? [:]).map { ("\(status) \($0.key)", $0.value) }
        }
        return bodies + answers
    }

    @Test("Schemas use what the tests can check, refer to what is there, and every one of them is used")
    func schemas() async throws {
        try await withMarket { market in
            let document = try await Self.document(market)
            let known = SchemaCheck.keywords.union(SchemaCheck.annotations)
            var unknown: Set<String> = []
            var used: Set<String> = []
            func look(_ schema: JSONValue) {
                for (keyword, value) in schema.members {
                    if !known.contains(keyword) { unknown.insert(keyword) }
                    switch keyword {
                    case "properties": value.members.values.forEach(look)
                    case "items", "additionalProperties", "contentSchema": look(value)
                    case "allOf", "anyOf": value.items.forEach(look)
                    default: break
                    }
                }
            }
            func references(_ value: JSONValue) {
                if let reference = value["$ref"]?.text {
                    used.insert(reference)
                    #expect(Self.resolved(value, document) != [:], "\(reference) leads nowhere")
                }
                value.members.values.forEach(references)
                value.items.forEach(references)
            }
            document["components"]?["schemas"]?.members.values.forEach(look)
            references(document)
            #expect(unknown == [])
            for kind in ["schemas", "parameters", "headers"] {
                for name in document["components"]?[kind]?.members.keys.sorted() ?? [] {
                    #expect(used.contains("#/components/\(kind)/\(name)"), "\(kind)/\(name) is used nowhere")
                }
            }
        }
    }

    @Test("The contract names every code that the server knows, and only those")
    func codes() async throws {
        let source = BuildProducts.root.appendingPathComponent("Sources/MarketWire/ProblemDocument.swift")
        let text = try String(contentsOf: source, encoding: .utf8)
        let known = Set(text.matches(of: /Self\(rawValue: "([a-z_]+)"\)/).map { String($0.1) })
        #expect(known.count > 30)
        try await withMarket { market in
            var told: Set<String> = []
            func look(_ value: JSONValue) {
                if let codes = value["properties"]?["code"]?["enum"]?.texts { told.formUnion(codes) }
                value.members.values.forEach(look)
                value.items.forEach(look)
            }
            look(try await Self.document(market))
            #expect(told.symmetricDifference(known).sorted() == [])
        }
    }

    @Test("The contract is served at both places, revalidated by its entity tag")
    func served() async throws {
        try await withMarket { market in
            let first = try await market.http.get("/openapi.json")
            let second = try await market.http.get("/api/v1/openapi.json")
            #expect(first.status == 200 && first.body == second.body)
            #expect(first.headers.first(name: "content-type")?.hasPrefix("application/json") == true)
            let tag = try #require(first.headers.first(name: "etag"))
            let again = try await market.http.get("/openapi.json", headers: [("If-None-Match", tag)])
            #expect(again.status == 304 && again.body.readableBytes == 0)
            #expect(try first.json(JSONValue.self)["openapi"] == "3.1.0")
        }
    }

    @Test("A method that an address does not take is answered with those that it does")
    func otherMethods() async throws {
        try await withMarket { market in
            let answer = try await market.http.send(.DELETE, "\(Paths.base)/templates")
            #expect(answer.status == 405 && answer.problemCode == .methodNotAllowed)
            #expect(answer.headers.first(name: "allow") == "GET, HEAD, POST, OPTIONS")
            let page = try await market.http.send(.PUT, "/docs")
            #expect(page.status == 405 && page.headers.first(name: "allow") == "GET, HEAD")
            let query = try await market.http.send(.init(rawValue: "QUERY"), "\(Paths.base)/templates")
            #expect(query.status == 405)
            let nowhere = try await market.http.send(.DELETE, "\(Paths.base)/nowhere")
            #expect(nowhere.status == 404)
        }
    }

    @Test("A flag is 'true' or 'false', and every 401 says how to sign in")
    func strictness() async throws {
        try await withMarket { market in
            for (wrong, right) in [("facets=1", "facets=false"), ("facets=null", "facets=")] {
                let refused = try await market.http.get("\(Paths.base)/templates?\(wrong)")
                #expect(refused.status == 422 && refused.problemCode == .validationFailed, "\(wrong)")
                let taken = try await market.http.get("\(Paths.base)/templates?\(right)")
                #expect(taken.status == 200, "\(right)")
            }
            let download = try await market.http.get("\(Paths.download("nothing", "latest"))?redirect=no")
            #expect(download.status == 422)
            let signIn = try await market.http.send(
                json: LoginRequest(login: "nobody-here", password: "x"), to: "/auth/login")
            #expect(signIn.status == 401 && signIn.headers.contains(name: "www-authenticate"))
        }
    }

    @Test("A list that has nothing yet refuses a wrong page size and a wrong cursor, too")
    func emptyLists() async throws {
        try await withMarket { market in
            let ada = try await market.person("ada")
            var builder = PDFDocumentBuilder()
            builder.addPage(headings: ["Skills"])
            let upload = try await ada.upload(
                metadata: UploadMetadata(
                    name: "Waiting sheet", summary: "For a test.", gameSystem: "dnd5e", license: "CC0-1.0",
                    language: "en", version: "1.0.0"),
                file: builder.build())
            let status = try upload.json(SubmissionStatus.self)
            let path = "\(Paths.submission(status.id.description))/messages"
            let refused = try await ada.get("\(path)?limit=0")
            #expect(status.caseId == nil && refused.status == 422 && refused.problemCode == .validationFailed)
            let foreign = try await ada.get("\(path)?cursor=x")
            #expect(foreign.status == 400 && foreign.problemCode == .badCursor)
            let taken = try await ada.get(path)
            #expect(taken.status == 200)
        }
    }

    @Test("The documentation tells every call, shape and code on pages under 100 KB whose links lead somewhere")
    func reference() async throws {
        try await withMarket { market in
            let home = try await market.http.get("/")
            #expect(home.text.contains("href=\"/docs\""))
            let overview = try await market.http.get("/docs").text
            for route in market.routes where !route.isWebPage {
                #expect(overview.contains("\(route.path)</code>"), "\(route.path)")
            }
            // A word that is no link must not find the address of what is around it.
            let catalog = try await market.http.get("/docs/catalog").text
            #expect(catalog.contains("<p>Full text with typo tolerance:"))
            for example in ["curl", "Swift", "Python"] { #expect(overview.contains("<h3>\(example)</h3>")) }
            var waiting = ["/docs", "/problems"]
            var seen = Set(waiting)
            while let address = waiting.popLast() {
                let page = try await market.http.get(address)
                #expect(page.status == 200 && page.body.readableBytes < 100_000, "\(address)")
                #expect(!page.text.contains("src=\"http") && !page.text.contains("href=\"http"), "\(address)")
                let anchors = Set(page.text.matches(of: /id="([^"]+)"/).map { $0.1 })
                for link in page.text.matches(of: /href="#([^"]+)"/) {
                    #expect(anchors.contains(link.1), "\(address): #\(link.1)")
                }
                for link in page.text.matches(of: /href="(\/(?:docs|problems)[^"#?]*)"/) {
                    let target = String(link.1)
                    if seen.insert(target).inserted { waiting.append(target) }
                }
            }
            #expect(seen.contains("/docs/shapes/TemplateDetail") && seen.contains("/problems/validation_failed"))
            #expect(seen.contains("/docs/moderation/counterCopyrightNotice") && seen.count > 350)
        }
    }

    @Test("A search in the documentation finds calls, shapes and codes without a script")
    func referenceSearch() async throws {
        try await withMarket { market in
            let found = try await market.http.get("/docs?q=Review+vote").text
            #expect(found.contains("/api/v1/reviews/{id}/votes</code>") && !found.contains("/api/v1/me</code>"))
            let shapes = try await market.http.get("/docs?q=templatedetail").text
            #expect(shapes.contains("href=\"/docs/shapes/TemplateDetail\""))
            let codes = try await market.http.get("/docs?q=too+many+requests").text
            #expect(codes.contains("href=\"/problems/too_many_requests\""))
            let none = try await market.http.get("/docs?q=%3Cscript%3Enothing").text
            #expect(none.contains("0 calls") && none.contains("Try one word") && !none.contains("<script>"))
        }
    }

    @Test("An answer that the contract does not tell of is noticed")
    func violations() async throws {
        try await withMarket { market in
            let check = ContractCheck(document: try await Self.document(market))
            func verdict(_ body: String, _ status: Int = 200, type: String = "application/json") -> String? {
                let fields = ["content-type": type, "X-Request-Id": "1", "ETag": "\"1\""]
                do {
                    try check.check(
                        "GET", "\(Paths.base)/game-systems?x=1", status: status, header: { fields[$0] },
                        body: Data(body.utf8))
                    return nil
                } catch {
                    return "\(error)"
                }
            }
            #expect(verdict(#"{"gameSystems":[]}"#) == nil)
            for (wrong, why) in [
                (#"{"gameSystems":[],"more":1}"#, "does not know this member"), ("{}", "missing"),
                (#"{"gameSystems":[{"slug":"A B","name":"x","aliases":[],"templateCount":-1}]}"#, "does not match"),
                (#"{"gameSystems":[{"slug":"a","name":"x","aliases":[1],"templateCount":-1}]}"#, "below"),
                ("[", "no JSON"),
            ] {
                #expect(verdict(wrong)?.contains(why) == true, "\(wrong): \(verdict(wrong) ?? "nothing")")
            }
            #expect(verdict("{}", 418)?.contains("no such status") == true)
            #expect(verdict("x", type: "text/plain")?.contains("no such media type") == true)
            #expect(verdict("", 304) == nil && verdict("x", 304)?.contains("no body") == true)
        }
    }
}
