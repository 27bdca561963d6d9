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

/// `MarketClient` against the contract: every call of the one is one of the other.
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

    @Test("The client has a call for everything in the contract, and none besides")
    func everyCall() async throws {
        try await withMarket { market in
            let document = try await market.http.get("/openapi.json").json(JSONValue.self)
            var operations: Set<String> = []
            for (path, methods) in document["paths"]?.members ?? [:] {
                for method in methods.members.keys { operations.insert("\(method.uppercased()) \(path)") }
            }
            let server = try #require(ServerAddress("https://market.example"))
            let followed = SubmissionStatus(
                id: ClientCalls.followed, state: .received, progress: .init(fraction: 0, step: "waiting"), findings: [],
                templateId: .make(), templateSlug: "quest", templateName: "Quest", version: SemanticVersion(1, 0, 0),
                caseId: nil, fileName: "quest.pdf", sizeBytes: 4, sha256: ContentHash(hashing: Data()), pageCount: nil,
                decision: nil, createdAt: Date(), updatedAt: Date())
            let recorder = RecordingTransport(answers: [
                Paths.submission("\(ClientCalls.followed)"): try WireJSON.encoder().encode(followed)
            ])
            let client = MarketClient(server: server, token: "secret", retry: .none, transport: recorder)
            let folder = try ScratchFolder("client-calls")
            let file = folder.url.appendingPathComponent("sheet.pdf")
            try Data("%PDF".utf8).write(to: file)
            for call in ClientCalls(client, file: file).all {
                await #expect(throws: MarketClientError.self) { try await call() }
            }
            var called: Set<String> = []
            for request in recorder.requests {
                let operation = Self.operation(request, among: operations)
                #expect(operation != nil, "\(request) is not in the contract")
                if let operation { called.insert(operation) }
            }
            let missing = operations.subtracting(called).subtracting(Self.without.keys)
            #expect(missing.sorted() == [])
            #expect(Set(Self.without.keys).intersection(called).sorted() == [])
            #expect(Set(Self.without.keys).subtracting(operations).sorted() == [], "no longer in the contract")
        }
    }

    /// The operation that a request is one of: of several the one with the fewest parameters.
    private static func operation(_ request: String, among operations: Set<String>) -> String? {
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

/// Notes what was asked for, as `METHOD /path`, and refuses it.
final class RecordingTransport: HTTPTransport {
    private let seen = Mutex<[String]>([])
    private let answers: [String: Data]

    /// Answers these paths, refuses all others.
    init(answers: [String: Data]) { self.answers = answers }

    var requests: [String] { seen.withLock { $0 } }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        seen.withLock { $0.append("\(request.method.rawValue) \(request.url.path)") }
        if let answer = answers[request.url.path] { return TransportResponse(status: 200, body: ByteStream(answer)) }
        return TransportResponse(status: 418, body: ByteStream(Data()))
    }
}
