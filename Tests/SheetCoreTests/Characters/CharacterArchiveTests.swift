// SPDX-License-Identifier: Apache-2.0
import Crypto
import Foundation
import Testing

@testable import CharacterCore
@testable import SheetCore

@Suite("Archives of characters")
struct CharacterArchiveTests {
    static let noon = Date(timeIntervalSince1970: 1_800_000_000)
    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "../../..")
        .standardizedFileURL

    /// As it will be read again.
    static func characters(_ maker: inout SheetMaker, count: Int) throws -> [ArchivedCharacter] {
        try (0..<count).map { _ in
            let picture = Data((0..<maker.count(1...50)).map { UInt8($0) })
            var content = maker.character(pages: maker.count(0...2), elements: 4)
            content.character.portrait = ContentHash(hashing: picture)
            content.character.unknown = ["spirit": .object(["level": .integer(3)])]
            return ArchivedCharacter(
                try content.rounded(), images: [ContentHash(hashing: picture): picture], template: Data("sheet".utf8),
                others: ["voice/hello.opus": Data([1, 2, 3])])
        }
    }

    private func byID(_ characters: [ArchivedCharacter]) -> [ArchivedCharacter] {
        characters.sorted { $0.content.character.id.description < $1.content.character.id.description }
    }

    private func failure(_ data: Data) -> ArchiveFailure? {
        do {
            _ = try CharacterArchive.read(data)
            return nil
        } catch {
            return error as? ArchiveFailure
        }
    }

    @Test(
        "what is exported is imported as it was, newer fields and files too; the same twice has the same bytes",
        arguments: 0..<15)
    func roundTrip(seed: Int) throws {
        var maker = SheetMaker(seed)
        let characters = try Self.characters(&maker, count: maker.count(0...4))
        let key = maker.chance(0.5) ? Curve25519.Signing.PrivateKey() : nil
        let data = try CharacterArchive.write(characters, at: Self.noon, signingKey: key)
        let read = try CharacterArchive.read(data)
        #expect(byID(read.characters) == byID(characters))
        #expect(read.damage.isEmpty && read.signer == key?.publicKey.rawRepresentation)
        #expect(
            try CharacterArchive.write(characters, at: Self.noon) == CharacterArchive.write(characters, at: Self.noon))
    }

    @Test("whatever bit is turned over, the archive is refused or still says the same", arguments: 0..<60)
    func tampered(seed: Int) throws {
        var maker = SheetMaker(seed)
        let characters = try Self.characters(&maker, count: 1)
        var data = try CharacterArchive.write(characters, at: Self.noon)
        data[maker.count(0...data.count - 1)] ^= UInt8(1 << maker.count(0...7))
        if failure(data) == nil { #expect(try CharacterArchive.read(data).characters == characters) }
        #expect(failure(data.prefix(maker.count(0...data.count - 1))) != nil)
    }

    @Test("a part that was changed, left out, added or listed otherwise is told of, and so is a false signature")
    func changed() throws {
        var maker = SheetMaker(1)
        let characters = try Self.characters(&maker, count: 1)
        func repacked(_ change: (inout [(String, Data)]) -> Void) throws -> ArchiveFailure? {
            let key = Curve25519.Signing.PrivateKey()
            let zip = try ZipReader(CharacterArchive.write(characters, at: Self.noon, signingKey: key))
            var files = try zip.names.map { ($0, try zip.read($0)) }
            change(&files)
            var writer = ZipWriter()
            for (name, data) in files { try writer.add(name, data) }
            return failure(writer.finish())
        }
        #expect(try repacked { _ in } == nil)
        let changed = try repacked { files in
            for place in files.indices where files[place].0.hasSuffix("character.json") { files[place].1.append(32) }
        }
        #expect(changed?.description.contains("not the file that the manifest promises") == true)
        #expect(try repacked { $0.append(("stray.txt", Data())) }?.description.contains("not in its manifest") == true)
        #expect(try repacked { $0.removeFirst() }?.description.contains("has no") == true)
        func manifest(_ files: [(String, Data)]) -> Int { files.firstIndex { $0.0 == "manifest.json" } ?? 0 }
        let listed = try repacked { files in
            let place = manifest(files)
            let text = String(decoding: files[place].1, as: UTF8.self)
            files[place].1 = Data(text.replacing("\"sizeBytes\":3", with: "\"sizeBytes\":4").utf8)
        }
        #expect(listed?.description.contains("signature") == true || listed?.description.contains("sha256") == true)
        let renamed = try repacked { files in
            let place = manifest(files)
            let text = String(decoding: files[place].1, as: UTF8.self)
            files[place].1 = Data(text.replacing("\"name\":\"Brom", with: "\"name\":\"Evil").utf8)
        }
        #expect(renamed?.description.contains("signature") == true)
    }

    /// A ZIP as a hostile program writes it.
    private func zip(
        _ name: String, _ content: Data = Data(), method: UInt8 = 0, size: UInt32? = nil, mode: UInt16 = 0o100644,
        flags: UInt8 = 0,
        twice: String? = nil
    ) throws -> Data {
        var writer = ZipWriter()
        let harmless = String(repeating: "x", count: name.utf8.count)
        try writer.add(harmless, content)
        if let twice { try writer.add(twice, Data()) }
        var data = writer.finish()
        while let range = data.range(of: Data(harmless.utf8)) { data.replaceSubrange(range, with: Data(name.utf8)) }
        let central = try #require(data.range(of: Data([0x50, 0x4B, 1, 2]))).lowerBound
        for (flagPlace, methodPlace, sizePlace) in [(6, 8, 22), (central + 8, central + 10, central + 24)] {
            data[flagPlace] |= flags
            data[methodPlace] = method
            if let size {
                withUnsafeBytes(of: size.littleEndian) { data.replaceSubrange(sizePlace..<sizePlace + 4, with: $0) }
            }
        }
        withUnsafeBytes(of: mode.littleEndian) { data.replaceSubrange(central + 40..<central + 42, with: $0) }
        return data
    }

    @Test("hostile archives are refused with the reason")
    func hostile() throws {
        for name in ["../x", "/etc/passwd", "a/../b", "a\\b", "C:x", "a//b", "./a", "a\u{202E}b", "a\u{0}b"] {
            #expect(try failure(zip(name))?.code == .archivePath, "\(name)")
        }
        #expect(try failure(zip("link", mode: 0o120777))?.code == .archiveLink)
        #expect(try failure(zip("a.txt", flags: 1))?.code == .encrypted)
        #expect(try failure(zip("a.txt", method: 12))?.code == .malformed)
        #expect(try failure(zip("A.txt", twice: "a.TXT"))?.code == .archiveDuplicate)
        #expect(try failure(zip("caf\u{E9}", twice: "cafe\u{301}"))?.code == .archiveDuplicate)
        #expect(try failure(zip("a", twice: "A/b"))?.code == .archiveDuplicate)
        #expect(try failure(zip("a", Data([1]), method: 8, size: 65 << 20))?.code == .archiveTooLarge)
        #expect(try failure(zip("a", Data(count: 100), method: 8, size: 60 << 20))?.code == .decompressionBomb)
        #expect(try failure(zip("a", Data(count: 100), method: 8, size: 100))?.code == .unrecognized)
        #expect(try failure(zip("manifest.json", Data(count: 100), method: 8, size: 100))?.code == .malformed)
        #expect(failure(Data("PK".utf8))?.code == .malformed)
        var many = ZipWriter()
        for number in 0...2000 { try many.add("\(number)", Data()) }
        #expect(failure(many.finish())?.code == .archiveTooLarge)
        // An archive of the format before this one has a template, but no characters.
        var old = ZipWriter()
        try old.add("manifest.json", Data(#"{"format":"ttrpg","formatVersion":"1.0","template":{"name":"x"}}"#.utf8))
        #expect(failure(old.finish())?.description.contains("lists no characters") == true)
        var newer = ZipWriter()
        try newer.add("manifest.json", Data(#"{"format":"ttrpg","formatVersion":"2.0"}"#.utf8))
        #expect(failure(newer.finish())?.description.contains("/formatVersion") == true)
    }

    @Test("a manifest that names more than an archive holds is refused before anything is searched for in it")
    func crowded() throws {
        let hash = ContentHash(hashing: Data())
        let ids = (0...ZipReader.Limits.entries).map { _ in CharacterID.make() }
        func refusal(_ characters: [CharacterID], _ parts: [String]) throws -> ArchiveFailure? {
            let listed = parts.map { ArchivePart(path: $0, sizeBytes: 0, sha256: hash) }
            let manifest = ArchiveManifest(
                createdAt: Self.noon,
                characters: characters.map { .init(id: $0, name: "x", folder: ArchiveManifest.folder(of: $0)) },
                templates: [], parts: listed, sha256: ArchiveManifest.digest(of: listed))
            var writer = ZipWriter()
            try writer.add("manifest.json", try SheetJSON.encoder().encode(manifest))
            return failure(writer.finish())
        }
        #expect(try refusal(ids, [])?.code == .archiveTooLarge)
        #expect(try refusal([], ids.map { "\($0)" })?.code == .archiveTooLarge)
        #expect(try refusal(Array(ids.prefix(1)), [])?.code == .invalidFormat)
    }

    @Test("a template is carried only where its licence lets anybody copy it")
    func licences() throws {
        var maker = SheetMaker(1)
        var character = try #require(try Self.characters(&maker, count: 1).first)
        func carries(_ id: TemplateID?, _ license: String?) throws -> Bool {
            character.content.character.template?.id = id
            character.content.character.template?.license = license
            let read = try CharacterArchive.read(CharacterArchive.write([character], at: Self.noon)).characters
            return read.first?.template != nil
        }
        let id = TemplateID.make()
        #expect(try carries(id, "CC-BY-4.0") && carries(id, "CC0-1.0") && carries(nil, nil))
        #expect(try !carries(id, nil) && !carries(id, "LicenseRef-All-Rights-Reserved"))
    }

    @Test("of a manifest markets read the template and nothing of the person")
    func market() throws {
        var maker = SheetMaker(1)
        let data = try CharacterArchive.write(Self.characters(&maker, count: 2), at: Self.noon)
        let manifest = try JSONDecoder().decode(
            CharacterArchiveManifest.self, from: ZipReader(data).read("manifest.json"))
        #expect(manifest.template?.metadata.name == "Quest sheet" && manifest.formatVersion == "1.0")
        let path = try #require(manifest.template?.path)
        #expect(try ZipReader(data).read(path) == Data("sheet".utf8))
    }

    @Test("duplicates are replaced, made anew or skipped, as is said for each")
    func duplicates() throws {
        var maker = SheetMaker(4)
        let characters = try Self.characters(&maker, count: 4)
        let ids = characters.map(\.content.character.id)
        let answers: [CharacterID: DuplicatePolicy] = [ids[0]: .replace, ids[1]: .createNew, ids[2]: .skip]
        let fresh = CharacterID.make()
        var plan = LibraryImport()
        let kept = characters.compactMap { character in
            plan.take(character, existing: Set(ids.prefix(3)), newID: { fresh }) { answers[$0.id] ?? .skip }
        }
        #expect(plan.replaced == [ids[0]] && plan.skipped == [ids[2]] && plan.added == [fresh, ids[3]])
        #expect(kept.map(\.content.character.id) == [ids[0], fresh, ids[3]])
        #expect(kept[0] == characters[0] && kept[1].content.drawings == characters[1].content.drawings)
        #expect(kept[1].content.character.name.hasSuffix("(copy)"))
    }

    /// What was read of an archive and handed over, in order.
    private final class Log: @unchecked Sendable {
        enum Entry: Equatable {
            case read(Range<Int>)
            case taken(CharacterID)
        }

        private(set) var entries: [Entry] = []
        func add(_ entry: Entry) { entries.append(entry) }
    }

    @Test("of an archive in a file a part is in memory at a time, and a character goes before the next one is read")
    func streamed() throws {
        var maker = SheetMaker(12)
        // On sheets of their own, in turns, and on none.
        let characters = try Self.characters(&maker, count: 6).enumerated().map { place, character in
            var character = character
            let sheet = Data(repeating: UInt8(place % 2), count: 5000)
            character.content.character.template?.sha256 = ContentHash(hashing: sheet)
            character.template = sheet
            if place == 5 { (character.content.character.template, character.template) = (nil, nil) }
            return character
        }
        let data = try CharacterArchive.write(characters, at: Self.noon)
        let zip = try ZipReader(data)
        let largest = try #require(zip.names.compactMap(zip.size).max())
        let log = Log()
        let source = ArchiveSource(count: data.count) { range in
            log.add(.read(range))
            return data.subdata(in: range)
        }
        var taken: [ArchivedCharacter] = []
        let reading = try CharacterArchive.read(source) { character in
            log.add(.taken(character.content.character.id))
            taken.append(character)
        }
        #expect(taken == characters && reading.characters.isEmpty && reading.damage.isEmpty)
        // The end of the file, where the directory is searched for, may have a comment.
        let ranges = log.entries.compactMap { if case .read(let range) = $0 { range } else { nil } }
        #expect(ranges.allSatisfy { $0.count <= max(largest, 22 + 65_535) })
        // Between two of them their own parts are read: none is read before its turn.
        for character in characters {
            let id = character.content.character.id
            let place = try #require(log.entries.firstIndex(of: .taken(id)))
            let own = try #require(data.range(of: Data("character/\(id)/character.json{".utf8))).upperBound - 1
            let first = log.entries.firstIndex {
                if case .read(let range) = $0 { range.lowerBound == own } else { false }
            }
            let before = log.entries[..<place].lastIndex { if case .taken = $0 { true } else { false } } ?? -1
            #expect(try #require(first) > before && first ?? 0 < place)
        }
    }

    @Test("reading can be stopped, and a file that is cut or fails while it is read is refused in words")
    func interrupted() throws {
        var maker = SheetMaker(5)
        let characters = try Self.characters(&maker, count: 3)
        let data = try CharacterArchive.write(characters, at: Self.noon)
        var (told, taken): ([Int], Int) = ([], 0)
        _ = try CharacterArchive.read(ArchiveSource(data), progress: { done, _ in told.append(done) }) { _ in taken += 1
        }
        #expect(told == [0, 1, 2, 3] && taken == 3)
        taken = 0
        #expect(throws: CancellationError.self) {
            try CharacterArchive.read(
                ArchiveSource(data), progress: { done, _ in if done == 2 { throw CancellationError() } },
                take: { _ in taken += 1 })
        }
        #expect(taken == 2)
        for most in stride(from: 0, to: data.count, by: 97) {
            let source = ArchiveSource(count: data.count) { $0.upperBound <= most ? data.subdata(in: $0) : nil }
            let failure = #expect(throws: ArchiveFailure.self) { try CharacterArchive.read(source) { _ in } }
            #expect(failure?.code == .malformed)
        }
    }

    @Test("exporting can be stopped, and tells how far it is")
    func cancelled() throws {
        var maker = SheetMaker(4)
        let characters = try Self.characters(&maker, count: 3)
        var told: [Int] = []
        _ = try CharacterArchive.write(characters, at: Self.noon) { done, _ in told.append(done) }
        #expect(told == [0, 1, 2, 3])
        #expect(throws: CancellationError.self) {
            try CharacterArchive.write(characters, at: Self.noon) { done, _ in
                if done == 2 { throw CancellationError() }
            }
        }
    }

    // MARK: - With another reader

    func python(_ arguments: [String]) throws -> (status: Int32, output: String) {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
        process.arguments = arguments
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: output, as: UTF8.self))
    }

    private func json(_ value: some Encodable) throws -> Any {
        try JSONSerialization.jsonObject(with: SheetJSON.encoder().encode(value))
    }

    /// What the other reader should see of a page.
    private func seen(_ reading: DrawingReading) throws -> [String: Any] {
        let drawing = reading.drawing
        var made = try #require(try json(drawing.unknown ?? [:]) as? [String: Any])
        made["size"] = try json(drawing.size)
        made["layers"] = try json(drawing.layers)
        made["elements"] = try drawing.elements.map { element -> Any in
            guard case .foreign(let ink) = element.content, var made = try json(element) as? [String: Any],
                var foreign = made["foreign"] as? [String: Any]
            else { return try json(element) }
            foreign["data"] = ink.data.map { String(format: "%02x", $0) }.joined()
            made["foreign"] = foreign
            return made
        }
        if let blocks = drawing.unknownBlocks { made["others"] = try json(blocks) }
        if !reading.damage.isEmpty {
            made["damage"] = reading.damage.map { damage -> [String: Any] in
                damage.lost.map { ["offset": damage.offset, "lost": $0] } ?? ["offset": damage.offset]
            }
        }
        return made
    }

    /// What the other reader should see.
    private func seen(_ characters: [ArchivedCharacter]) throws -> Data {
        let all = try characters.map { character -> [String: Any] in
            var pages: [String: Any] = [:]
            for (page, drawing) in character.content.drawings {
                pages["\(page)"] = try seen(DrawingReading(drawing: drawing, damage: []))
            }
            return [
                "character": try json(character.content.character), "pages": pages,
                "images": character.images.keys.map(\.hex).sorted(),
            ]
        }
        return try JSONSerialization.data(withJSONObject: all)
    }

    /// A character of any kind: with pictures or without, on several pages, with layers and palettes of its own and what
    /// only a newer program knows.
    private func anyCharacter(_ maker: inout SheetMaker, large: Bool) -> ArchivedCharacter {
        var content = maker.character(pages: 0)
        for page in 0..<maker.count(1...3) {
            var elements = maker.drawing(elements: maker.count(0...4), points: 0...12).elements
            if large, page == 0 {
                // More than one block takes, by strokes or by points.
                let (strokes, points) = maker.chance(0.5) ? (1100, 2) : (5, 4000)
                elements += (0..<strokes).map { _ in
                    PageElement(id: maker.newID(), order: maker.count(0...9), .stroke(maker.stroke(points: points)))
                }
            }
            if maker.chance(0.3) {
                var hologram = PageElement(id: maker.newID(), order: 1, .unknown)
                hologram.unknown = ["hologram": .array([.integer(1), .string("x")])]
                elements.append(hologram)
            }
            var layers = DrawingLayer.standard
            if maker.chance(0.4) {
                layers.append(
                    DrawingLayer(
                        id: "own", name: maker.text(), order: maker.number(-2...5), isLocked: true, opacity: 0.25,
                        blendMode: .overlay))
            }
            content.drawings[page * maker.count(1...3)] = PageDrawing(
                size: PageSize(width: maker.number(200...900), height: 792), layers: layers, elements: elements,
                unknownBlocks: maker.chance(0.2) ? [.init(kind: 200, flags: 5, count: 3, payload: Data([9, 8]))] : nil,
                unknown: maker.chance(0.2) ? ["paper": .string("squared")] : nil)
        }
        if maker.chance(0.4), let own = Palette(name: maker.text(), colors: Palette.standard.colors.reversed()) {
            content.character.palettes = [.standard, own]
        }
        var images: [ContentHash: Data] = [:]
        for _ in 0..<maker.count(0...2) {
            let picture = Data((0..<maker.count(1...50)).map { UInt8($0) })
            images[ContentHash(hashing: picture)] = picture
            content.character.portrait = ContentHash(hashing: picture)
        }
        return ArchivedCharacter(content, images: images, template: Data("sheet".utf8))
    }

    @Test("a reader written from the document alone agrees on a thousand archives, and on drawings, damaged ones too")
    func otherReader() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "ttrpg-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let key = Curve25519.Signing.PrivateKey()
        for seed in 0..<1000 {
            var maker = SheetMaker(seed)
            let characters = (0..<maker.count(1...2)).map { _ in anyCharacter(&maker, large: seed % 250 == 0) }
            let data = try CharacterArchive.write(
                characters, at: Self.noon, signingKey: seed % 20 == 0 ? key : nil,
                precision: seed % 3 == 0 ? .lossless : .rounded)
            try data.write(to: folder.appending(path: "\(seed).ttrpg"))
            // The next to last third is compared with what was drawn, bit by bit; the rest is rounded first.
            let expected = try seed % 3 == 0 ? characters : CharacterArchive.read(data).characters
            try seen(expected).write(to: folder.appending(path: "\(seed).json"))
        }
        for seed in 1000..<1100 {
            var maker = SheetMaker(seed)
            let drawing = try #require(anyCharacter(&maker, large: seed % 25 == 0).content.drawings.values.first)
            var data = try DrawingFile.write(drawing, seed % 2 == 0 ? .lossless : .rounded)
            if seed % 4 != 0 {
                for _ in 0..<maker.count(1...3) { data[maker.count(8...data.count - 1)] ^= UInt8(maker.count(1...255)) }
                if maker.chance(0.2) { data.removeLast(maker.count(1...data.count / 3)) }
            }
            try data.write(to: folder.appending(path: "\(seed).ink"))
            let reading = try DrawingFile.read(data)
            try JSONSerialization.data(withJSONObject: seen(reading)).write(to: folder.appending(path: "\(seed).json"))
        }
        let reader = Self.root.appending(path: "Tests/Readers/read_ttrpg.py").path
        let (status, output) = try python([reader, "--compare", folder.path])
        #expect(status == 0 && output.contains("1100 of 1100 agree"), "\(output.suffix(2000))")
        // It takes no other's signature.
        var maker = SheetMaker(1)
        let signed = try CharacterArchive.write(Self.characters(&maker, count: 1), at: Self.noon, signingKey: key)
        let zip = try ZipReader(signed)
        var forged = ZipWriter()
        for name in zip.names {
            var bytes = try zip.read(name)
            if name == "manifest.json" { bytes.append(32) }
            try forged.add(name, bytes)
        }
        let file = folder.appending(path: "forged.ttrpg")
        try forged.finish().write(to: file)
        #expect(try python([reader, file.path]).output.contains("the signature"))
        #expect(failure(try Data(contentsOf: file))?.description.contains("signature") == true)
    }

    @Test("archives that other programs packed by Deflate are read", arguments: [0, 1, 6, 9])
    func deflated(level: Int) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "deflate-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let imports = "import random, sys, zipfile\n"
        let script = """
            random.seed(7)
            with zipfile.ZipFile(sys.argv[1] + "/a.zip", "w", zipfile.ZIP_DEFLATED, compresslevel=\(level)) as zip:
                for n in range(60):
                    kind = n % 4
                    data = (random.randbytes(n * 97) if kind == 0 else bytes(n * 5000) if kind == 1
                        else b"".join(b"%d sword%s " % (random.randrange(n + 1), b"s" * (n % 5)) for _ in range(n * 40))
                        if kind == 2 else bytes(random.choice(b"abcdef") for _ in range(n * 100)))
                    zip.writestr(f"{n}", data)
                    open(f"{sys.argv[1]}/{n}", "wb").write(data)
            """
        #expect(try python(["-c", imports + script, folder.path]).status == 0)
        let data = try Data(contentsOf: folder.appending(path: "a.zip"))
        let zip = try ZipReader(data)
        #expect(zip.names.count == 60)
        // Of which a piece is read at a time, too.
        let pieces = try ZipReader(ArchiveSource(count: data.count) { data.subdata(in: $0) })
        for name in zip.names {
            let expected = try Data(contentsOf: folder.appending(path: name))
            #expect(try zip.read(name) == expected && pieces.read(name) == expected)
        }
        var maker = SheetMaker(level)
        for _ in 0..<200 {
            var damaged = data
            damaged[maker.count(0...data.count / 2)] ^= UInt8(maker.count(1...255))
            if let zip = try? ZipReader(damaged) { for name in zip.names { _ = try? zip.read(name) } }
        }
    }

    @Test("archives and drawings of version 1 are read for good")
    func fixtures() throws {
        let folder = Self.root.appending(path: "Tests/Fixtures/characters")
        let archive = folder.appending(path: "version-1.ttrpg")
        let expected = folder.appending(path: "version-1.json")
        if ProcessInfo.processInfo.environment["SHEETMARKET_WRITE_FIXTURES"] != nil {
            var maker = SheetMaker(2026)
            let characters = try Self.characters(&maker, count: 2)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let key = try Curve25519.Signing.PrivateKey(rawRepresentation: Data(repeating: 7, count: 32))
            try CharacterArchive.write(characters, at: Self.noon, signingKey: key).write(to: archive)
            try seen(CharacterArchive.read(Data(contentsOf: archive)).characters).write(to: expected)
            let drawing = maker.drawing(elements: 12)
            try DrawingFile.write(drawing, .lossless).write(to: folder.appending(path: "lossless-1.ink"))
            try SheetJSON.encoder().encode(drawing).write(to: folder.appending(path: "lossless-1.json"))
        }
        func object(_ data: Data) throws -> NSArray {
            try #require(try JSONSerialization.jsonObject(with: data) as? NSArray)
        }
        let read = try CharacterArchive.read(Data(contentsOf: archive))
        #expect(read.characters.count == 2 && read.signer != nil)
        #expect(try object(seen(read.characters)) == object(Data(contentsOf: expected)))
        let drawing = try DrawingFile.read(Data(contentsOf: folder.appending(path: "lossless-1.ink"))).drawing
        let same = try SheetJSON.decoder().decode(
            PageDrawing.self, from: Data(contentsOf: folder.appending(path: "lossless-1.json")))
        #expect(drawing == same)
    }
}

@Suite("Which backups stay")
struct BackupRetentionTests {
    private func zone(_ name: String) throws -> TimeZone { try #require(TimeZone(identifier: name)) }

    @Test(
        "after years of backups those of 7 days, 4 weeks and 12 months are there, and never many more",
        arguments: ["UTC", "Europe/Berlin", "Pacific/Apia"])
    func years(name: String) throws {
        let zone = try zone(name)
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = zone
        var maker = SheetMaker(name.count)
        var kept: Set<Date> = []
        var now = Date(timeIntervalSince1970: 1_600_000_000)
        for day in 0..<1200 {
            for _ in 0..<maker.count(1...3) {
                now += maker.number(3600...28_800)
                kept.insert(now)
            }
            now += 43_200
            kept = BackupRetention().kept(kept, now: now, in: zone)
            #expect(kept.count <= 23)
            guard day > 600 else { continue }
            let months = Set(kept.map { calendar.dateComponents([.year, .month], from: $0) })
            let days = Set(kept.map { calendar.dateComponents([.year, .month, .day], from: $0) })
            #expect(months.count == 12 && days.count >= 7)
            // The last seven days that have any are all there.
            #expect(kept.filter { $0 > now - 8 * 86_400 }.count >= 5)
        }
    }

    @Test("thinning out twice is thinning out once, and nothing is made up")
    func twice() throws {
        let zone = try zone("America/New_York")
        for seed in 0..<50 {
            var maker = SheetMaker(seed)
            let now = Date(timeIntervalSince1970: 1_800_000_000)
            let all = (0..<maker.count(0...200)).map { _ in now - maker.number(0...70_000_000) }
            let kept = BackupRetention().kept(all, now: now, in: zone)
            #expect(kept.isSubset(of: all) && kept == BackupRetention().kept(kept, now: now, in: zone))
            #expect(all.max().map(kept.contains) ?? true)
        }
    }

    @Test(
        "who thins out after every backup keeps the same as who does so once after years, whatever the clock does",
        arguments: ["UTC", "Europe/Berlin", "America/St_Johns", "Pacific/Apia", "Australia/Lord_Howe"])
    func stepByStep(name: String) throws {
        let zone = try zone(name)
        for seed in 0..<2 {
            var maker = SheetMaker(seed + name.count)
            var (all, kept): (Set<Date>, Set<Date>) = ([], [])
            // Summer time begins and ends six times; Apia skipped a day in 2011.
            var now = Date(timeIntervalSince1970: 1_290_000_000)
            while now.timeIntervalSince1970 < 1_390_000_000 {
                now += maker.chance(0.05) ? maker.number(1e5...8e6) : maker.number(600...120_000)
                // Now and then the clock is days ahead, and is set right before the next one.
                let told = maker.chance(0.03) ? now + maker.number(1e5...1e7) : now
                all.insert(told)
                kept = BackupRetention().kept(kept.union([told]), now: told, in: zone)
            }
            let once = BackupRetention().kept(all, now: .distantFuture, in: zone)
            #expect(BackupRetention().kept(kept, now: .distantFuture, in: zone) == once)
            // Another backup makes room for none but itself.
            for _ in 0..<5 {
                let more = Date(timeIntervalSince1970: maker.number(1.29e9...1.39e9))
                let with = BackupRetention().kept(all.union([more]), now: .distantFuture, in: zone)
                #expect(with.isSubset(of: once.union([more])))
            }
        }
    }

    @Test("a clock that ran ahead costs no backup its place, and the hour that comes twice is one day")
    func clocks() throws {
        let zone = try zone("Europe/Berlin")
        let now = Date(timeIntervalSince1970: 1_800_000_000)
        let past = (0..<7).map { now - Double($0) * 86_400 }
        let ahead = (1..<9).map { now + Double($0) * 86_400 * 400 }
        let kept = BackupRetention().kept(past + ahead, now: now, in: zone)
        #expect(kept == Set(past + ahead))
        // 2026-10-25, when 02:30 comes twice in Berlin: 00:30 and 01:30 in UTC.
        let twice = [Date(timeIntervalSince1970: 1_792_888_200), Date(timeIntervalSince1970: 1_792_891_800)]
        #expect(BackupRetention(days: 1, weeks: 1, months: 1).kept(twice, now: twice[1], in: zone) == [twice[1]])
    }
}
