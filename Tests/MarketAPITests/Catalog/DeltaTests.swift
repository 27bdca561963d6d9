// SPDX-License-Identifier: Apache-2.0
import DictionaryCoding
import Foundation
import HTTPTypes
import HummingbirdTesting
import MarketPages
import MarketWire
import NIOCore
import Postgres
import SheetCore
import TestSupport
import Testing

@testable import MarketCatalog
@testable import MarketPlatform

@Suite("Differences between versions, for who has the older one")
struct DeltaTests {
    /// A file as large as a sheet, and versions of it that differ in a few hundred bytes.
    private static func file(_ edits: Int = 0) -> [UInt8] {
        var state: UInt64 = 7
        func next() -> UInt8 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return UInt8(truncatingIfNeeded: state >> 33)
        }
        var bytes = Array("%PDF-1.7 ".utf8) + (0..<100_000).map { _ in next() }
        for edit in 0..<edits {
            bytes.replaceSubrange(edit * 9000..<edit * 9000 + 40, with: (0..<200).map { _ in next() })
        }
        return bytes
    }

    private static let field = HTTPField.Name(DictionaryCompression.dictionaryField) ?? .age

    private static func headers(_ base: [UInt8], _ encoding: String = "gzip, dcz") -> HTTPFields {
        [
            .acceptEncoding: encoding,
            field: DictionaryCompression.fieldValue(of: ContentHash(hashing: base)),
        ]
    }

    /// Does the job of a version as the worker does it.
    @discardableResult
    private static func makeDeltas(_ scene: CatalogScene, _ number: String) async throws -> String {
        let platform = scene.features.platform
        let version = try await platform.database.one("SELECT id FROM versions WHERE number = \(number)") {
            try $0.get(0, as: VersionID.self)
        }
        try await MakeDeltas.enqueue(version, at: Date(), in: platform.database)
        let queue = JobQueue(platform: platform)
        guard let lease = try await queue.claim([.makeDeltas], count: 1, worker: "test").first else { return "none" }
        return try await MakeDeltas(platform: platform).run(lease)
    }

    private static func address(_ scene: CatalogScene, _ number: String) async throws -> String {
        try #require(try await scene.get("/templates/sheet/versions/\(number)/download").headers[.location])
    }

    private static func deltas(_ scene: CatalogScene) async throws -> [ContentHash] {
        try await scene.features.database.all("SELECT sha256 FROM artifact_deltas ORDER BY base_sha256") {
            try $0.get(0)
        }
    }

    /// What an answer in the coding stands for.
    private static func decode(_ answer: TestResponse, _ base: [UInt8]) throws -> [UInt8] {
        let bytes = Data(answer.body.readableBytesView)
        let header = DictionaryCompression.header(of: ContentHash(hashing: base))
        #expect(bytes.starts(with: header))
        let path = NSTemporaryDirectory() + "/base-\(UUID().uuidString)"
        try Data(base).write(to: URL(fileURLWithPath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        let decoder = try FrameDecoder(dictionary: path)
        var made = Data()
        try decoder.decode(bytes.dropFirst(header.count)) { made.append($0) }
        #expect(decoder.isComplete)
        return Array(made)
    }

    /// Three versions, with what differs in storage.
    private static func run(
        _ body: @escaping @Sendable (CatalogScene, CatalogScene.Made) async throws -> Void
    ) async throws {
        try await CatalogScene.run { scene in
            let sheet = try await scene.addTemplate("Sheet", bytes: file())
            try await scene.addVersion("1.1.0", of: sheet, bytes: file(2))
            try await scene.addVersion("1.2.0", of: sheet, bytes: file(4))
            #expect(try await makeDeltas(scene, "1.1.0") == "made")
            #expect(try await makeDeltas(scene, "1.2.0") == "made")
            try await body(scene, sheet)
        }
    }

    @Test("who names the version that he has is sent what differs, coded as dcz; others get the whole file")
    func offered() async throws {
        try await Self.run { scene, _ in
            let path = try await Self.address(scene, "1.2.0")
            for (base, count) in [(Self.file(2), 1), (Self.file(), 1)] {
                let answer = try await scene.get(path, headers: Self.headers(base))
                #expect(answer.status == .ok && answer.headers[.contentEncoding] == "dcz")
                #expect(answer.body.readableBytes < 2000 * count)
                #expect(try Self.decode(answer, base) == Self.file(4))
                #expect(answer.headers[.vary] == "accept-encoding, available-dictionary")
                #expect(answer.headers[.cacheControl] == "public, max-age=31536000, s-maxage=10, immutable")
                #expect(answer.headers[.contentType] == "application/pdf")
                let own = ContentHash(hashing: Data(answer.body.readableBytesView))
                #expect(answer.headers[.eTag] == "\"\(own)\"")
            }
            let base = Self.file(2)
            var ranged = Self.headers(base)
            ranged[.range] = "bytes=10-"
            let others: [HTTPFields] = [
                [:], Self.headers(base, "gzip"), Self.headers(base, "dcz;q=0"), Self.headers(Self.file(4)),
                Self.headers(Self.file(7)), [Self.field: "nonsense", .acceptEncoding: "dcz"], ranged,
            ]
            for headers in others {
                let answer = try await scene.get(path, headers: headers)
                #expect(answer.headers[.contentEncoding] == nil, "\(headers)")
                let part = Self.file(4).dropFirst(headers[.range] == nil ? 0 : 10)
                #expect(answer.body.readableBytesView.elementsEqual(part))
            }
            let down = try await scene.get(try await Self.address(scene, "1.0.0"), headers: Self.headers(base))
            #expect(down.headers[.contentEncoding] == nil, "only from older to newer")
        }
    }

    @Test("what saves less than half is not kept, and no version is compared with itself or those after it")
    func unrelated() async throws {
        try await CatalogScene.run { scene in
            let sheet = try await scene.addTemplate("Sheet", version: "2.0.0", bytes: Self.file())
            try await scene.addVersion("2.1.0", of: sheet, bytes: Self.file().reversed())
            #expect(try await Self.makeDeltas(scene, "2.1.0") == "skipped")
            try await scene.addVersion("1.9.0", of: sheet, bytes: Self.file(1))
            #expect(try await Self.makeDeltas(scene, "1.9.0") == "none")
            try await scene.addVersion("2.0.1", of: sheet, bytes: Self.file())
            #expect(try await Self.makeDeltas(scene, "2.0.1") == "made", "of 1.9.0, not of the same bytes")
            #expect(try await Self.deltas(scene).count == 1)
        }
    }

    @Test("a withdrawal and a take-down of either version end it, and the stored difference goes")
    func withdrawn() async throws {
        try await Self.run { scene, sheet in
            let made = try await Self.deltas(scene)
            #expect(made.count == 3)
            let path = try await Self.address(scene, "1.2.0")
            try await scene.takeDown("1.1.0", of: sheet)
            #expect(try await Self.deltas(scene).count == 1, "from 1.0.0 to 1.2.0")
            let answer = try await scene.get(path, headers: Self.headers(Self.file(2)))
            #expect(answer.headers[.contentEncoding] == nil && answer.status == .ok)
            try await scene.features.database.execute(
                """
                UPDATE versions SET state = 'yanked', state_reason = 'Wrong.', withdrawn_by = 'author' WHERE number = '1.2.0'
                """)
            #expect(try await Self.deltas(scene).isEmpty)
            let left = try await scene.features.database.scalar(
                "SELECT count(*) FROM artifacts WHERE media_type = 'application/zstd'", as: Int.self)
            #expect(left == 0)
            #expect(try await scene.get(path, headers: Self.headers(Self.file())).headers[.contentEncoding] == nil)
        }
    }

    @Test("what was withdrawn while its difference was made gets none")
    func withdrawnMeanwhile() async throws {
        try await Self.run { scene, sheet in
            let pair = DeltaStore.Pair(
                target: ContentHash(hashing: Self.file(4)), targetBytes: 1, base: ContentHash(hashing: Self.file(2)),
                baseBytes: 1)
            try await scene.takeDown("1.1.0", of: sheet)
            let object = try await scene.store(Array("late".utf8), as: "application/zstd")
            try await DeltaStore.insert([.init(pair: pair, object: object)], in: scene.features.database)
            #expect(try await Self.deltas(scene).count == 1)
            let isThere = try await scene.features.database.scalar(
                "SELECT EXISTS (SELECT FROM artifacts WHERE sha256 = \(object.hash))", as: Bool.self)
            #expect(!isThere)
        }
    }

    @Test("a difference that is lost from storage costs its reader nothing")
    func lost() async throws {
        try await Self.run { scene, _ in
            for hash in try await Self.deltas(scene) { try await scene.features.storage.remove(hash) }
            let answer = try await scene.get(
                try await Self.address(scene, "1.2.0"), headers: Self.headers(Self.file(2)))
            #expect(answer.status == .ok && Array(answer.body.readableBytesView) == Self.file(4))
        }
    }

    @Test("it counts as a download, once")
    func counted() async throws {
        try await Self.run { scene, sheet in
            _ = try await scene.get(try await Self.address(scene, "1.2.0"), headers: Self.headers(Self.file(2)))
            await scene.counter.flush()
            try await DownloadStore.fold(scene.features.database)
            let count = try await scene.features.database.scalar(
                "SELECT downloads FROM templates WHERE id = \(sheet.id)", as: Int.self)
            #expect(count == 1)
        }
    }
}
