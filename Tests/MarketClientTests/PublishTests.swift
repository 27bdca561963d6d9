// SPDX-License-Identifier: Apache-2.0
import Crypto
import Foundation
import HTTPTypes
import Hummingbird
import MarketClient
import MarketWire
import NIOCore
import SheetCore
import Synchronization
import Testing

@Suite struct PublishTests {
    let id = SubmissionID.make()
    let metadata = UploadMetadata(name: "Quest \"Sheet\"", gameSystem: "dnd5e", license: "CC0-1.0", version: "1.0.0")

    private var received: SubmissionStatus {
        SubmissionStatus(
            id: id, state: .received, progress: .init(fraction: 0, step: "received"), findings: [],
            templateId: .make(), templateSlug: "quest-sheet", templateName: "Quest Sheet",
            version: SemanticVersion(1, 0, 0), caseId: nil, fileName: "a.pdf", sizeBytes: 1,
            sha256: ContentHash(hashing: Data()), pageCount: nil, decision: nil, createdAt: SampleSheet.time,
            updatedAt: SampleSheet.time)
    }

    private func file(_ scratch: Scratch, _ count: Int, name: String = "a \"b\".pdf") throws -> (URL, Data) {
        let data = Data(SampleSheet.bytes(count, seed: 3))
        let url = URL(fileURLWithPath: scratch.path + "/" + name)
        try data.write(to: url)
        return (url, data)
    }

    /// Uploads, and gives what was told of its progress.
    private func publish(
        _ file: URL, to server: StubServer, answered status: SubmissionStatus
    ) async throws -> [TransferProgress] {
        let progress = Mutex<[TransferProgress]>([])
        let answer = try await server.client(token: "secret").publish(file, metadata: metadata) { step in
            progress.withLock { $0.append(step) }
        }
        #expect(answer == status)
        return progress.withLock { $0 }
    }

    @Test("an upload has its metadata, then the file's exact bytes, a known length, and shows its progress")
    func upload() async throws {
        let scratch = try Scratch()
        let (url, data) = try file(scratch, 3_000_000)
        let status = received
        let bodies = Mutex<[Data]>([])
        try await withStub { request, _ in
            let body = try await request.body.collect(upTo: 4 << 20)
            bodies.withLock { $0.append(Data(body.readableBytesView)) }
            return try .json(status, status: .accepted)
        } _: { server in
            let steps = try await publish(url, to: server, answered: status)
            let seen = try #require(server.seen().first)
            let type = try #require(seen.headers[.contentType])
            let boundary = try #require(type.split(separator: "boundary=").last)
            let json = String(decoding: try WireJSON.encoder().encode(metadata), as: UTF8.self)
            var expected = Data(
                """
                --\(boundary)\r\nContent-Disposition: form-data; name="metadata"\r\n\
                Content-Type: application/json\r\n\r\n\(json)\r\n\
                --\(boundary)\r\nContent-Disposition: form-data; name="file"; filename="a %22b%22.pdf"\r\n\
                Content-Type: application/pdf\r\n\r\n
                """.utf8)
            expected += data + Data("\r\n--\(boundary)--\r\n".utf8)
            let body = try #require(bodies.withLock { $0.first })
            #expect(body == expected)
            #expect(seen.headers[.contentLength] == "\(expected.count)")
            #expect(seen.path == "/api/v1/templates" && seen.method == "POST")
            #expect(steps.first?.bytes == 0 && steps.last == TransferProgress(bytes: data.count, total: data.count))
            #expect(steps.count > 40)
        }
    }

    @Test(
        "an upload that breaks off, or that the market cannot take now, is sent again: whole, and by the same key",
        arguments: ["broken off", "refused at once", "refused at the end"])
    func again(_ way: String) async throws {
        let scratch = try Scratch()
        let (url, data) = try file(scratch, 3_000_000)
        let status = received
        let bodies = Mutex<[Data]>([])
        try await withStub { request, server in
            let count = server.seen().count
            if count == 1, way == "broken off" {
                var bytes = 0
                for try await piece in request.body {
                    bytes += piece.readableBytes
                    if bytes > 1_000_000 { break }
                }
                throw Broken()
            }
            if count == 1, way == "refused at once" {
                return try .problem(503, .unavailable, "Later.", retryAfter: "0")
            }
            let body = try await request.body.collect(upTo: 4 << 20)
            bodies.withLock { $0.append(Data(body.readableBytesView)) }
            // What broke off may still be under way there.
            if count == 2, way == "broken off" {
                return try .problem(409, .idempotencyKeyInUse, "Under way.", retryAfter: "0")
            }
            if count == 1 { return try .problem(503, .unavailable, "Later.", retryAfter: "0") }
            return try .json(status, status: .accepted)
        } _: { server in
            let steps = try await publish(url, to: server, answered: status)
            let seen = server.seen()
            #expect(seen.count == (way == "broken off" ? 3 : 2))
            let key = try #require(HTTPField.Name("Idempotency-Key"))
            for name in [key, .contentType, .contentLength, .authorization] {
                #expect(Set(seen.map { $0.headers[name] }).count == 1 && seen[0].headers[name] != nil, "\(name)")
            }
            let whole = bodies.withLock { $0 }
            #expect(whole.count == (way == "refused at once" ? 1 : 2) && Set(whole).count == 1)
            let body = try #require(whole.last)
            #expect(body.range(of: data) != nil && "\(body.count)" == seen[0].headers[.contentLength])
            #expect(steps.last == TransferProgress(bytes: data.count, total: data.count))
        }
    }

    @Test("a file that is gone when it must be sent again is no fault of the network")
    func gone() async throws {
        let scratch = try Scratch()
        let (url, _) = try file(scratch, 1000)
        try await withStub { request, _ in
            _ = try await request.body.collect(upTo: 1 << 20)
            try FileManager.default.removeItem(at: url)
            return try .problem(503, .unavailable, "Later.", retryAfter: "0")
        } _: { server in
            await #expect(
                throws: MarketClientError.badRequest(
                    "\(url.path) can no longer be read: it was moved, or its disk fails.")
            ) { try await server.client().publish(url, metadata: metadata) }
        }
    }

    @Test("of a link the file that it leads to is sent")
    func link() async throws {
        let scratch = try Scratch()
        let (url, data) = try file(scratch, 1000)
        let link = URL(fileURLWithPath: scratch.path + "/link.pdf")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: url)
        let status = received
        let holdsFile = Mutex(false)
        try await withStub { request, _ in
            let body = try await request.body.collect(upTo: 1 << 20)
            holdsFile.withLock { $0 = Data(body.readableBytesView).range(of: data) != nil }
            return try .json(status, status: .accepted)
        } _: { server in
            let answer = try await server.client(token: "secret").publish(link, metadata: metadata)
            #expect(answer == status)
            #expect(holdsFile.withLock { $0 })
        }
    }

    @Test("a new version goes to its template, and the address of its submission is enough")
    func newVersion() async throws {
        let scratch = try Scratch()
        let (url, _) = try file(scratch, 1000)
        let status = received
        try await withStub { request, _ in
            guard request.method == .post else { return try .json(status) }
            _ = try await request.body.collect(upTo: 1 << 20)
            return Response(status: .accepted, headers: [.location: "/api/v1/submissions/\(status.id)"])
        } _: { server in
            let answer = try await server.client().publish(url, metadata: metadata, newVersionOf: "quest-sheet")
            #expect(answer.id == id)
            #expect(
                server.seen().map(\.path) == ["/api/v1/templates/quest-sheet/versions", "/api/v1/submissions/\(id)"])
        }
    }

    @Test("a refusal before the whole file was sent is understood")
    func earlyRefusal() async throws {
        let scratch = try Scratch()
        let (url, _) = try file(scratch, 30_000_000)
        try await withStub { _, _ in
            try .problem(413, .tooLarge, "A sheet has at most 20 MB.")
        } _: { server in
            let error = await #expect(throws: MarketClientError.self) {
                try await server.client().publish(url, metadata: metadata)
            }
            #expect(error?.code == .tooLarge)
            #expect(server.seen().count == 1)
        }
    }

    @Test("a file that is not there is said before anything is sent")
    func missingFile() async throws {
        let scratch = try Scratch()
        try await withStub { _, _ in
            .init(status: .ok)
        } _: { server in
            for path in ["/nothing.pdf", ""] {
                let error = await #expect(throws: MarketClientError.self) {
                    try await server.client().publish(URL(fileURLWithPath: scratch.path + path), metadata: metadata)
                }
                guard case .badRequest = error else {
                    Issue.record("\(String(describing: error))")
                    continue
                }
            }
            #expect(server.seen().isEmpty)
        }
    }
}
