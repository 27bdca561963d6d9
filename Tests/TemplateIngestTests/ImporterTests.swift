// SPDX-License-Identifier: Apache-2.0
import CharacterCore
import Foundation
import IngestWire
import Logging
import SheetCore
import SystemPackage
import Testing

@testable import TemplateIngest

extension Workbench {
    static var importerProgram: FilePath {
        FilePath(URL(fileURLWithPath: executable.string).deletingLastPathComponent().path + "/sheet-import")
    }

    static var request: ReaderRequest { ReaderRequest(limits: .calm, previewWidths: []) }

    /// The pipeline of the service: PDF, what is built in, and these plugins.
    static func pipeline(_ plugins: [PluginFolder] = [], limits: ImportLimits = .calm) -> IngestPipeline {
        let builtIn = ProgramImporter.builtIn(
            executable: importerProgram, reader: reader, request: request, limits: .calm)
        let outside = plugins.map {
            ProgramImporter.outside(
                $0, launcher: importerProgram, reader: reader, request: request, limits: limits)
        }
        return IngestPipeline(reader: reader, request: request, others: [builtIn] + outside)
    }

    func ingest(
        _ name: String, _ content: Data, plugins: [PluginFolder] = [], limits: ImportLimits = .calm
    ) async throws -> IngestOutcome {
        let path = try file(name, content)
        let quarantined = try QuarantinedFile(path: path, sha256: ContentHash(hashing: content), name: name)
        return try await Self.pipeline(plugins, limits: limits).ingest(quarantined)
    }

    static var root: URL { BuildRoot.url }
}

/// The package's root.
enum BuildRoot {
    static let url: URL = {
        var folder = URL(fileURLWithPath: #filePath)
        while folder.path != "/",
            !FileManager.default.fileExists(atPath: folder.appendingPathComponent("Package.swift").path)
        {
            folder.deleteLastPathComponent()
        }
        return folder
    }()
}

extension IngestOutcome {
    var blockers: [FindingCode] { findings.filter { $0.severity == .blocker }.map(\.code) }
}

@Suite("Importers that are built in")
struct ImporterTests {
    let bench: Workbench

    init() throws {
        bench = try Workbench()
    }

    /// A sheet of one page.
    static func sheet() -> Data {
        var builder = PDFBuilder()
        builder.addPage("BT /F1 14 Tf 40 780 Td (Skills) Tj ET 30 500 300 300 re S")
        return builder.data()
    }

    static let regions = [
        ZoomRegion(
            id: "skills", name: "Skills", rect: .init(x: 0.125, y: 0.25, width: 0.5, height: 0.25), pageIndex: 0,
            confidence: 0.75, source: .corrected),
        ZoomRegion(
            id: "notes", name: "Notes", rect: .init(x: 0, y: 0.5, width: 1, height: 0.5), pageIndex: 0,
            source: .preset),
    ]

    static func bundle(_ artifact: Data, kind: TemplateKind = .sheet, regions: [ZoomRegion] = regions) throws -> Data {
        let file = BundleManifest.File(
            path: "artifact/template.\(kind.fileSuffix)", mediaType: kind.mediaType, sizeBytes: artifact.count,
            sha256: ContentHash(hashing: artifact))
        let manifest = BundleManifest(
            kind: kind,
            metadata: DraftMetadata(
                name: "Quest", summary: "For quests.", description: "Long\nstory.", gameSystem: "dnd5e",
                tags: ["fantasy"], license: "CC-BY-4.0", language: "en", version: "1.2.0", changelog: "New."),
            author: "ada", origin: nil, artifact: file, fileName: "Quest.\(kind.fileSuffix)", pictures: [])
        var zip = ZipWriter()
        try zip.add(BundleManifest.path, JSONEncoder().encode(manifest))
        if kind.hasPages {
            try zip.add(
                BundleManifest.regionsPath,
                JSONEncoder().encode(BundleRegions(pages: [.init(index: 0, regions: regions)])))
        }
        try zip.add(file.path, artifact)
        return zip.finish()
    }

    @Test("a sheet bundle becomes the file in it, with its metadata and regions, whatever it is called")
    func bundles() async throws {
        let sheet = Self.sheet()
        for name in ["quest.sheetbundle", "quest.zip", "quest"] {
            let outcome = try await bench.ingest(name, Self.bundle(sheet))
            #expect(outcome.verdict == .accepted, "\(outcome.findings)")
            #expect(outcome.draft.importer == "sheetbundle")
            #expect(outcome.draft.artifact?.sha256 == ContentHash(hashing: sheet))
            #expect(outcome.draft.report.value.sha256 == ContentHash(hashing: sheet))
            #expect(outcome.draft.report.value.pages.flatMap(\.regions) == Self.regions)
            #expect(outcome.draft.metadata.version == "1.2.0")
            #expect(outcome.draft.metadata.description == "Long\nstory.")
            #expect(outcome.draft.fileName == "Quest.pdf")
            #expect(outcome.findings.first?.code == .importerChosen)
        }
    }

    @Test("the sheet in a bundle is read as a stranger's")
    func hostileSheetInBundle() async throws {
        var builder = PDFBuilder()
        builder.addPage("0 0 10 10 re S")
        builder.catalog = "/OpenAction << /S /JavaScript /JS (app.alert\\(1\\)) >>"
        let outcome = try await bench.ingest("bad.sheetbundle", Self.bundle(builder.data(), regions: []))
        #expect(outcome.blockers == [.javascript])
    }

    @Test("regions of a bundle that are on no page are left out and told of")
    func strayRegions() async throws {
        let stray = ZoomRegion(
            id: "stray", name: "Stray", rect: .init(x: 0, y: 0, width: 1, height: 1), pageIndex: 7, source: .preset)
        let outcome = try await bench.ingest("s.sheetbundle", Self.bundle(Self.sheet(), regions: [stray]))
        #expect(outcome.verdict == .accepted)
        #expect(outcome.findings.contains { $0.code == .regionDropped && $0.severity == .warning })
    }

    @Test("JSON templates are recognized by what is in them and come with an outline")
    func jsonTemplates() async throws {
        let files: [(name: String, text: String, kind: TemplateKind, importer: String)] = [
            (
                "a.fstemplate",
                #"{"formatVersion":"1.0","name":"S","templates":[{"id":"a","name":"A","scope":"local"}]}"#,
                .skillLibrary, "fstemplate"
            ),
            (
                "noname",
                #" {"templateID":"t","name":"P","version":"1","regions":[{"id":"a","name":"A","pageIndex":0,"#
                    + #""rect":{"x":0,"y":0,"width":1,"height":1},"scale":1}]}"#,
                .regionPreset, "region-preset"
            ),
            (
                "w.json", "\u{FEFF}" + #"{"korean_words":[{"word":"검","romanization":"geom","meaning":"sword"}]}"#,
                .vocabulary, "vocabulary"
            ),
        ]
        for file in files {
            let outcome = try await bench.ingest(file.name, Data(file.text.utf8))
            #expect(outcome.verdict == .accepted, "\(file.name): \(outcome.findings)")
            #expect(outcome.draft.kind == file.kind && outcome.draft.importer == file.importer)
            #expect(outcome.draft.artifact == nil && outcome.draft.report.value.pageCount == 0)
            #expect(outcome.draft.outline?.sections.isEmpty == false)
            let packed = try await bench.ingest(
                "x.sheetbundle", Self.bundle(Data(file.text.utf8), kind: file.kind))
            #expect(packed.draft.kind == file.kind && packed.draft.outline == outcome.draft.outline)
            #expect(packed.draft.artifact?.sha256 == ContentHash(hashing: Data(file.text.utf8)))
        }
    }

    @Test("a preset that says by what its pages are known brings them along, by itself and in a bundle")
    func knownPreset() async throws {
        let text =
            #"{"templateID":"t","name":"P","version":"1","regions":[{"id":"a","name":"A","pageIndex":0,"#
            + #""rect":{"x":0,"y":0,"width":1,"height":1},"scale":1}],"#
            + #""pages":[{"pageIndex":0,"width":595,"height":842,"lookHash":"00000000000000ff"}]}"#
        let outcome = try await bench.ingest("p.json", Data(text.utf8))
        #expect(outcome.draft.preset?.pages?.first?.signature?.look.bits == 0xff)
        #expect(outcome.draft.preset?.regions.map(\.id) == ["a"])
        let packed = try await bench.ingest("x.sheetbundle", Self.bundle(Data(text.utf8), kind: .regionPreset))
        #expect(packed.draft.preset == outcome.draft.preset && packed.draft.preset != nil)
        let broken = try await bench.ingest("p.json", Data(text.replacing("0ff\"", with: "0FF\"").utf8))
        #expect(broken.blockers == [.invalidFormat])
        #expect(broken.findings.last?.message.contains("/pages/0/lookHash") == true)
    }

    @Test("what an importer says of a preset is checked like the rest")
    func hostilePresets() throws {
        let region = ZoomRegion(id: "a", name: "A", rect: .init(x: 0, y: 0, width: 1, height: 1), pageIndex: 0)
        let page = RegionPreset.Page(
            pageIndex: 0, .init(width: 595, height: 842, look: Fingerprint(bits: 1), text: nil))
        var preset = RegionPreset(templateID: "t", name: "P", version: "1", regions: [region], pages: [page])
        func passes(_ kind: TemplateKind) throws -> Bool {
            let result = ImportLine.Result(
                kind: kind, artifact: .init(source: .input, mediaType: kind.mediaType), preset: preset)
            var answer = ImportAnswer(request: ImportRequest(.import))
            let line = [UInt8](try JSONEncoder().encode(ImportLine.result(result)))
            return (try? answer.take(line)) != nil || answer.result != nil
        }
        #expect(try passes(.regionPreset))
        #expect(try !passes(.vocabulary))
        preset.pages?[0].lookHash = "f"
        #expect(try !passes(.regionPreset))
        preset.pages?[0].lookHash = page.lookHash
        preset.name = "\u{202E}"
        #expect(try !passes(.regionPreset))
    }

    @Test("what is wrong with a JSON template is a finding with its place")
    func wrongJSON() async throws {
        let text = #"{"formatVersion":"1.0","name":"S","templates":[{"id":"a","scope":"local"}]}"#
        let outcome = try await bench.ingest("a.fstemplate", Data(text.utf8))
        #expect(outcome.blockers == [.invalidFormat])
        #expect(outcome.findings.last?.message.contains("/templates/0/name") == true)
    }

    @Test("files that nobody knows are refused in words")
    func unknown() async throws {
        #expect(try await bench.ingest("a.json", Data("{}".utf8)).blockers == [.unrecognized])
        var zip = ZipWriter()
        try zip.add("readme.txt", Data("hi".utf8))
        #expect(try await bench.ingest("a.zip", zip.finish()).blockers == [.unrecognized])
        #expect(try await bench.ingest("a.txt", Data("hi".utf8)).blockers == [.notAPDF])
        #expect(try await bench.ingest("a.sheetbundle", Data("hi".utf8)).blockers == [.malformed])
    }

    @Test("every hostile archive gets its finding, and the next file is read as if nothing had been")
    func hostileArchives() async throws {
        let folder = bench.folder.appendingPathComponent("archives")
        let script = BuildRoot.url.appendingPathComponent("Tests/Fixtures/make_archives.py")
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
        process.arguments = [script.path, folder.path]
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        #expect(names.count >= 25)
        for name in names where name != "good.sheetbundle" {
            let data = try Data(contentsOf: folder.appendingPathComponent(name))
            let outcome = try await bench.ingest(name, data)
            let expected = name.split(separator: "-").first.map(String.init) ?? ""
            #expect(outcome.blockers.map(\.rawValue) == [expected], "\(name): \(outcome.findings)")
            // The reader of characters' archives, on people's devices, says the same of what is wrong with the ZIP.
            var found: FindingCode?
            do throws(ArchiveFailure) {
                let zip = try ZipReader(data)
                for name in zip.names { _ = try zip.read(name) }
            } catch { found = error.code }
            let ofZip: Set<FindingCode> = [
                .archivePath, .archiveLink, .archiveDuplicate, .archiveTooLarge, .decompressionBomb, .encrypted,
                .malformed,
            ]
            if found != nil || ofZip.contains(where: { $0.rawValue == expected }) {
                #expect(found?.rawValue == expected, "\(name)")
            }
        }
        let good = try await bench.ingest(
            "good.sheetbundle", Data(contentsOf: folder.appendingPathComponent("good.sheetbundle")))
        #expect(good.verdict == .accepted)
    }

    @Test("no byte of the person's data in a character archive gets any further")
    func characterArchive() async throws {
        let sheet = Self.sheet()
        let secrets = ["Isolde Ravenmark", "hunter2", "ssn 123-45", "portrait-bytes-here", "secret-diary"]
        var zip = ZipWriter()
        try zip.add(
            "manifest.json",
            Data(
                #"""
                {"format":"ttrpg","formatVersion":"1.0","owner":{"name":"Isolde Ravenmark","password":"hunter2"},
                 "template":{"path":"template/sheet.pdf","name":"Quest","gameSystem":"dnd5e","license":"CC-BY-4.0",
                             "lastUsedBy":"ssn 123-45"}}
                """#.utf8))
        try zip.add("character/Isolde Ravenmark.json", Data(#"{"notes":"hunter2"}"#.utf8))
        try zip.add("character/portrait.webp", Data("portrait-bytes-here".utf8))
        try zip.add("template/sheet.pdf", sheet)
        try zip.add("secret-diary.txt", Data("secret-diary".utf8))
        let outcome = try await bench.ingest("Isolde Ravenmark.ttrpg", zip.finish())
        #expect(outcome.verdict == .accepted, "\(outcome.findings)")
        #expect(outcome.draft.importer == "ttrpg")
        #expect(outcome.draft.artifact?.sha256 == ContentHash(hashing: sheet))
        #expect(outcome.draft.metadata == DraftMetadata(name: "Quest", gameSystem: "dnd5e", license: "CC-BY-4.0"))
        #expect(outcome.findings.contains { $0.code == .personalDataLeftOut })
        let artifact = try Data(contentsOf: URL(fileURLWithPath: outcome.draft.artifact?.path.string ?? ""))
        var dumped = ""
        dump(outcome, to: &dumped)
        for secret in secrets {
            #expect(artifact.range(of: Data(secret.utf8)) == nil)
            #expect(!dumped.contains(secret), "\(secret)")
        }
    }

    @Test("of an archive as `sheets` writes it the market takes the template, and no byte of the person's")
    func exportedCharacter() async throws {
        let sheet = Self.sheet()
        let secret = "hunter2-of-Isolde"
        let template = CharacterTemplate(sha256: ContentHash(hashing: sheet), name: "Quest", license: "CC-BY-4.0")
        let character = PlayerCharacter(
            id: .make(), name: secret, template: template, notes: secret, createdAt: Date(),
            unknown: ["diary": .string(secret)])
        let box = TextBox(secret, in: PageRect(x: 0, y: 0, width: 9, height: 9))
        let id = EditID(device: .make(), number: 1)
        let drawing = PageDrawing(
            size: PageSize(width: 612, height: 792), elements: [PageElement(id: id, order: 1, .text(box))])
        let data = try CharacterArchive.write(
            [
                ArchivedCharacter(
                    SheetContent(character: character, drawings: [0: drawing]), template: sheet,
                    others: ["diary.txt": Data(secret.utf8)])
            ], at: Date())
        #expect(data.range(of: Data(secret.utf8)) != nil)
        let outcome = try await bench.ingest("\(secret).ttrpg", data)
        #expect(outcome.verdict == .accepted && outcome.draft.importer == "ttrpg", "\(outcome.findings)")
        #expect(outcome.draft.artifact?.sha256 == ContentHash(hashing: sheet))
        #expect(outcome.draft.metadata == DraftMetadata(name: "Quest", license: "CC-BY-4.0"))
        let artifact = try Data(contentsOf: URL(fileURLWithPath: outcome.draft.artifact?.path.string ?? ""))
        var dumped = ""
        dump(outcome, to: &dumped)
        for mark in [secret, character.id.description, id.description] {
            #expect(artifact.range(of: Data(mark.utf8)) == nil && !dumped.contains(mark))
        }
    }

    @Test("a template that is not the one which the manifest promises is not taken")
    func changedTemplate() async throws {
        let sheet = Self.sheet()
        func archive(_ promised: ContentHash) throws -> Data {
            var zip = ZipWriter()
            let manifest =
                #"{"format":"ttrpg","formatVersion":"1.0","template":{"path":"template/a.pdf","name":"Quest","sha256":""#
                + "\(promised)" + #""}}"#
            try zip.add("manifest.json", Data(manifest.utf8))
            try zip.add("template/a.pdf", sheet)
            return zip.finish()
        }
        #expect(try await bench.ingest("a.ttrpg", archive(ContentHash(hashing: sheet))).verdict == .accepted)
        let changed = try await bench.ingest("a.ttrpg", archive(ContentHash(hashing: Data())))
        #expect(changed.blockers == [.invalidFormat])
        #expect(changed.findings.contains { $0.message.contains("promises") })
    }

    @Test("a character archive takes its template from its own folder only")
    func characterArchivePaths() async throws {
        func archive(_ manifest: String, _ names: [String]) throws -> Data {
            var zip = ZipWriter()
            if !manifest.isEmpty { try zip.add("manifest.json", Data(manifest.utf8)) }
            for name in names { try zip.add(name, Self.sheet()) }
            return zip.finish()
        }
        let outside = #"{"format":"ttrpg","template":{"path":"character/filled.pdf"}}"#
        #expect(
            try await bench.ingest("a.ttrpg", archive(outside, ["character/filled.pdf"])).blockers == [.invalidFormat])
        #expect(try await bench.ingest("a.ttrpg", archive("", ["character/a.pdf"])).blockers == [.invalidFormat])
        #expect(
            try await bench.ingest("a.ttrpg", archive("", ["template/a.pdf", "template/b.pdf"])).blockers
                == [.invalidFormat])
        let bare = try await bench.ingest("a.zip", archive("", ["template/a.pdf", "character/b.json"]))
        #expect(bare.verdict == .accepted && bare.draft.importer == "ttrpg")
    }

    @Test("a cancelled import ends as cancelled, not as the file's fault")
    func cancellation() async throws {
        let bundle = try Self.bundle(Self.sheet())
        let path = try bench.file("c.sheetbundle", bundle)
        let file = try QuarantinedFile(path: path, sha256: ContentHash(hashing: bundle), name: "c.sheetbundle")
        for _ in 0..<100 {
            let task = Task { try await Workbench.pipeline().ingest(file) }
            try await Task.sleep(for: .milliseconds(3))
            task.cancel()
            // On a busy machine the import may be over before it is cancelled.
            guard case .failure(let error) = await task.result else { continue }
            #expect(error is CancellationError, "\(error)")
            return
        }
        Issue.record("no import was under way when it was cancelled")
    }
}
