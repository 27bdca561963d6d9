// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Hummingbird
import MarketWire
import NIOCore
import SheetCore
import Testing

@testable import MarketClient

@Suite("Streams of events that lead nowhere")
struct EventLimitTests {
    private let id = SubmissionID.make()

    private var path: String { "\(Paths.submission(id.description))/events" }

    private func status(_ state: SubmissionState) -> SubmissionStatus {
        SubmissionStatus(
            id: id, state: state, progress: .init(fraction: 0, step: "reading"), findings: [], templateId: .make(),
            templateSlug: "quest-sheet", templateName: "Quest Sheet", version: SemanticVersion(1, 0, 0), caseId: nil,
            fileName: "a.pdf", sizeBytes: 1, sha256: ContentHash(hashing: Data()), pageCount: nil, decision: nil,
            createdAt: SampleSheet.time, updatedAt: SampleSheet.time)
    }

    @Test("a stream that ends at once, again and again, and tells nothing is given up", arguments: [200, 204])
    func silent(_ code: Int) async throws {
        let (path, received, published) = (path, status(.received), status(.published))
        try await withStub { request, server in
            // Who does not give up would go on for ever.
            guard request.uri.path == path else {
                return try .json(server.seen(path).count < 20 ? received : published)
            }
            // The first says how long to wait between them.
            guard code == 200 || server.seen(path).count == 1 else { return Response(status: .noContent) }
            return Response(
                status: .ok, headers: [.contentType: "text/event-stream"],
                body: .init(byteBuffer: ByteBuffer(string: "retry: 1\n\n: nothing\n\n")))
        } _: { server in
            let client = try server.client()
            let started = ContinuousClock.now
            let error = await #expect(throws: MarketClientError.self) { for try await _ in client.events(of: id) {} }
            #expect(error == .eventsLost("it ends without telling anything"))
            #expect(server.seen(path).count == 6)
            #expect(ContinuousClock.now - started > .seconds(1), "each is waited for a moment")
        }
    }

    @Test("a server that asks for a longer wait than anybody has is not waited for", arguments: ["301", "86400"])
    func longWait(_ seconds: String) async throws {
        let (path, received) = (path, status(.received))
        try await withStub { request, _ in
            request.uri.path == path
                ? try .problem(503, .unavailable, "Later.", retryAfter: seconds) : try .json(received)
        } _: { server in
            let client = try server.client()
            let error = await #expect(throws: MarketClientError.self) { for try await _ in client.events(of: id) {} }
            #expect(error?.code == .unavailable)
            #expect(server.seen(path).count == 1)
        }
    }
}
