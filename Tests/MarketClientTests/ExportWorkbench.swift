// SPDX-License-Identifier: Apache-2.0
import CharacterCore
import Foundation
import MarketClient
import SheetCore
import Synchronization
import Testing

/// A player with a character on a sheet, or on blank pages.
struct ExportPlayer {
    let scratch: Scratch
    /// As displayed.
    var sizes = [PageSize(width: 612, height: 792)]

    func callAsFunction(_ arguments: String..., status: Int32 = 0) async throws -> String {
        let run = try await CommandLineRun.start(arguments, in: scratch, server: "http://127.0.0.1:1").end()
        #expect(run.status == status, "\(arguments): \(run.output)\(run.errors)")
        return run.output + run.errors
    }
}

/// What tests of `sheets export` are made with.
enum ExportWorkbench {
    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appending(path: "../..").standardizedFileURL
    static let sheet = root.appending(path: "examples/sheets/lantern-and-blade.pdf").path

    /// The example, and sheets and other forms of others, where they are at hand (`scripts/fetch-forms` gets some); each
    /// once.
    static let realSheets = sizesOfForms.keys.sorted()

    /// The sizes of their pages, as the reader prints them: all are opened for both at once.
    static let sizesOfForms: [String: String] = {
        let environment = ProcessInfo.processInfo.environment["SHEETMARKET_SHARED"]
        let shared = "\(environment ?? root.appending(path: "../shared").standardizedFileURL.path)/regions"
        let files = [shared, root.appending(path: ".forms").path].flatMap { folder in
            let paths = (try? FileManager.default.subpathsOfDirectory(atPath: folder)) ?? []
            return paths.filter { $0.hasSuffix(".pdf") }.sorted().map { "\(folder)/\($0)" }
        }
        return (try? fillable([sheet] + files)) ?? [:]
    }()

    /// Runs another reader.
    static func python(_ arguments: String..., script: String = "exported_pdf.py") async throws
        -> (status: Int32, output: String)
    {
        try await read(script, arguments)
    }

    private static func read(_ script: String, _ arguments: [String]) async throws -> (status: Int32, output: String) {
        try await run(
            root.appending(path: ".venv/bin/python").path,
            [root.appending(path: "Tests/Readers/\(script)").path] + arguments)
    }

    /// Those of some files that have a form, each content once, and the sizes of their pages. Waits.
    private static func fillable(_ files: [String]) throws -> [String: String] {
        let process = Process()
        process.executableURL = root.appending(path: ".venv/bin/python")
        process.arguments = [root.appending(path: "Tests/Readers/exported_pdf.py").path, "fillable"] + files
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return try JSONDecoder().decode([String: [[Double]]].self, from: data).mapValues {
            String(decoding: try JSONEncoder().encode($0), as: UTF8.self)
        }
    }

    static func run(_ path: String, _ arguments: [String]) async throws -> (status: Int32, output: String) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        let ended = AsyncStream<Int32> { stream in
            process.terminationHandler = {
                stream.yield($0.terminationStatus)
                stream.finish()
            }
        }
        try process.run()
        let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        var status: Int32 = -1
        for await code in ended { status = code }
        return (status, text)
    }

    static func expect(_ original: String, _ exported: String, _ wanted: String) async throws {
        try await expect(original, [(exported, wanted)])
    }

    /// Compares several exports with their original, which is opened and drawn once.
    static func expect(_ original: String, _ exports: [(file: String, wanted: String)]) async throws {
        let (status, output) = try await read(
            "exported_pdf.py", ["check", original] + exports.flatMap { [$0.file, $0.wanted] })
        #expect(status == 0, "\(output)")
    }

    /// Expects that exports look as an independent reader of the character's archive draws it, once for all of them.
    static func expectLooks(of exports: [String], on original: String, by sheets: ExportPlayer, _ options: String...)
        async throws
    {
        let archive = "\(sheets.scratch.path)/drawn.ttrpg"
        _ = try await sheets("archive", "export", "-o", archive, "--force")
        let (status, output) = try await read("drawn_page.py", [original, archive] + exports + options)
        #expect(status == 0, "\(output)")
    }

    /// A variant of the example sheet with the sizes of its pages, as the reader prints them.
    private struct Variant {
        let pdf: Data
        let sizes: String
    }

    private static let variants = Mutex<[String: Task<Variant, any Error>]>([:])

    /// Each is made once.
    private static func variant(_ kind: String) async throws -> Variant {
        let task = variants.withLock { variants in
            if let task = variants[kind] { return task }
            let task = Task<Variant, any Error> {
                let scratch = try Scratch()
                defer { withExtendedLifetime(scratch) {} }
                let file = "\(scratch.path)/variant.pdf"
                let (status, output) = try await python("vary", kind, sheet, file)
                try #require(status == 0, "\(output)")
                return Variant(pdf: try Data(contentsOf: URL(fileURLWithPath: file)), sizes: output)
            }
            variants[kind] = task
            return task
        }
        return try await task.value
    }

    /// Somebody who has Brom on a variant of an example sheet, with elements on its first page.
    static func player(
        _ kind: String, layers: [DrawingLayer] = DrawingLayer.standard, _ elements: [PageElement] = [],
        images: [Data] = []
    ) async throws -> (ExportPlayer, original: String) {
        let scratch = try Scratch()
        let original = "\(scratch.path)/original.pdf"
        let variant = try await variant(kind)
        try variant.pdf.write(to: URL(fileURLWithPath: original))
        return (
            try await player(in: scratch, on: original, sizes: variant.sizes, layers: layers, elements, images: images),
            original
        )
    }

    /// Somebody who has Brom on a PDF; `sizes` are those of its pages, as the reader prints them.
    static func player(
        in scratch: Scratch, on original: String, sizes output: String, named name: String = "Brom",
        layers: [DrawingLayer] = DrawingLayer.standard, _ elements: [PageElement] = [], images: [Data] = [],
        values: [String: String] = [:]
    ) async throws -> ExportPlayer {
        let sizes = try JSONDecoder().decode([[Double]].self, from: Data(output.utf8))
            .map { PageSize(width: $0[0], height: $0[1]) }
        let data = try Data(contentsOf: URL(fileURLWithPath: original))
        let drawings = sizes.enumerated().map { place, size in
            (place, PageDrawing(size: size, layers: layers, elements: place == 0 ? elements : []))
        }
        let template = CharacterTemplate(sha256: ContentHash(hashing: data), name: "Lantern", license: "CC-BY-4.0")
        var character = PlayerCharacter(id: .make(), name: name, template: template, createdAt: Date())
        character.values = values
        var archived = ArchivedCharacter(
            SheetContent(character: character, drawings: Dictionary(drawings) { first, _ in first }))
        archived.template = data
        for image in images { archived.images[ContentHash(hashing: image)] = image }
        let archive = "\(scratch.path)/brom.ttrpg"
        try CharacterArchive.write([archived], at: Date()).write(to: URL(fileURLWithPath: archive))
        let sheets = ExportPlayer(scratch: scratch, sizes: sizes)
        _ = try await sheets("archive", "import", archive)
        return sheets
    }

    static func element(_ number: Int, on layer: DrawingLayer = .base, _ content: PageElement.Content)
        -> PageElement
    {
        PageElement(id: EditID(device: DeviceID(bits: 7), number: number), layer: layer.id, order: number, content)
    }
}
