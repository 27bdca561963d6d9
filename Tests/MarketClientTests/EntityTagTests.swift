// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Hummingbird
import MarketWire
import NIOCore
import SheetCore
import Synchronization
import TestSupport
import Testing

@testable import MarketClient

@Suite("Entity tags of downloads that are under way")
struct EntityTagTests {
    private let version = SemanticVersion(1, 0, 0)

    private func expectInstalled(_ sheet: SampleSheet, _ scratch: Scratch) throws {
        #expect(try scratch.library.find(sheet.slug).installed?.version == version)
        let stored = FileManager.default.contents(atPath: scratch.library.objectPath(sheet.hash(version)))
        #expect(stored == Data(sheet.bytes(version)))
        #expect(scratch.files("partial") == [])
    }

    /// Installs it, and answers after how many bytes its tag was kept and after how many it was not.
    private func install(
        _ sheet: SampleSheet, _ scratch: Scratch, from server: StubServer
    ) async throws -> [(bytes: Int, isKept: Bool)] {
        let path = scratch.library.entityTagPath(sheet.hash(version))
        let seen = Mutex<[(bytes: Int, isKept: Bool)]>([])
        _ = try await server.installer(scratch).install(.quest) { event in
            guard case .downloading(let progress) = event else { return }
            seen.withLock { $0.append((progress.bytes, FileManager.default.fileExists(atPath: path))) }
        }
        try expectInstalled(sheet, scratch)
        return seen.withLock { $0 }
    }

    /// Leaves what a process that was killed leaves.
    private func leave(_ part: Data, tag: String?, of sheet: SampleSheet, in scratch: Scratch) throws {
        let hash = sheet.hash(version)
        try FileManager.default.createDirectory(
            atPath: scratch.library.root + "/partial", withIntermediateDirectories: true)
        try part.write(to: URL(fileURLWithPath: scratch.library.partialPath(hash)))
        if let tag { try Data(tag.utf8).write(to: URL(fileURLWithPath: scratch.library.entityTagPath(hash))) }
    }

    @Test("a small file comes without a second file beside it")
    func small() async throws {
        let (sheet, scratch) = (SampleSheet(), try Scratch())
        try await withStub(sheet.market()) { server in
            let seen = try await install(sheet, scratch, from: server)
            #expect(!seen.isEmpty && !seen.contains(where: \.isKept))
        }
    }

    @Test("one that breaks off leaves its tag, under which it goes on, at once or another day")
    func brokenOff() async throws {
        let (sheet, scratch) = (SampleSheet(), try Scratch())
        let hash = sheet.hash(version)
        let (tag, path) = ("\"\(hash)\"", scratch.library.entityTagPath(hash))
        let handler = sheet.market { request, server, bytes in
            switch server.seen("/files/1.0.0").count {
            case 1:
                var response = Response.truncated(bytes, after: 100_000)
                response.headers[.eTag] = tag
                return response
            case 2: return try .problem(404, .notFound, "Not today.")
            default: return SampleSheet.serve(request, server, bytes)
            }
        }
        try await withStub(handler) { server in
            await #expect(throws: MarketClientError.self) { try await server.installer(scratch).install(.quest) }
            #expect(FileManager.default.contents(atPath: path) == Data(tag.utf8))
            _ = try await server.installer(scratch).install(.quest)
            try expectInstalled(sheet, scratch)
            let seen = server.seen("/files/1.0.0")
            #expect(seen.map { $0.headers[.ifRange] } == [nil, tag, tag])
            #expect(seen.dropFirst().allSatisfy { $0.headers[.range] != nil })
        }
    }

    @Test("of a large file the tag is there as soon as much of it is, and no longer than that")
    func large() async throws {
        var sheet = SampleSheet()
        sheet.files[0].bytes = Array(repeating: 7, count: 2_000_000)
        let (scratch, hash) = (try Scratch(), sheet.hash(version))
        let (tag, path) = ("\"\(hash)\"", scratch.library.entityTagPath(hash))
        let handler = sheet.market { _, _, bytes in
            Response(
                status: .ok, headers: [.eTag: tag],
                body: .init(contentLength: bytes.count) { writer in
                    try await writer.write(ByteBuffer(bytes: bytes.prefix(1_600_000)))
                    guard try await eventually({ FileManager.default.contents(atPath: path) == Data(tag.utf8) }) else {
                        throw Broken()
                    }
                    try await writer.write(ByteBuffer(bytes: bytes.dropFirst(1_600_000)))
                    try await writer.finish(nil)
                })
        }
        try await withStub(handler) { [sheet] server in
            for (bytes, isKept) in try await install(sheet, scratch, from: server) {
                #expect(isKept == (bytes >= ArtifactDownload.tagBytes), "\(bytes)")
            }
            #expect(server.seen("/files/1.0.0").count == 1)
        }
    }

    @Test("what was left without a tag is resumed without one, and its hash proves it")
    func untagged() async throws {
        let (sheet, scratch) = (SampleSheet(), try Scratch())
        try leave(Data(sheet.bytes(version).prefix(1234)), tag: nil, of: sheet, in: scratch)
        try await withStub(sheet.market()) { server in
            _ = try await server.installer(scratch).install(.quest)
            try expectInstalled(sheet, scratch)
            let seen = server.seen("/files/1.0.0")
            #expect(seen.map { $0.headers[.range] } == ["bytes=1234-"])
            #expect(seen.map { $0.headers[.ifRange] } == [nil])
        }
    }

    @Test("the tag of other bytes is not taken for theirs when the whole file comes in their place")
    func otherTag() async throws {
        let (sheet, scratch) = (SampleSheet(), try Scratch())
        try leave(Data(repeating: 0, count: 5000), tag: "\"other\"", of: sheet, in: scratch)
        try await withStub(sheet.market()) { server in
            let seen = try await install(sheet, scratch, from: server)
            #expect(!seen.isEmpty && !seen.contains(where: \.isKept))
            #expect(server.seen("/files/1.0.0").map { $0.headers[.ifRange] } == ["\"other\""])
        }
    }
}
