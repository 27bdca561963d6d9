// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketWire
import NIOCore
import NIOHTTP1
import SheetCore
import Synchronization
import TestSupport
import Testing

@testable import MarketPlatform

@Suite("Storage in a bucket")
struct ObjectStorageTests {
    private struct Bench: Sendable {
        let server: ObjectStorageServer
        let scratch: ScratchFolder

        func storage(
            _ prefix: String, isPublic: Bool = false, secretKey: String? = nil, endpoint: String? = nil,
            clock: S3Clock = S3Clock()
        ) async throws -> S3Storage {
            var bucket = server.bucket(prefix: prefix, isPublic: isPublic, secretKey: secretKey)
            if let endpoint { bucket.endpoint = endpoint }
            return try await S3Storage.open(
                bucket, spool: scratch.url.appendingPathComponent("spool"), logger: TestLog.logger, clock: clock)
        }

        var spooled: [String] {
            (try? FileManager.default.contentsOfDirectory(
                atPath: scratch.url.appendingPathComponent("spool/incoming").path)) ?? []
        }
    }

    private static func store(_ bytes: [UInt8], in storage: any Storage) async throws -> StoredObject {
        let writer = try await storage.makeWriter()
        for begin in stride(from: 0, to: bytes.count, by: 1 << 20) {
            try await writer.write(ByteBuffer(bytes: bytes[begin..<min(begin + 1 << 20, bytes.count)]))
        }
        return try await writer.finish()
    }

    private static func bytes(
        _ hash: ContentHash, in storage: any Storage, range: Range<Int>? = nil
    ) async throws -> [UInt8] {
        var all: [UInt8] = []
        for try await piece in try await storage.read(hash, range: range) { all += Array(buffer: piece) }
        return all
    }

    private static func hashes(in storage: any Storage) async throws -> [ContentHash: Date] {
        let found = Mutex<[ContentHash: Date]>([:])
        try await storage.forEach { hash, date in found.withLock { $0[hash] = date } }
        return found.withLock { $0 }
    }

    /// A client of the S3 server, which has not our contract.
    private static var outside: TestHTTP {
        var client = TestHTTP(base: "")
        client.isChecked = false
        return client
    }

    /// Bytes that are the same each time, and look random.
    private static func made(_ count: Int, seed: UInt64) -> [UInt8] {
        var state = seed
        return (0..<count).map { _ in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return UInt8(truncatingIfNeeded: state >> 56)
        }
    }

    /// One server for all of it: its start takes longer than the tests.
    @Test("objects, addresses, forgeries, and a market that moves there and back")
    func story() async throws {
        let scene = Bench(server: try await ObjectStorageServer(), scratch: try ScratchFolder("bucket"))
        try await roundTrip(scene)
        try await parts(scene)
        try await addresses(scene)
        try await forgeries(scene)
        try await faults(scene)
        try await clocks(scene)
        try await fallback(scene)
        try await market(scene)
        #expect(scene.spooled.isEmpty)
    }

    private func roundTrip(_ scene: Bench) async throws {
        let storage = try await scene.storage("round-trip/")
        try await storage.check()
        let began = Date().addingTimeInterval(-60)
        var stored: Set<ContentHash> = []
        for count in [0, 1, 1000, S3Storage.pieceBytes, S3Storage.pieceBytes + 17] {
            let content = Self.made(count, seed: UInt64(count))
            let object = try await Self.store(content, in: storage)
            #expect(object == StoredObject(hash: ContentHash(hashing: content), sizeBytes: count))
            #expect(try await storage.size(of: object.hash) == count)
            #expect(try await Self.bytes(object.hash, in: storage) == content)
            stored.insert(object.hash)
        }
        let content = Self.made(S3Storage.pieceBytes + 17, seed: UInt64(S3Storage.pieceBytes + 17))
        let hash = ContentHash(hashing: content)
        for range in [
            0..<1, 5..<5, 100_000..<300_001, content.count - 1..<content.count, content.count - 5..<9_000_000,
        ] {
            let held = range.clamped(to: 0..<content.count)
            #expect(try await Self.bytes(hash, in: storage, range: range) == Array(content[held]))
        }
        let copied = try await storage.withLocalFile(hash) { try Data(contentsOf: $0) }
        #expect(copied == Data(content))
        let listed = try await Self.hashes(in: storage)
        #expect(Set(listed.keys) == stored)
        #expect(listed.values.allSatisfy { $0 > began && $0 < Date().addingTimeInterval(60) })
        try await storage.remove(hash)
        try await storage.remove(hash)
        #expect(try await storage.size(of: hash) == nil)
        await #expect(throws: StorageError.missing(hash)) { _ = try await storage.read(hash) }
        await #expect(throws: StorageError.missing(hash)) { try await storage.withLocalFile(hash) { _ in } }
        let abandoned = try await storage.makeWriter()
        try await abandoned.write(ByteBuffer(string: "abandoned"))
        await abandoned.abandon()
        #expect(try await storage.size(of: ContentHash(hashing: Data("abandoned".utf8))) == nil)
    }

    private func parts(_ scene: Bench) async throws {
        let storage = try await scene.storage("parts/")
        let content = Self.made(S3Client.largestWhole + 12_345, seed: 7)
        let object = try await Self.store(content, in: storage)
        #expect(try await Self.bytes(object.hash, in: storage) == content)
        let first = try #require(try await Self.hashes(in: storage)[object.hash])
        try await Task.sleep(for: .seconds(1.1))
        // The second time no bytes are sent, and the object is as young as a new one.
        #expect(try await Self.store(content, in: storage) == object)
        let second = try #require(try await Self.hashes(in: storage)[object.hash])
        #expect(second > first)
        #expect(
            try await Self.bytes(object.hash, in: storage, range: 9_000_000..<9_000_010)
                == Array(content[9_000_000..<9_000_010]))
    }

    private func addresses(_ scene: Bench) async throws {
        let file = ServedAs(mediaType: "application/pdf", disposition: "attachment; filename=\"a b.pdf\"")
        let content = Self.made(70_000, seed: 3)
        let hidden = try await scene.storage("addresses/")
        let object = try await Self.store(content, in: hidden)
        #expect(try await hidden.delivery(of: object.hash, as: file) == nil)
        let storage = try await scene.storage("addresses/", isPublic: true)
        guard case .redirect(let address) = try await storage.delivery(of: object.hash, as: file) else {
            Issue.record("no address")
            return
        }
        let client = Self.outside
        let answer = try await client.get(address)
        #expect(answer.status == 200)
        #expect(Array(buffer: answer.body) == content)
        #expect(answer.headers.first(name: "content-type") == "application/pdf")
        #expect(answer.headers.first(name: "content-disposition") == file.disposition)
        let part = try await client.get(address, headers: [("Range", "bytes=10-19")])
        #expect(part.status == 206 && Array(buffer: part.body) == Array(content[10..<20]))
        // Whatever is changed in it breaks the signature.
        for (old, new) in [
            ("X-Amz-Signature=", "X-Amz-Signature=0"), ("X-Amz-Expires=600", "X-Amz-Expires=6000"),
            (object.hash.hex, ContentHash(hashing: Data("other".utf8)).hex), ("application%2Fpdf", "text%2Fhtml"),
        ] {
            let forged = address.replacingOccurrences(of: old, with: new)
            #expect(forged != address)
            #expect(try await client.get(forged).status == 403, "\(new)")
        }
        let late = S3Signature(bucket: scene.server.bucket(prefix: "addresses/")).presigned(
            key: "addresses/objects/\(object.hash.hex)", endpoint: scene.server.bucket().endpoint, seconds: 60,
            at: Date().addingTimeInterval(-120))
        #expect(try await client.get(late).status == 403)
    }

    private func forgeries(_ scene: Bench) async throws {
        let content = Self.made(1000, seed: 4)
        let stranger = try await scene.storage("forgeries/", secretKey: "another secret")
        await #expect(throws: StorageError.self) { _ = try await Self.store(content, in: stranger) }
        await #expect(throws: StorageError.self) { try await stranger.check() }
        await #expect(throws: StorageError.self) { try await Self.hashes(in: stranger) }
        // Bytes that changed on the way are refused by the server.
        let storage = try await scene.storage("forgeries/")
        await #expect(throws: StorageError.self) {
            try await storage.client.put("forgeries/objects/x", content, hash: ContentHash(hashing: Data("other".utf8)))
        }
        // Bytes that changed in the store are noticed by us.
        let hash = ContentHash(hashing: content)
        try await storage.client.put(
            "forgeries/objects/\(hash.hex)", Self.made(1000, seed: 5),
            hash: ContentHash(hashing: Self.made(1000, seed: 5)))
        await #expect(throws: StorageError.self) { try await Self.bytes(hash, in: storage) }
        await #expect(throws: StorageError.self) { try await storage.withLocalFile(hash) { _ in } }
    }

    /// What goes wrong once is made good; what stays wrong is said, and nothing is taken for what it is not.
    private func faults(_ scene: Bench) async throws {
        let way = try await FaultyBucket(before: scene.server)
        let storage = try await scene.storage("faults/", endpoint: way.endpoint)
        let kinds = ["error", "truncated", "changed", "gone"]
        var last = Self.made(5000, seed: 20)
        for (number, kind) in kinds.enumerated() {
            last = Self.made(5000, seed: UInt64(20 + number))
            try await way.be(kind, times: 1)
            let hash = try await Self.store(last, in: storage).hash
            try await way.be(kind, times: 1)
            #expect(try await Self.bytes(hash, in: storage) == last, "\(kind)")
            try await way.be(kind, times: 1)
            #expect(try await storage.withLocalFile(hash) { try Data(contentsOf: $0) } == Data(last), "\(kind)")
        }
        let never = Self.made(5000, seed: 30)
        for kind in kinds {
            try await way.be(kind)
            await #expect(throws: StorageError.self, "\(kind)") {
                try await Self.bytes(ContentHash(hashing: last), in: storage)
            }
            // An answer without a body cannot end early.
            guard kind != "truncated" else { continue }
            await #expect(throws: StorageError.self, "\(kind)") { try await Self.store(never, in: storage) }
        }
        try await way.be("none")
        #expect(try await storage.size(of: ContentHash(hashing: never)) == nil)
        #expect(try await Self.bytes(ContentHash(hashing: last), in: storage) == last)
    }

    /// A machine whose clock is wrong signs as of the server's time once it has been told.
    private func clocks(_ scene: Bench) async throws {
        let file = ServedAs(mediaType: "application/pdf", disposition: "attachment")
        for (number, late) in [-7200.0, 7200].enumerated() {
            let storage = try await scene.storage(
                "clocks/", isPublic: true, clock: S3Clock { Date().addingTimeInterval(late) })
            let content = Self.made(900, seed: UInt64(40 + number))
            let object = try await Self.store(content, in: storage)
            #expect(try await Self.bytes(object.hash, in: storage) == content)
            guard case .redirect(let address) = try await storage.delivery(of: object.hash, as: file) else {
                Issue.record("no address")
                return
            }
            #expect(try await Self.outside.get(address).status == 200, "\(late) s")
        }
    }

    private func fallback(_ scene: Bench) async throws {
        let disk = try await DiskStorage.open(scene.scratch.url.appendingPathComponent("disk"))
        let bucket = try await scene.storage("fallback/", isPublic: true)
        let storage = FallbackStorage(bucket, disk)
        let (old, new) = (Self.made(500, seed: 8), Self.made(600, seed: 9))
        let first = try await Self.store(old, in: disk).hash
        let second = try await Self.store(new, in: storage).hash
        #expect(try await disk.size(of: second) == nil)
        #expect(try await Self.bytes(first, in: storage) == old)
        #expect(try await Self.bytes(second, in: storage) == new)
        #expect(try await storage.withLocalFile(first) { try Data(contentsOf: $0) } == Data(old))
        let file = ServedAs(mediaType: "application/pdf", disposition: "attachment")
        #expect(try await storage.delivery(of: first, as: file) == nil)
        #expect(try await storage.delivery(of: second, as: file) != nil)
        _ = try await Self.store(new, in: disk)
        let dates = try await Self.hashes(in: storage)
        #expect(Set(dates.keys) == [first, second])
        try await storage.remove(second)
        #expect(try await disk.size(of: second) == nil)
        await #expect(throws: StorageError.missing(second)) { _ = try await storage.read(second, range: nil) }
    }

    /// A market on a folder moves into the bucket while it serves, and back.
    private func market(_ scene: Bench) async throws {
        let data = scene.scratch.url.appendingPathComponent("data")
        let bucket = scene.server.bucket(prefix: "market/", isPublic: true)
        let settings = scene.server.settings(of: bucket)
        let market = try await RunningMarket(data: data, examples: true, environment: settings)
        // Opened now: a folder that is there does not begin as a copy of one with examples.
        let disk = try await DiskStorage.open(data.appendingPathComponent("storage"))
        let before = try await Self.hashes(in: disk)
        #expect(!before.isEmpty)
        try await download(from: market, isDirect: false)

        let copied = try await move("s3", data, settings)
        #expect(copied.contains("0 removed"), "\(copied)")
        try await download(from: market, isDirect: true)
        let moved = try await move("s3", data, settings, "--remove-source")
        #expect(moved.contains("0 objects copied"), "\(moved)")
        #expect(try await Self.hashes(in: disk).isEmpty)
        try await download(from: market, isDirect: true)
        // What is uploaded now is read out of the bucket.
        let author = try await market.person("ada")
        let moderator = try await market.person("moritz", role: .moderator)
        _ = try await Scene.publish(
            "Kept elsewhere", file: try Scene.sheet("oathbound-journal"), as: author, approvedBy: moderator)
        #expect(try await Self.hashes(in: disk).isEmpty)
        let verified = try await Command.run(
            BuildProducts.executable("sheetmarket"), ["verify", "--data", data.path], environment: settings)
        #expect(verified.status == 0, "\(verified)")
        #expect(await market.stop() == 0)

        let back = try await move(
            "disk", data, settings.merging(["SHEETMARKET_STORAGE_PRIMARY": "disk"]) { $1 }, "--remove-source")
        #expect(!back.contains(" 0 objects copied"), "\(back)")
        let again = try await RunningMarket(data: data)
        try await download(from: again, isDirect: false)
        #expect(await again.stop() == 0)
    }

    private func move(
        _ kind: String, _ data: URL, _ settings: [String: String], _ options: String...
    ) async throws -> String {
        let outcome = try await Command.run(
            BuildProducts.executable("sheetmarket"), ["storage", "move", "--to", kind, "--data", data.path] + options,
            environment: settings)
        #expect(outcome.status == 0, "\(outcome)")
        return outcome.output
    }

    /// Downloads an example by its signed address, from the market or from where it sends on to.
    private func download(from market: RunningMarket, isDirect: Bool) async throws {
        let list: TemplateList = try await market.http.get("\(Paths.base)/templates?limit=1").json()
        let slug = try #require(list.templates.first?.slug)
        let ticket: DownloadTicket = try await market.http.get(
            "\(Paths.base)/templates/\(slug)/versions/latest/download?redirect=false"
        ).json()
        var answer = try await market.http.get(ticket.url)
        if isDirect {
            #expect(answer.status == 307)
            let address = try #require(answer.headers.first(name: "location"))
            answer = try await Self.outside.get(address)
        }
        #expect(answer.status == 200)
        #expect(ContentHash(hashing: Data(Array(buffer: answer.body))) == ticket.sha256)
    }
}
