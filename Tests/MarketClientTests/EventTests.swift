// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Hummingbird
import MarketWire
import NIOCore
import SheetCore
import Testing

@testable import MarketClient

@Suite struct EventTests {
    let id = SubmissionID.make()

    private func status(_ state: SubmissionState, _ fraction: Double) -> SubmissionStatus {
        SubmissionStatus(
            id: id, state: state, progress: .init(fraction: fraction, step: "reading"), findings: [],
            templateId: .make(), templateSlug: "quest-sheet", templateName: "Quest Sheet",
            version: SemanticVersion(1, 0, 0), caseId: nil, fileName: "a.pdf", sizeBytes: 1,
            sha256: ContentHash(hashing: Data()), pageCount: nil, decision: nil, createdAt: SampleSheet.time,
            updatedAt: SampleSheet.time)
    }

    @Test("events are read however their bytes are cut")
    func parsing() throws {
        let text =
            "\u{FEFF}: hello\r\nretry: 50\r\nid: 1\nevent: state\ndata: a\ndata:b\r\n\r\n"
            + "data\n\nid: 2\n\ndata: c\r\r"
        let expected = [
            ServerSentEvent(name: "state", data: "a\nb"), ServerSentEvent(name: "message", data: ""),
            ServerSentEvent(name: "message", data: "c"),
        ]
        for size in 1...text.utf8.count {
            var parser = EventStreamParser()
            var events: [ServerSentEvent] = []
            var rest = Array(text.utf8)[...]
            while !rest.isEmpty {
                events += try parser.feed(rest.prefix(size))
                rest = rest.dropFirst(size)
            }
            #expect(events == expected)
            #expect(parser.lastID == "2")
            #expect(parser.retryMilliseconds == 50)
        }
    }

    @Test("a line without end is refused")
    func endlessLine() throws {
        var parser = EventStreamParser()
        #expect(throws: EventStreamParser.TooLong.self) {
            for _ in 0..<32 { _ = try parser.feed(Array(repeating: UInt8(ascii: "x"), count: 1 << 16)) }
        }
    }

    private func stream(_ events: [(id: String, status: SubmissionStatus)]) throws -> Response {
        var text = "retry: 1\n\n: keep-alive\n\n"
        for event in events {
            let data = String(decoding: try WireJSON.encoder().encode(event.status), as: UTF8.self)
            text += "id: \(event.id)\nevent: status\ndata: \(data)\n\n"
        }
        let bytes = ByteBuffer(string: text)
        return Response(
            status: .ok, headers: [.contentType: "text/event-stream"],
            body: .init { writer in
                try await writer.write(bytes)
                try await writer.finish(nil)
            })
    }

    @Test("a broken stream is taken up again after the last event")
    func reconnect() async throws {
        let inspecting = status(.inspecting, 0.5)
        let waiting = status(.awaitingReview, 1)
        let published = status(.published, 1)
        let received = status(.received, 0)
        let path = "/api/v1/submissions/\(id)/events"
        try await withStub { request, server in
            guard request.uri.path == path else { return try .json(received) }
            switch server.seen(path).count {
            case 1: return try stream([("7", inspecting)])
            case 2: return try .problem(503, .unavailable, "A moment.")
            case 3: return try stream([("7", inspecting), ("8", waiting)])
            default: return try stream([("9", published)])
            }
        } _: { server in
            var states: [SubmissionState] = []
            for try await status in try server.client().events(of: id) { states.append(status.state) }
            #expect(states == [.received, .inspecting, .awaitingReview, .published])
            let name = try #require(HTTPField.Name("Last-Event-ID"))
            #expect(server.seen(path).map { $0.headers[name] } == [nil, "7", "7", "8"])
            #expect(server.seen(path).first?.headers[.accept] == "text/event-stream")
        }
    }

    @Test("with until review, following ends as soon as a person has to act, also when that is so at once")
    func untilReview() async throws {
        let received = status(.received, 0)
        let waiting = status(.awaitingReview, 1)
        let path = "/api/v1/submissions/\(id)/events"
        try await withStub { request, _ in
            request.uri.path == path ? try stream([("7", waiting)]) : try .json(received)
        } _: { server in
            var states: [SubmissionState] = []
            for try await status in try server.client().events(of: id, untilReview: true) {
                states.append(status.state)
            }
            #expect(states == [.received, .awaitingReview])
            #expect(server.seen(path).map(\.target) == [path + "?until=review"])
        }
        let changes = status(.changesRequested, 1)
        try await withStub { _, _ in
            try .json(changes)
        } _: { server in
            var count = 0
            for try await _ in try server.client().events(of: id, untilReview: true) { count += 1 }
            #expect(count == 1 && server.seen().count == 1)
        }
    }

    @Test("a stream that nobody may read is an error, not a loop")
    func forbidden() async throws {
        let received = status(.received, 0)
        try await withStub { request, _ in
            request.uri.path.hasSuffix("events")
                ? try .problem(403, .forbidden, "Not yours.") : try .json(received)
        } _: { server in
            let error = await #expect(throws: MarketClientError.self) {
                for try await _ in try server.client().events(of: id) {}
            }
            #expect(error?.code == .forbidden)
        }
    }

    @Test("a submission that is decided already needs no stream")
    func decided() async throws {
        let published = status(.published, 1)
        try await withStub { _, _ in
            try .json(published)
        } _: { server in
            var count = 0
            for try await _ in try server.client().events(of: id) { count += 1 }
            #expect(count == 1 && server.seen().count == 1)
        }
    }
}
