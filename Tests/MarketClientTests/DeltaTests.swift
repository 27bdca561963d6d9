// SPDX-License-Identifier: Apache-2.0
import DictionaryCoding
import Foundation
import HTTPTypes
import Hummingbird
import MarketWire
import NIOCore
import SheetCore
import Synchronization
import Testing

@testable import MarketClient

extension SampleSheet {
    /// A sheet whose second version differs little from the first.
    static func edited() -> SampleSheet {
        var sheet = SampleSheet()
        let old = sheet.files[0].bytes
        sheet.files[1].bytes = old[..<90_000] + SampleSheet.bytes(700, seed: 9) + old[90_100...]
        return sheet
    }

    /// What differs from the version that a request names, as a market sends it; `nil` where it names none.
    static func difference(
        _ request: Request, _ bytes: [UInt8], of files: [[UInt8]]
    ) throws -> (bytes: Data, hash: ContentHash)? {
        guard let name = HTTPField.Name(DictionaryCompression.dictionaryField),
            request.headers[.acceptEncoding] == DictionaryCompression.coding,
            let base = request.headers[name].flatMap(DictionaryCompression.dictionary),
            let old = files.first(where: { ContentHash(hashing: Data($0)) == base })
        else { return nil }
        let frame = try DictionaryEncoder.encode(Data(bytes), dictionary: Data(old), limit: bytes.count / 2)
        return frame.map { (DictionaryCompression.header(of: base) + $0, base) }
    }

    /// A market that has differences, each of which `spoil` may change.
    func marketOfDifferences(
        offered: SemanticVersion = SemanticVersion(1, 1, 0),
        spoil: @escaping @Sendable (Data) -> Response = { .bytes($0) }
    ) -> StubServer.Handler {
        let all = files.map(\.bytes)
        return market(offered: offered) { request, server, bytes in
            guard let found = try SampleSheet.difference(request, bytes, of: all) else {
                return SampleSheet.serve(request, server, bytes)
            }
            var response = spoil(found.bytes)
            response.headers[.contentEncoding] = DictionaryCompression.coding
            response.headers[.eTag] = "\"of the difference\""
            return response
        }
    }
}

/// A decoder as `sheets` has one.
struct TestDecoder: DictionaryDecoder {
    private final class Frame: DictionaryDecoding {
        private let decoder: FrameDecoder
        var isComplete: Bool { decoder.isComplete }

        init(_ decoder: FrameDecoder) { self.decoder = decoder }

        func decode(_ piece: Data, _ take: (Data) throws -> Void) throws { try decoder.decode(piece, take) }
    }

    func begin(dictionary path: String) throws -> any DictionaryDecoding {
        Frame(try FrameDecoder(dictionary: path))
    }
}

@Suite("Updates that come as what differs from the version before")
struct DeltaTests {
    private let sheet = SampleSheet.edited()
    private let first = SemanticVersion(1, 0, 0)
    private let second = SemanticVersion(1, 1, 0)

    /// Installs the first version and then the second, and tells of the requests for the second's file.
    private func update(
        decoder: (any DictionaryDecoder)? = TestDecoder(), of sheet: SampleSheet? = nil,
        before: @Sendable (Library) throws -> Void = { _ in },
        spoil: @escaping @Sendable (Data) -> Response = { .bytes($0) }
    ) async throws -> (seen: [StubServer.Seen], progress: [TransferProgress]) {
        let scratch = try Scratch()
        let sheet = sheet ?? self.sheet
        return try await withStub(sheet.marketOfDifferences(spoil: spoil)) { server in
            let installer = Installer(client: try server.client(), library: scratch.library, decoder: decoder)
            _ = try await installer.install(try #require(TemplateReference("quest-sheet@1.0.0")))
            try before(scratch.library)
            let progress = Mutex<[TransferProgress]>([])
            let outcome = try await installer.install(.quest) { event in
                if case .downloading(let so) = event { progress.withLock { $0.append(so) } }
            }
            #expect(outcome.version == second && outcome.downloaded)
            let stored = FileManager.default.contents(atPath: scratch.library.objectPath(sheet.hash(second)))
            #expect(stored == Data(sheet.bytes(second)))
            #expect(scratch.files("partial") == [])
            return (server.seen("/files/1.1.0"), progress.withLock { $0 })
        }
    }

    private static func dictionary(_ seen: StubServer.Seen) -> String? {
        HTTPField.Name(DictionaryCompression.dictionaryField).flatMap { seen.headers[$0] }
    }

    @Test("one request brings a file of 300 kB by less than 3 kB")
    func difference() async throws {
        let (seen, progress) = try await update()
        #expect(seen.map(Self.dictionary) == [DictionaryCompression.fieldValue(of: sheet.hash(first))])
        #expect(try #require(progress.last).bytes < 3000)
    }

    @Test("where the market has no difference, the same request brings the whole file")
    func whole() async throws {
        let (seen, progress) = try await update(of: SampleSheet())
        #expect(seen.count == 1)
        #expect(progress.last?.bytes == 400_000)
    }

    @Test("who cannot decode it does not ask for it")
    func noDecoder() async throws {
        let (seen, _) = try await update(decoder: nil)
        #expect(seen.map(Self.dictionary) == [nil] && seen.first?.headers[.acceptEncoding] == "identity")
    }

    /// What may be wrong with a difference.
    enum Fault: String, CaseIterable, Sendable {
        case anotherBase, corrupt, cutOff, brokenConnection, longer, bomb, noFrame, nothing, behindTheEnd, withoutEnd
        case otherFile

        func spoil(_ bytes: Data) -> Response {
            var other = bytes
            func frame(_ file: Data) -> Data {
                let base = Data(SampleSheet.edited().files[0].bytes)
                let frame = try? DictionaryEncoder.encode(file, dictionary: base, limit: 200_000)
                return DictionaryCompression.header(of: ContentHash(hashing: base)) + (frame ?? Data())
            }
            switch self {
            case .anotherBase: other[20] ^= 1
            case .corrupt: other[bytes.count - 9] ^= 0x55
            case .cutOff: other = bytes.dropLast(5)
            case .brokenConnection: return .truncated(Array(bytes), after: bytes.count / 2)
            case .longer: other = frame(Data(SampleSheet.edited().files[1].bytes) + [1])
            case .bomb: other = frame(Data(count: 10 << 20))
            case .noFrame: other = bytes.prefix(40) + Data(repeating: 7, count: 5000)
            case .nothing: other = Data()
            case .behindTheEnd: other.append(7)
            case .withoutEnd: other = bytes.prefix(40) + Data((0..<400_000).map { UInt8(truncatingIfNeeded: $0) })
            case .otherFile: other = frame(Data(SampleSheet.edited().files[1].bytes.dropLast()) + [1])
            }
            return .bytes(other)
        }
    }

    @Test("whatever is wrong with it, the whole file is fetched", arguments: Fault.allCases)
    func fault(_ fault: Fault) async throws {
        let (seen, _) = try await update(spoil: { fault.spoil($0) })
        #expect(seen.count == 2, "\(fault)")
        #expect(seen.map { Self.dictionary($0) == nil } == [false, true])
        #expect(seen.last?.headers[.range] == nil)
    }

    @Test("an older file that is damaged or gone costs the whole file, and nothing else")
    func damagedBase() async throws {
        let old = sheet.hash(first)
        let (seen, _) = try await update(before: { library in
            let path = library.objectPath(old)
            var bytes = try #require(FileManager.default.contents(atPath: path))
            bytes[1000] ^= 1
            try FileManager.default.removeItem(atPath: path)
            try bytes.write(to: URL(fileURLWithPath: path))
        })
        #expect(seen.count == 2)
        let (without, _) = try await update(before: { try FileManager.default.removeItem(atPath: $0.objectPath(old)) })
        #expect(without.map(Self.dictionary) == [nil])
    }

    @Test("what a stopped process left of it is gone on with as with any other part")
    func stopped() async throws {
        let part = Data(sheet.bytes(second).prefix(1000))
        let hash = sheet.hash(second)
        let (seen, _) = try await update(before: { library in
            try part.write(to: URL(fileURLWithPath: library.partialPath(hash)))
        })
        #expect(seen.map { $0.headers[.range] } == ["bytes=1000-"])
    }

    @Test("the command asks for it")
    func command() async throws {
        let scratch = try Scratch()
        try await withStub(sheet.marketOfDifferences()) { server in
            for name in ["quest-sheet@1.0.0", "quest-sheet"] {
                let run = try await CommandLineRun.sheets("install", name, in: scratch, server: server.url)
                #expect(run.status == 0, "\(run)")
            }
            #expect(server.seen("/files/1.1.0").compactMap(Self.dictionary).count == 1)
            #expect(try scratch.library.find("quest-sheet").installed?.version == second)
            #expect(try await scratch.library.verify().ok)
        }
    }

    private actor Gauge {
        private(set) var now = 0
        private(set) var most = 0

        func add(_ count: Int) {
            now += count
            most = max(most, now)
        }
    }

    @Test("large ones take turns at the memory that there is")
    func turns() async throws {
        let slots = TransferSlots(24)
        let gauge = Gauge()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for count in [24, 1, 12, 12, 24, 5, 7, 20, 3, 24] {
                group.addTask {
                    try await slots.use(count) {
                        await gauge.add(count)
                        try await Task.sleep(for: .milliseconds(3))
                        await gauge.add(-count)
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(await gauge.now == 0)
        #expect(await gauge.most <= 24)
    }
}
