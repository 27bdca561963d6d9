// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Hummingbird
import MarketClient
import MarketWire
import NIOCore
import SheetCore
import Synchronization
import TestSupport
import Testing

@Suite struct DownloadTests {
    let sheet = SampleSheet()
    let version = SemanticVersion(1, 0, 0)
    var bytes: [UInt8] { sheet.bytes(version) }

    private func expectInstalled(_ scratch: Scratch) throws {
        let record = try scratch.library.find("quest-sheet")
        #expect(record.installed?.version == version)
        let stored = FileManager.default.contents(atPath: scratch.library.objectPath(sheet.hash(version)))
        #expect(stored == Data(bytes))
        #expect(scratch.files("partial") == [])
    }

    private func expectNothing(_ scratch: Scratch) throws {
        #expect(try scratch.library.contents().records == [])
        #expect(!FileManager.default.fileExists(atPath: scratch.library.objectPath(sheet.hash(version))))
    }

    @Test("a template is installed with everything that showing it offline needs")
    func install() async throws {
        let scratch = try Scratch()
        try await withStub(sheet.market()) { server in
            let events = Mutex<[InstallEvent]>([])
            let outcome = try await server.installer(scratch).install(.quest) { event in
                events.withLock { $0.append(event) }
            }
            #expect(outcome.downloaded && !outcome.offline && outcome.previous == nil)
            #expect(
                events.withLock { $0.last }
                    == .downloading(TransferProgress(bytes: bytes.count, total: bytes.count)))
            try expectInstalled(scratch)
            let saved = try #require(outcome.record.current)
            #expect(saved.regions == sheet.regions.pages)
            let preview = try #require(saved.preview)
            let picture = FileManager.default.contents(atPath: scratch.library.objectPath(preview.sha256))
            #expect(picture == Data(sheet.picture))
        }
    }

    @Test("the signed address gets no token, though it is the market's own")
    func noTokenForFiles() async throws {
        let scratch = try Scratch()
        try await withStub(sheet.market()) { server in
            _ = try await server.installer(scratch).install(.quest)
            #expect(server.seen("/files/1.0.0").first?.headers[.authorization] == nil)
            #expect(server.seen("/api/v1/templates/quest-sheet").first?.headers[.authorization] == "Bearer secret")
        }
    }

    @Test("a download that breaks goes on where it stopped")
    func resume() async throws {
        let scratch = try Scratch()
        let handler = sheet.market { request, server, bytes in
            server.seen("/files/1.0.0").count == 1
                ? .truncated(bytes, after: 100_000) : SampleSheet.serve(request, server, bytes)
        }
        try await withStub(handler) { server in
            _ = try await server.installer(scratch).install(.quest)
            try expectInstalled(scratch)
            let second = try #require(server.seen("/files/1.0.0").last)
            // Of what was sent, the last pieces can be lost with the connection.
            let range = try #require(second.headers[.range]?.wholeMatch(of: /bytes=(\d+)-/))
            #expect(1...100_000 ~= Int(range.1) ?? 0)
        }
    }

    @Test("what a stopped process left is resumed under the entity tag it began with")
    func resumeLater() async throws {
        let scratch = try Scratch()
        let hash = sheet.hash(version)
        try await withStub(sheet.market()) { server in
            let folder = scratch.library.root + "/partial"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            try Data(bytes.prefix(1234)).write(to: URL(fileURLWithPath: "\(folder)/\(hash).part"))
            try Data("\"\(hash)\"".utf8).write(to: URL(fileURLWithPath: "\(folder)/\(hash).etag"))
            let events = Mutex<[InstallEvent]>([])
            _ = try await server.installer(scratch).install(.quest) { event in events.withLock { $0.append(event) } }
            try expectInstalled(scratch)
            let seen = try #require(server.seen("/files/1.0.0").first)
            #expect(seen.headers[.range] == "bytes=1234-")
            #expect(seen.headers[.ifRange] == "\"\(hash)\"")
            // Before that it is told that the market signs nothing.
            #expect(events.withLock { $0.dropFirst().first } == .resuming(bytes: 1234))
        }
    }

    @Test("an earlier part that is damaged is thrown away, and the file fetched whole")
    func damagedPart() async throws {
        let scratch = try Scratch()
        try await withStub(sheet.market()) { server in
            let folder = scratch.library.root + "/partial"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            let part = URL(fileURLWithPath: "\(folder)/\(sheet.hash(version)).part")
            try Data(repeating: 0, count: 5000).write(to: part)
            _ = try await server.installer(scratch).install(.quest)
            try expectInstalled(scratch)
            #expect(server.seen("/files/1.0.0").map { $0.headers[.range] } == ["bytes=5000-", nil])
        }
    }

    @Test("a server that ignores ranges costs time, not correctness")
    func rangeIgnored() async throws {
        let scratch = try Scratch()
        let handler = sheet.market { _, server, bytes in
            server.seen("/files/1.0.0").count == 1 ? .truncated(bytes, after: 50_000) : .bytes(bytes)
        }
        try await withStub(handler) { server in
            _ = try await server.installer(scratch).install(.quest)
            try expectInstalled(scratch)
        }
    }

    @Test("a server that answers with another range than asked is not believed")
    func wrongRange() async throws {
        let scratch = try Scratch()
        let handler = sheet.market { request, server, bytes in
            if server.seen("/files/1.0.0").count == 1 { return .truncated(bytes, after: 50_000) }
            guard request.firstByte != nil else { return .bytes(bytes) }
            var response = Response.bytes(bytes[60_000...], status: .partialContent)
            response.headers[.contentRange] = "bytes 60000-\(bytes.count - 1)/\(bytes.count)"
            return response
        }
        try await withStub(handler) { server in
            _ = try await server.installer(scratch).install(.quest)
            try expectInstalled(scratch)
        }
    }

    @Test("a range that the server cannot serve starts the download over")
    func unsatisfiableRange() async throws {
        let scratch = try Scratch()
        let handler = sheet.market { request, server, bytes in
            if server.seen("/files/1.0.0").count == 1 { return .truncated(bytes, after: 50_000) }
            return request.firstByte == nil
                ? .bytes(bytes) : try .problem(416, .rangeNotSatisfiable, "No such range.")
        }
        try await withStub(handler) { server in
            _ = try await server.installer(scratch).install(.quest)
            try expectInstalled(scratch)
        }
    }

    @Test("wrong bytes are refused, and nothing of them is visible")
    func wrongHash() async throws {
        let scratch = try Scratch()
        let handler = sheet.market { _, _, bytes in
            var wrong = bytes
            wrong[5] ^= 1
            return .bytes(wrong)
        }
        try await withStub(handler) { server in
            let error = await #expect(throws: LibraryError.self) {
                try await server.installer(scratch).install(.quest)
            }
            #expect(error?.isVerificationFailure == true)
            try expectNothing(scratch)
            #expect(scratch.files("partial") == [])
        }
    }

    @Test("the example for curl and sha256sum keeps what was promised, and nothing else")
    func shellExample() async throws {
        let scratch = try Scratch()
        let (sheet, version, bytes) = (sheet, version, bytes)
        let isHonest = Mutex(true)
        try await withStub { request, server in
            guard request.uri.path.hasSuffix("/download") else {
                var sent = bytes
                if !isHonest.withLock({ $0 }) { sent[5] ^= 1 }
                return .bytes(sent)
            }
            return try .json(
                DownloadTicket(
                    url: "/files/\(version)", version: version, fileName: "../sheet.pdf", sizeBytes: bytes.count,
                    sha256: sheet.hash(version), expiresAt: Date() + 60))
        } _: { server in
            let script = BuildProducts.root.appendingPathComponent("examples/clients/install.sh")
            for honest in [false, true] {
                isHonest.withLock { $0 = honest }
                let run = try await Command.run(script, [server.url, sheet.slug, scratch.path])
                let kept = try FileManager.default.contentsOfDirectory(atPath: scratch.path)
                    .filter { $0 != "library" }
                #expect(run.status == (honest ? 0 : 1), "\(run)")
                if honest {
                    #expect(kept.count == 1 && run.output.contains("/\(kept[0]) 1.0.0"), "\(kept) \(run)")
                    #expect(FileManager.default.contents(atPath: "\(scratch.path)/\(kept[0])") == Data(bytes))
                } else {
                    #expect(kept.isEmpty && run.errors.contains("not what was promised"), "\(kept) \(run)")
                }
            }
        }
    }

    @Test("a file of another size than announced is refused", arguments: [-1, 1])
    func wrongSize(difference: Int) async throws {
        let scratch = try Scratch()
        let handler = sheet.market { _, _, bytes in
            let wrong = difference > 0 ? bytes + [0] : Array(bytes.dropLast())
            // Without a length, so that only the bytes themselves can tell.
            return Response(
                status: .ok,
                body: .init { writer in
                    try await writer.write(ByteBuffer(bytes: wrong))
                    try await writer.finish(nil)
                })
        }
        try await withStub(handler) { server in
            await #expect(throws: LibraryError.self) { try await server.installer(scratch).install(.quest) }
            try expectNothing(scratch)
        }
    }

    @Test("a ticket for other bytes than the catalog promised is refused")
    func wrongTicket() async throws {
        let scratch = try Scratch()
        let market = sheet.market()
        let other = sheet.hash(SemanticVersion(1, 1, 0))
        let size = bytes.count
        try await withStub { request, server in
            guard request.uri.path.hasSuffix("/download") else { return try await market(request, server) }
            return try .json(
                DownloadTicket(
                    url: "/files/1.1.0", version: SemanticVersion(1, 0, 0), fileName: "a.pdf", sizeBytes: size,
                    sha256: other, expiresAt: Date() + 60))
        } _: { server in
            await #expect(throws: LibraryError.self) { try await server.installer(scratch).install(.quest) }
            try expectNothing(scratch)
        }
    }

    @Test("an expired address is asked for anew")
    func expiredTicket() async throws {
        let scratch = try Scratch()
        let handler = sheet.market { request, server, bytes in
            server.seen("/files/1.0.0").count == 1
                ? try .problem(403, .downloadExpired, "Too late.") : SampleSheet.serve(request, server, bytes)
        }
        try await withStub(handler) { server in
            _ = try await server.installer(scratch).install(.quest)
            try expectInstalled(scratch)
        }
    }

    @Test("a signed address on another host is followed without the token")
    func redirectedFile() async throws {
        let scratch = try Scratch()
        try await withStub { request, server in
            SampleSheet.serve(request, server, SampleSheet().bytes(SemanticVersion(1, 0, 0)))
        } _: { storage in
            let target = storage.url + "/bucket/object?signature=x"
            let handler = sheet.market { _, _, _ in .redirect(to: target) }
            try await withStub(handler) { server in
                _ = try await server.installer(scratch).install(.quest)
                try expectInstalled(scratch)
                let seen = try #require(storage.seen().first)
                #expect(seen.headers[.authorization] == nil)
                #expect(seen.target == "/bucket/object?signature=x")
            }
        }
    }

    @Test("a version that changed on the server is refused")
    func changedVersion() async throws {
        let scratch = try Scratch()
        try await withStub(sheet.market()) { server in
            _ = try await server.installer(scratch).install(.quest)
        }
        var changed = sheet
        changed.files[0].bytes[0] ^= 1
        try await withStub(changed.market()) { server in
            let error = await #expect(throws: LibraryError.self) {
                try await server.installer(scratch).install(.quest)
            }
            guard case .versionChanged = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            try expectInstalled(scratch)
        }
    }

    @Test("an installation that is called off ends at once, and the next goes on where it was")
    func calledOff() async throws {
        let scratch = try Scratch()
        let handler = sheet.market { request, server, bytes in
            guard server.seen("/files/1.0.0").count == 1 else { return SampleSheet.serve(request, server, bytes) }
            return Response(
                status: .ok, headers: [.eTag: "\"\(ContentHash(hashing: Data(bytes)))\""],
                body: .init(contentLength: bytes.count) { writer in
                    try await writer.write(ByteBuffer(bytes: bytes.prefix(100_000)))
                    try await Task.sleep(for: .seconds(60))
                    throw Broken()
                })
        }
        try await withStub(handler) { server in
            let installer = try server.installer(scratch)
            let (parts, part) = AsyncStream.makeStream(of: Void.self)
            let task = Task {
                try await installer.install(.quest) { if case .downloading = $0 { part.yield(()) } }
            }
            for await _ in parts { break }
            let start = ContinuousClock.now
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(ContinuousClock.now - start < .seconds(20))
            try expectNothing(scratch)
            let hash = sheet.hash(SemanticVersion(1, 0, 0))
            let kept = FileManager.default.contents(atPath: "\(scratch.library.root)/partial/\(hash).etag")
            #expect(kept == Data("\"\(hash)\"".utf8), "its entity tag is kept, though little of it has come")
            _ = try await installer.install(.quest)
            try expectInstalled(scratch)
            #expect(server.seen("/files/1.0.0").last?.headers[.range] != nil)
        }
    }

    @Test("many who install the same at once share one download")
    func together() async throws {
        let scratch = try Scratch()
        let handler = sheet.market { request, server, bytes in
            try await Task.sleep(for: .milliseconds(200))
            return SampleSheet.serve(request, server, bytes)
        }
        try await withStub(handler) { server in
            let outcomes = try await withThrowingTaskGroup(of: Installer.Outcome.self) { group in
                for _ in 0..<6 { group.addTask { try await server.installer(scratch).install(.quest) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(outcomes.filter(\.downloaded).count == 1)
            #expect(server.seen("/files/1.0.0").count == 1)
            try expectInstalled(scratch)
            #expect(try await scratch.library.verify().ok)
        }
    }
}
