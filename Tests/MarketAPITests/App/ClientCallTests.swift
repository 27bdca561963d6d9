// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import MarketClient
import MarketWire
import SheetCore
import Synchronization
import TestSupport
import Testing

@testable import MarketContract

/// `MarketClient` against the contract: every call of the one is one of the other, and so is every parameter of a query.
@Suite("The client's calls")
struct ClientCallTests {
    /// What the library has no call for, and why.
    private static let without = [
        "GET /api/v1/openapi.json": "the contract, for tools that read it",
        "GET /openapi.json": "the same",
        "GET /healthz": "for who supervises the process",
        "GET /readyz": "for load balancers",
        "GET /metrics": "for Prometheus",
        "GET /feeds/newest.atom": "for feed readers",
        "GET /feeds/systems/{slug}.atom": "for feed readers",
        "GET /feeds/authors/{handle}.atom": "for feed readers",
        "GET /feeds/templates/{id}.atom": "for feed readers",
        "GET /feeds/following.atom": "for feed readers",
        "GET /api/v1/auth/oidc/{provider}": "leads a browser to the provider",
        "GET /trust/{name}": "signed metadata: the library verifies what it installs by it",
        "GET /trust/targets/{template}/{name}": "its files, for any client of The Update Framework",
        "GET /files/{sha256}/{name}": "its address is a download ticket's: the library fetches it",
    ]

    /// The first page of whatever list that is read to its end: empty, with another behind it.
    private static let firstPage: Data = {
        let members = [
            "appeals", "collections", "deliveries", "entries", "favorites", "invitations", "messages", "notices",
            "reports", "sessions", "submissions", "tags", "tokens", "versions", "webhooks",
        ].map { "\"\($0)\":[]" }
        return Data("{\(members.joined(separator: ",")),\"nextCursor\":\"next\"}".utf8)
    }()

    @Test("The client has a call for everything in the contract, and none besides, with every parameter of a query")
    func everyCall() async throws {
        try await withMarket { market in
            let stated = try Self.parameters(of: try await market.http.get("/openapi.json").json(JSONValue.self))
            var sent: [String: Set<String>] = [:]
            for request in try await Self.requests(of: stated) {
                let operation = Self.operation(request.call, among: stated.keys)
                #expect(operation != nil, "\(request.call) is not in the contract")
                if let operation { sent[operation, default: []].formUnion(request.parameters) }
            }
            let operations = Set(stated.keys)
            let called = Set(sent.keys)
            #expect(operations.subtracting(called).subtracting(Self.without.keys).sorted() == [])
            #expect(Set(Self.without.keys).intersection(called).sorted() == [])
            #expect(Set(Self.without.keys).subtracting(operations).sorted() == [], "no longer in the contract")

            let parameters = Self.names(stated.filter { Self.without[$0.key] == nil })
            let given = Self.names(sent)
            #expect(parameters.subtracting(given).sorted() == [], "never sent")
            #expect(given.subtracting(parameters).sorted() == [], "not in the contract")
        }
    }

    /// What the client's calls ask for.
    private static func requests(of stated: [String: Set<String>]) async throws -> [RecordingTransport.Asked] {
        let server = try #require(ServerAddress("https://market.example"))
        let followed = SubmissionStatus(
            id: ClientCalls.followed, state: .received, progress: .init(fraction: 0, step: "waiting"), findings: [],
            templateId: .make(), templateSlug: "quest", templateName: "Quest", version: SemanticVersion(1, 0, 0),
            caseId: nil, fileName: "quest.pdf", sizeBytes: 4, sha256: ContentHash(hashing: Data()), pageCount: nil,
            decision: nil, createdAt: Date(), updatedAt: Date())
        let status = try WireJSON.encoder().encode(followed)
        let statusCall = "GET \(Paths.submission("\(ClientCalls.followed)"))"
        let recorder = RecordingTransport { asked in
            if asked.call == statusCall { return status }
            // A list is asked for its second page only behind a first; the audit log as lines has no pages.
            let known = Self.operation(asked.call, among: stated.keys).flatMap { stated[$0] } ?? []
            return known.contains("cursor") && asked.parameters.isDisjoint(with: ["cursor", "format"])
                ? Self.firstPage : nil
        }
        let client = MarketClient(server: server, token: "secret", retry: .none, transport: recorder)
        let folder = try ScratchFolder("client-calls")
        let file = folder.url.appendingPathComponent("sheet.pdf")
        try Data("%PDF".utf8).write(to: file)
        for call in ClientCalls(client, file: file).all {
            await #expect(throws: MarketClientError.self) { try await call() }
        }
        return recorder.requests
    }

    /// The names of the parameters that a query may have, by operation, as `METHOD /path`.
    private static func parameters(of document: JSONValue) throws -> [String: Set<String>] {
        var found: [String: Set<String>] = [:]
        for (path, item) in document["paths"]?.members ?? [:] {
            let shared = item["parameters"]?.items ?? []
            for (method, operation) in item.members where method != "parameters" {
                var names: Set<String> = []
                for stated in shared + (operation["parameters"]?.items ?? []) {
                    var parameter = stated
                    if let reference = stated["$ref"]?.text {
                        let name = try #require(reference.split(separator: "/").last)
                        parameter = try #require(document["components"]?["parameters"]?[String(name)])
                    }
                    if parameter["in"]?.text == "query" { names.insert(try #require(parameter["name"]?.text)) }
                }
                found["\(method.uppercased()) \(path)"] = names
            }
        }
        return found
    }

    /// Each parameter with its operation, as `METHOD /path ?name`.
    private static func names(_ parameters: [String: Set<String>]) -> Set<String> {
        Set(parameters.flatMap { operation, names in names.map { "\(operation) ?\($0)" } })
    }

    /// The operation that a request is one of: of several the one with the fewest parameters.
    private static func operation(_ request: String, among operations: some Sequence<String>) -> String? {
        let parts = request.split(separator: "/", omittingEmptySubsequences: false)
        func parameters(_ operation: String) -> Int? {
            let names = operation.split(separator: "/", omittingEmptySubsequences: false)
            guard names.count == parts.count else { return nil }
            var count = 0
            for (name, part) in zip(names, parts) where name != part {
                guard name.hasPrefix("{") else { return nil }
                count += 1
            }
            return count
        }
        return operations.compactMap { name in parameters(name).map { (name, $0) } }.min { $0.1 < $1.1 }?.0
    }
}

/// Notes what was asked for, answers what it is given an answer for, and refuses the rest.
final class RecordingTransport: HTTPTransport {
    /// A request, as far as the contract's paths and queries go.
    struct Asked: Sendable {
        /// `METHOD /path`.
        let call: String
        /// The names in its query.
        let parameters: Set<String>
    }

    private let seen = Mutex<[Asked]>([])
    private let answer: @Sendable (Asked) -> Data?

    init(answer: @escaping @Sendable (Asked) -> Data?) { self.answer = answer }

    var requests: [Asked] { seen.withLock { $0 } }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        let items = URLComponents(url: request.url, resolvingAgainstBaseURL: false)?.queryItems ?? []
        let asked = Asked(call: "\(request.method.rawValue) \(request.url.path)", parameters: Set(items.map(\.name)))
        seen.withLock { $0.append(asked) }
        let body = answer(asked)
        return TransportResponse(status: body == nil ? 418 : 200, body: ByteStream(body ?? Data()))
    }
}
