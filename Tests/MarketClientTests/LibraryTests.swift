// SPDX-License-Identifier: Apache-2.0
import Foundation
import Hummingbird
import MarketClient
import MarketWire
import SheetCore
import Synchronization
import Testing

@Suite struct LibraryTests {
    let sheet = SampleSheet()
    let first = SemanticVersion(1, 0, 0)
    let second = SemanticVersion(1, 1, 0)

    /// A library with the template installed, whose server is gone.
    private func installed(_ scratch: Scratch, _ versions: [SemanticVersion]? = nil) async throws -> Installer {
        try await withStub(sheet.market()) { server in
            for version in versions ?? [first] {
                _ = try await server.installer(scratch).install(.init(key: sheet.slug, version: version))
            }
            return try server.installer(scratch)
        }
    }

    private func spoil(_ path: String) throws {
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
        var data = try #require(FileManager.default.contents(atPath: path))
        data[data.count / 2] ^= 1
        try data.write(to: URL(fileURLWithPath: path))
    }

    @Test("a removed template is installed again without a network, with a notice")
    func offlineReinstall() async throws {
        let scratch = try Scratch()
        let installer = try await installed(scratch)
        let library = scratch.library
        try await library.uninstall(try library.find(sheet.slug), purge: false)
        #expect(try library.contents().installed == [])
        let notices = Mutex<[InstallEvent]>([])
        let outcome = try await installer.install(.quest) { event in notices.withLock { $0.append(event) } }
        #expect(outcome.offline && !outcome.downloaded)
        #expect(try library.contents().installed.map(\.template.slug) == [sheet.slug])
        #expect(notices.withLock { $0.count } == 1)
        let again = try await installer.install(.quest, mode: .offline)
        #expect(again.previous == first)
    }

    @Test("every version that was ever installed can be gone back to without a network")
    func offlineVersions() async throws {
        let scratch = try Scratch()
        let installer = try await installed(scratch, [first, second])
        #expect(try scratch.library.find(sheet.slug).installed?.version == second)
        _ = try await installer.install(.init(key: sheet.slug, version: first), mode: .offline)
        #expect(try scratch.library.find(sheet.slug).installed?.version == first)
        await #expect(throws: LibraryError.self) {
            try await installer.install(.init(key: sheet.slug, version: SemanticVersion(9, 0, 0)), mode: .offline)
        }
    }

    @Test("what was never installed needs the server, and says so as an outage")
    func neverInstalled() async throws {
        let scratch = try Scratch()
        let installer = try await installed(scratch)
        let error = await #expect(throws: MarketClientError.self) {
            try await installer.install(.init(key: "other-sheet"))
        }
        #expect(error?.isOutage == true)
        await #expect(throws: LibraryError.notInLibrary("other-sheet")) {
            try await installer.install(.init(key: "other-sheet"), mode: .offline)
        }
    }

    @Test("an intact library verifies, byte by byte")
    func verifyIntact() async throws {
        let scratch = try Scratch()
        _ = try await installed(scratch, [first, second])
        let report = try await scratch.library.verify()
        #expect(report.ok && report.problems == [] && report.leftovers == [])
        #expect(report.files == 3)  // The two versions share their picture.
        #expect(report.bytes == 700_000 + 2 * sheet.picture.count)
    }

    @Test("verify names the file that is damaged and the one that is missing; installing mends both")
    func verifyDamage() async throws {
        let scratch = try Scratch()
        _ = try await installed(scratch, [first, second])
        let library = scratch.library
        try spoil(library.objectPath(sheet.hash(first)))
        try FileManager.default.removeItem(atPath: library.objectPath(sheet.hash(second)))
        let report = try await library.verify()
        #expect(!report.ok)
        #expect(report.problems.map(\.kind) == [.missing, .damaged])
        #expect(report.problems.map(\.version) == [second, first])
        #expect(report.problems.map(\.installed) == [true, false])
        #expect(report.problems.map(\.path).last == library.objectPath(sheet.hash(first)))
        #expect(throws: LibraryError.self) { try library.openablePath(of: library.find(sheet.slug)) }
        try await withStub(sheet.market(offered: second)) { server in
            let installer = try server.installer(scratch)
            #expect(try await installer.install(.init(key: sheet.slug, version: first)).downloaded)
            #expect(try await installer.install(.quest).downloaded)
        }
        #expect(try await library.verify().ok)
    }

    @Test("a damaged file is not installed from the library")
    func damagedOffline() async throws {
        let scratch = try Scratch()
        let installer = try await installed(scratch)
        try spoil(scratch.library.objectPath(sheet.hash(first)))
        let error = await #expect(throws: LibraryError.self) {
            try await installer.install(.quest, mode: .offline)
        }
        #expect(error?.isVerificationFailure == true)
    }

    @Test("a record that cannot be read is reported, hides nothing else, and is mended by installing")
    func damagedRecord() async throws {
        let scratch = try Scratch()
        _ = try await installed(scratch)
        let library = scratch.library
        try spoil("\(library.root)/templates/\(sheet.id).json")
        try Data("{".utf8).write(to: URL(fileURLWithPath: "\(library.root)/templates/\(sheet.id).json"))
        let contents = try library.contents()
        #expect(contents.records == [] && contents.unreadable.count == 1)
        #expect(try await library.verify().problems.map(\.kind) == [.unreadable])
        try await withStub(sheet.market()) { server in
            let outcome = try await server.installer(scratch).install(.quest)
            #expect(!outcome.downloaded)
        }
        #expect(try await library.verify().ok)
    }

    @Test("what a killed process left behind does no harm and is cleaned up by the next installation")
    func crashLeftovers() async throws {
        let scratch = try Scratch()
        let library = scratch.library
        _ = try await installed(scratch)
        // Killed while a record was written, and between an object and its record.
        let draft = "\(library.root)/templates/.\(sheet.id).json.X.draft"
        try Data("{\"half".utf8).write(to: URL(fileURLWithPath: draft))
        let object = library.objectPath(sheet.hash(second))
        try FileManager.default.createDirectory(
            atPath: URL(fileURLWithPath: object).deletingLastPathComponent().path, withIntermediateDirectories: true)
        try Data(sheet.bytes(second)).write(to: URL(fileURLWithPath: object))
        #expect(try library.contents().installed.map { $0.installed?.version } == [first])
        let report = try await library.verify()
        #expect(report.ok && report.leftovers == [object])
        try await withStub(sheet.market(offered: second)) { server in
            let outcome = try await server.installer(scratch).install(.quest)
            #expect(!outcome.downloaded)
            #expect(server.seen("/files/1.1.0").isEmpty)
        }
        #expect(!FileManager.default.fileExists(atPath: draft))
        #expect(try await library.verify().leftovers == [])
    }

    @Test("downloads that nobody goes on with are swept up after a month, others are kept")
    func oldPartials() async throws {
        let scratch = try Scratch()
        let folder = scratch.library.root + "/partial"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        for (seed, days) in [(UInt8(1), 40.0), (2, 1)] {
            let path = "\(folder)/\(ContentHash(hashing: Data([seed]))).part"
            try Data("x".utf8).write(to: URL(fileURLWithPath: path))
            try FileManager.default.setAttributes(
                [.modificationDate: Date() - days * 86_400], ofItemAtPath: path)
        }
        _ = try await installed(scratch)
        #expect(scratch.files("partial") == ["\(ContentHash(hashing: Data([2]))).part"])
    }

    @Test("purging drops the files, but none that another template needs")
    func purge() async throws {
        let scratch = try Scratch()
        _ = try await installed(scratch, [first, second])
        var other = SampleSheet()
        other.slug = "other-sheet"
        let otherSheet = other
        try await withStub(otherSheet.market()) { server in
            _ = try await server.installer(scratch).install(.init(key: "other-sheet"))
        }
        let library = scratch.library
        let path = try library.openablePath(of: library.find(sheet.slug))
        try await library.uninstall(try library.find(sheet.slug), purge: true)
        #expect(!FileManager.default.fileExists(atPath: path))
        #expect(!FileManager.default.fileExists(atPath: library.objectPath(sheet.hash(second))))
        #expect(FileManager.default.fileExists(atPath: library.objectPath(sheet.hash(first))))
        #expect(throws: LibraryError.notInLibrary(sheet.slug)) { try library.find(sheet.slug) }
        let report = try await library.verify()
        #expect(report.ok && report.leftovers == [] && report.templates == 1)
    }

    @Test("a file opens under a plain name of our making, whatever name the server gave it")
    func openable() async throws {
        let scratch = try Scratch()
        _ = try await installed(scratch)
        let library = scratch.library
        let path = try library.openablePath(of: library.find(sheet.slug))
        #expect(path == "\(library.root)/open/\(sheet.id)/quest-sheet-1.0.0.pdf")
        #expect(FileManager.default.contents(atPath: path) == Data(sheet.bytes(first)))
        #expect(try library.openablePath(of: library.find(sheet.id.description)) == path)
        #expect(throws: LibraryError.self) { try library.openablePath(of: library.find(sheet.slug), version: second) }
    }

    @Test("a slug of two servers is settled by the server, or refused")
    func ambiguousSlug() async throws {
        let scratch = try Scratch()
        let installer = try await installed(scratch)
        var other = SampleSheet()
        other.id = .make()
        let otherSheet = other
        let server = try await withStub(otherSheet.market()) { server in
            _ = try await server.installer(scratch).install(.quest)
            return server.url
        }
        #expect(throws: LibraryError.self) { try scratch.library.find(sheet.slug) }
        #expect(try scratch.library.find(sheet.slug, server: server).template.id == other.id)
        #expect(try await installer.install(.quest, mode: .offline).record.template.id == sheet.id)
    }

    @Test("updates tell what is newer and note what was withdrawn")
    func updates() async throws {
        let scratch = try Scratch()
        let market = sheet.market(offered: second)
        let id = sheet.id
        let newer = second
        try await withStub { request, server in
            guard request.uri.path == "/api/v1/updates" else { return try await market(request, server) }
            return try .json(
                UpdateReport(
                    updates: [
                        .init(templateId: id, state: .yanked, genuine: true, newer: newer, reason: "Typos.")
                    ]))
        } _: { server in
            let installer = try server.installer(scratch)
            _ = try await installer.install(.init(key: sheet.slug, version: first))
            let updates = try await installer.checkForUpdates()
            #expect(updates.map(\.entry.newer) == [second])
            let saved = try #require(try scratch.library.find(sheet.slug).current)
            #expect(saved.detail.state == .yanked && saved.detail.yankReason == "Typos.")
            let outcome = try await installer.install(.init(key: id.description, version: second))
            #expect(outcome.previous == first && outcome.version == second)
        }
    }

    @Test("a list of records needs no regions")
    func brief() async throws {
        let scratch = try Scratch()
        try await withStub(sheet.market()) { server in
            _ = try await server.installer(scratch).install(.quest)
            var whole = try #require(try scratch.library.contents().records.first)
            let brief = try #require(try scratch.library.contents(brief: true).records.first)
            #expect(whole.versions.first?.regions.isEmpty == false)
            whole.versions[0].regions = []
            #expect(brief == whole)
        }
    }

    @Test("records of this format stay readable", arguments: ["record-1"])
    func recordFormat(name: String) throws {
        let record = try WireJSON.decoder().decode(LibraryRecord.self, from: Data(RecordFixtures.first.utf8))
        #expect(record.installed?.version == SemanticVersion("1.2.0-beta.1"))
        #expect(record.current?.regions.first?.regions.first?.name == "Skills")
        #expect(record.current?.preview?.mediaType == "image/webp")
        #expect(record.template.kind == .sheet)
        let encoder = WireJSON.encoder()
        encoder.outputFormatting.insert(.prettyPrinted)
        #expect(String(decoding: try encoder.encode(record), as: UTF8.self) == RecordFixtures.withChannel)
        let kinds = try WireJSON.decoder().decode(LibraryRecord.self, from: Data(RecordFixtures.withKind.utf8))
        #expect(kinds == record)
    }

    @Test("a library of a later format is left alone")
    func laterFormat() async throws {
        let scratch = try Scratch()
        let installer = try await installed(scratch)
        let root = scratch.library.root
        #expect(FileManager.default.contents(atPath: root + "/library.json") == Data("{\"format\":1}\n".utf8))
        try Data("{\"format\":2}".utf8).write(to: URL(fileURLWithPath: root + "/library.json"))
        let error = LibraryError.newerFormat(path: root, format: 2)
        #expect(throws: error) { try scratch.library.contents() }
        await #expect(throws: error) { try await installer.install(.quest, mode: .offline) }
    }

    @Test("names with and without versions are read strictly")
    func references() {
        #expect(TemplateReference("quest-sheet") == .quest)
        #expect(TemplateReference("quest-sheet@1.0.0")?.version == first)
        #expect(TemplateReference("quest-sheet@latest") == .quest)
        #expect(TemplateReference(sheet.id.description)?.key == sheet.id.description)
        for wrong in ["", "@1.0.0", "quest-sheet@", "quest-sheet@1", "../x", "Quest Sheet", "a@1.0.0@2.0.0"] {
            #expect(TemplateReference(wrong) == nil, "\(wrong)")
        }
    }
}
