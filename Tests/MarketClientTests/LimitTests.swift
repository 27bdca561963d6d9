// SPDX-License-Identifier: Apache-2.0
import Foundation
import Hummingbird
import MarketWire
import NIOCore
import SheetCore
import Synchronization
import Testing

@testable import MarketClient

@Suite("Numbers and lists of others that are beyond all measure, and files that are damaged")
struct LimitTests {
    private static let nowhere = "http://127.0.0.1:1"
    private let sheet = SampleSheet()
    private let first = SemanticVersion(1, 0, 0)

    // MARK: - Numbers

    private static let impossible = ["1e300", "-1", "9223372036854775807"]

    /// A value as JSON, with something else in the place of a member.
    private func json(_ value: some Encodable, _ member: String, as other: String) throws -> Data {
        let text = String(decoding: try WireJSON.encoder().encode(value), as: UTF8.self)
        try #require(text.contains(member), "\(text)")
        return Data(text.replacing(member, with: other).utf8)
    }

    private func expectLimits<Value: Codable>(_ value: Value, _ members: String...) throws {
        for member in members {
            let name = member.prefix { $0 != ":" }
            for number in Self.impossible {
                let other = member.hasSuffix("]") ? "\(name):[\(number)]" : "\(name):\(number)"
                let data = try json(value, member, as: other)
                #expect(throws: DecodingError.self, "\(other)") {
                    try WireJSON.decoder().decode(Value.self, from: data)
                }
            }
            _ = try WireJSON.decoder().decode(Value.self, from: try json(value, member, as: member))
        }
    }

    @Test("what the catalog says of versions, pages, files and pictures is within limits, or is not read")
    func catalogNumbers() throws {
        try expectLimits(sheet.detail(first), "\"sizeBytes\":300000", "\"index\":0", "\"width\":612", "\"height\":792")
        try expectLimits(sheet.offer(first).download, "\"sizeBytes\":300000")
        try expectLimits(sheet.regions, "\"index\":0", "\"pageIndex\":0")
        try expectLimits(MirrorEntry.Picture(page: 0, sha256: sheet.hash(first)), "\"page\":0")
        let kept = LibraryRecord.Preview(sha256: sheet.hash(first), sizeBytes: 19, mediaType: "image/png")
        try expectLimits(LibraryRecord.PagePreview(page: 0, picture: kept), "\"page\":0", "\"sizeBytes\":19")
        let last = try json(sheet.regions, "\"index\":0", as: "\"index\":100000")
        #expect(try WireJSON.decoder().decode(RegionList.self, from: last).pages.map(\.index) == [100_000])
    }

    @Test("so is what a finding or a zoom region says of its page, and what changed between versions")
    func otherNumbers() throws {
        try expectLimits(Finding(.noFormFields, .warning, page: 0, message: "Nothing to fill in."), "\"page\":0")
        try expectLimits(sheet.regions.pages[0].regions[0], "\"pageIndex\":0")
        let size = PageChange.Size(width: 612, height: 792)
        let page = PageChange(from: 3, to: 4, ink: .shifted, transform: .identity, size: size)
        let changes = VersionChanges(since: first, ink: .shifted, pagesAdded: [1], pagesRemoved: [2], pages: [page])
        try expectLimits(
            changes, "\"pagesAdded\":[1]", "\"pagesRemoved\":[2]", "\"from\":3", "\"to\":4", "\"width\":612",
            "\"height\":792")
    }

    @Test(
        "such a number of a market's ends a command with an error, and not the program",
        arguments: ["\"index\":0", "\"width\":612", "\"sizeBytes\":300000"], impossible)
    func toldNumber(_ member: String, _ number: String) async throws {
        let (plain, path) = (sheet.market(), Paths.template(sheet.slug))
        let other = try json(sheet.offer(first).template, member, as: "\(member.prefix { $0 != ":" }):\(number)")
        try await withStub { request, server in
            request.uri.path == path ? .bytes(other) : try await plain(request, server)
        } _: { server in
            let run = try await CommandLineRun.sheets("show", sheet.slug, in: try Scratch(), server: server.url)
            #expect(run.status == 1 && run.errors.contains("answer cannot be understood: \(path) gave"), "\(run)")
        }
    }

    @Test("a finding on a page that nobody can count to does neither")
    func toldFinding() async throws {
        let finding = Finding(.noFormFields, .warning, page: 0, message: "There is nothing to fill in.")
        let status = SubmissionStatus(
            id: .make(), state: .published, progress: .init(fraction: 1, step: "done"), findings: [finding],
            templateId: .make(), templateSlug: "quest-sheet", templateName: "Quest Sheet", version: first, caseId: nil,
            fileName: "a.pdf", sizeBytes: 1, sha256: sheet.hash(first), pageCount: nil, decision: nil,
            createdAt: SampleSheet.time, updatedAt: SampleSheet.time)
        let answer = try json(status, "\"page\":0", as: "\"page\":9223372036854775807")
        try await withStub { _, _ in
            .bytes(answer)
        } _: { server in
            let run = try await CommandLineRun.sheets(
                "status", status.id.description, in: try Scratch(), server: server.url)
            #expect(run.status == 1 && run.errors.contains("It must be from 0 to 100000"), "\(run)")
        }
    }

    @Test("nor does one that a library has from before")
    func keptNumber() async throws {
        let scratch = try Scratch()
        try await withStub(sheet.market()) { server in _ = try await server.installer(scratch).install(.quest) }
        let path = scratch.library.recordPath(sheet.id)
        let text = try String(contentsOfFile: path, encoding: .utf8)
        try #require(text.contains("\"index\":0"))
        try Data(text.replacing("\"index\":0", with: "\"index\":9223372036854775807").utf8)
            .write(to: URL(fileURLWithPath: path))
        let run = try await CommandLineRun.sheets(
            "show", "--offline", sheet.slug, in: scratch, server: Self.nowhere)
        #expect(run.status == 3 && run.errors.contains(path), "\(run)")
    }

    // MARK: - Lists

    @Test("empty pages in a row end a list with an error where each has another cursor, and a few do not")
    func emptyPages() async throws {
        /// Of every so many pages one has an element; there are a thousand.
        func list(oneIn count: Int, _ asked: @escaping @Sendable () -> Int) -> CursorSequence<Int> {
            CursorSequence { _ in
                let number = asked()
                return (number % count == 0 ? [number] : [], number < 1000 ? "\(number)" : nil)
            }
        }
        let asked = Mutex(0)
        @Sendable func count() -> Int {
            asked.withLock { asked in
                asked += 1
                return asked
            }
        }
        await #expect(throws: MarketClientError.unreadableAnswer("a list has no end")) {
            _ = try await list(oneIn: 2000, count).collect(upTo: 1)
        }
        #expect(asked.withLock { $0 } == 16)
        asked.withLock { $0 = 0 }
        #expect(try await list(oneIn: 10, count).all().count == 100)
    }

    @Test("a cursor that is too long to be sent in an address is refused", arguments: [4096, 4097])
    func longCursor(_ count: Int) async throws {
        let list = CursorSequence<Int> { cursor in ([1], cursor == nil ? String(repeating: "c", count: count) : nil) }
        guard count > 4096 else {
            #expect(try await list.all() == [1, 1])
            return
        }
        await #expect(throws: MarketClientError.unreadableAnswer("the cursor of a list is too long")) {
            try await list.all()
        }
    }

    @Test("all of a list is no more bytes together than may be kept; who reads along may go on")
    func bytes() async throws {
        let summary = sheet.summary(first)
        let page = try WireJSON.encoder().encode(TemplateList(templates: [summary], nextCursor: "10")).count
        try await withStub { _, server in
            let number = server.seen().count
            return try .json(TemplateList(templates: [summary], nextCursor: number < 99 ? "\(number)" : nil))
        } _: { server in
            let templates = try server.client().templates()
            let refusal = MarketClientError.unreadableAnswer("a list is larger than any that can be kept")
            await #expect(throws: refusal) {
                try await templates.all(upTo: 4 * page)
            }
            #expect(server.seen().count == 5)
            #expect(try await templates.collect(upTo: 10).count == 10)
            #expect(try await templates.all(upTo: 100 * page).count == 84)
        }
    }

    /// Nobody is asked by it.
    private struct NoTransport: HTTPTransport {
        func send(_ request: TransportRequest) async throws -> TransportResponse {
            throw HTTPTransportError.unreachable("there is nobody")
        }
    }

    @Test("a search of a mirror keeps the first in its order, and not the first that come")
    func mirrorSearch() async throws {
        let scratch = try Scratch()
        let lines = [3, 7, 1, 9, 5, 8, 2].map { downloads in
            var summary = sheet.summary(first)
            (summary.slug, summary.downloads) = ("sheet-\(downloads)", downloads)
            return summary
        }
        let file = URL(fileURLWithPath: "\(scratch.path)/\(MirrorEntry.namesPath)")
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        let encoder = WireJSON.encoder()
        try lines.map { try encoder.encode($0) + Data("\n".utf8) }.reduce(Data(), +).write(to: file)
        let catalog = MirrorCatalog(files: MirrorFiles(address: .folder(scratch.path), http: NoTransport()))
        let most = try await catalog.list(
            upTo: 2, sortedBy: { -$0.downloads }, where: { $0.downloads != 8 })
        #expect(most.map(\.downloads) == [9, 7])
        let least = try await catalog.list(upTo: 2, sortedBy: { $0.downloads }, where: { _ in true })
        #expect(least.map(\.downloads) == [1, 2])
    }

    // MARK: - Files

    /// Starts a program that may write to no more than anybody else, if these are root's tests.
    private static var plainly: [String] {
        geteuid() == 0
            ? ["/usr/bin/setpriv", "--bounding-set=-dac_override", "--inh-caps=-dac_override"] : []
    }

    @Test(
        "a download that ended between its sealing and its naming is taken up, or thrown away where it is damaged",
        arguments: [true, false])
    func sealed(_ isWhole: Bool) async throws {
        let scratch = try Scratch()
        let hash = sheet.hash(first)
        let part = scratch.library.partialPath(hash)
        try AtomicFile.makeFolder(AtomicFile.folder(of: part))
        let bytes = sheet.bytes(first)
        try Data(isWhole ? bytes : bytes.reversed()).write(to: URL(fileURLWithPath: part))
        try FileManager.default.setAttributes([.posixPermissions: 0o444], ofItemAtPath: part)
        try await withStub(sheet.market()) { server in
            let run = try await CommandLineRun.start(
                ["install", sheet.slug], in: scratch, server: server.url, through: Self.plainly
            ).end()
            #expect(run.status == 0, "\(run)")
            #expect(server.seen("/files/1.0.0").count == (isWhole ? 0 : 1))
        }
        let verified = try await scratch.library.verify()
        #expect(verified.ok && verified.templates == 1 && verified.leftovers == [], "\(verified)")
    }

    @Test("of a backup a file whose bytes are not what its name says is left out, and takes nothing's place")
    func putBack() async throws {
        let scratch = try Scratch()
        let library = scratch.library
        let (right, wrong) = (Data("a sheet".utf8), Data("a shoot".utf8))
        let hash = ContentHash(hashing: right)
        let path = "objects/\(hash.hex.prefix(2))/\(hash.hex)"
        #expect(try await library.putBack([path], replacing: true) { _ in wrong } == [.damaged])
        #expect(scratch.files("objects") == [])
        #expect(try await library.putBack([path], replacing: false) { _ in right } == [.put])
        #expect(try await library.putBack([path], replacing: true) { _ in wrong } == [.damaged])
        #expect(FileManager.default.contents(atPath: library.objectPath(hash)) == right)
    }

    @Test("a backup of a library with a damaged sheet brings back the rest, and says what is missing")
    func restored() async throws {
        let scratch = try Scratch()
        try await withStub(sheet.market()) { server in _ = try await server.installer(scratch).install(.quest) }
        let object = scratch.library.objectPath(sheet.hash(first))
        try FileManager.default.removeItem(atPath: object)
        try Data("other".utf8).write(to: URL(fileURLWithPath: object))
        let folder = "\(scratch.path)/backups"
        func sheets(_ words: String...) async throws -> CommandLineRun {
            try await CommandLineRun.start(words + ["--folder", folder], in: scratch, server: Self.nowhere).end()
        }
        let made = try await sheets("backup")
        #expect(made.status == 0, "\(made)")
        try FileManager.default.removeItem(atPath: scratch.library.root)
        let told = try await sheets("backup", "restore")
        #expect(told.status == 0, "\(told)")
        let damage = "left out 1 damaged file of sheets; `sheets verify --repair`"
        #expect(told.errors.contains(damage), "\(told)")
        #expect(try scratch.library.find(sheet.slug).installed?.version == first)
        #expect(!FileManager.default.fileExists(atPath: object))
        #expect(try await sheets("backup", "restore", "--json").json()["filesDamaged"] as? Int == 1)
    }
}
