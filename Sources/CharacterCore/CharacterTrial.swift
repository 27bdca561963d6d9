// SPDX-License-Identifier: Apache-2.0
import SheetCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What fuzzing and tests try on this module with a stranger's bytes: each gives a sentence when a promise is broken.
package enum CharacterTrial {
    /// A drawing with the checksums of its blocks put right, so that what is behind them is reached.
    package static func mended(_ data: Data) -> Data {
        var data = data
        var place = 8
        while place + 20 <= data.count {
            let length = (0..<3).reduce(0) { $0 | Int(data[place + 8 + $1]) << (8 * $1) }
            guard place + 20 + length <= data.count else { break }
            func put(_ sum: UInt32, _ at: Int) {
                withUnsafeBytes(of: sum.littleEndian) { data.replaceSubrange(at..<at + 4, with: $0) }
            }
            data.replaceSubrange(place..<place + 4, with: BlockHead.marker)
            data[place + 11] = 0
            put(CRC32.of(data[place..<place + 12]), place + 12)
            put(CRC32.of(data[place + 16..<place + 16 + length]), place + 16 + length)
            place += 20 + length
        }
        return data
    }

    /// The first byte says whether checksums are put right.
    package static func drawing(_ bytes: [UInt8]) -> String? {
        guard let first = bytes.first else { return nil }
        let data = Data(bytes.dropFirst())
        guard let reading = try? DrawingFile.read(first & 1 == 1 ? mended(data) : data) else { return nil }
        let drawing = reading.drawing
        guard drawing.elements.count <= DrawingLimits.elements else { return "more elements than the limit" }
        // Drawn, told and tried with an eraser: none of it may fail, whatever the numbers.
        _ = drawing.sentence
        _ = Eraser(.pixel, radius: 5).pass(over: drawing, along: [PagePoint(10, 10), PagePoint(90, 90)]) {
            EditID(device: DeviceID(bits: 1), number: 1)
        }
        guard let written = try? DrawingFile.write(drawing, .lossless) else { return nil }
        guard let again = try? DrawingFile.read(written) else { return "what was written cannot be read" }
        return again.damage.isEmpty && again.drawing == drawing ? nil : "it reads otherwise when it is written again"
    }

    /// The first byte chooses: an archive as it is, or a good archive around what follows, as the character or as a page.
    package static func archive(_ bytes: [UInt8]) -> String? {
        guard let first = bytes.first else { return nil }
        let rest = Data(bytes.dropFirst())
        let reading: ArchiveReading
        do {
            switch first % 3 {
            case 0: reading = try CharacterArchive.read(rest)
            case 1: reading = try unpacked(["character.json": rest])
            default: reading = try unpacked(["character.json": character, "pages/0.ink": mended(rest)])
            }
        } catch { return nil }
        guard let data = try? CharacterArchive.write(reading.characters, at: epoch, precision: .lossless) else {
            return nil
        }
        guard let again = try? CharacterArchive.read(data) else { return "what was written cannot be read" }
        return again.characters == reading.characters ? nil : "it reads otherwise when it is written again"
    }

    private static let epoch = Date(timeIntervalSince1970: 0)
    private static let id = CharacterID("00ffe2f7-92f3-75ba-bea2-87bb24d18442")
    private static let character: Data = {
        guard let id, let data = try? SheetJSON.encoder().encode(PlayerCharacter(id: id, name: "x", createdAt: epoch))
        else { return Data() }
        return data
    }()

    private static func unpacked(_ files: [String: Data]) throws -> ArchiveReading {
        guard let id else { return ArchiveReading(characters: [], damage: [:]) }
        let folder = ArchiveManifest.folder(of: id)
        let parts = ArchiveManifest.inOrder(
            files.map {
                ArchivePart(path: folder + $0.key, sizeBytes: $0.value.count, sha256: ContentHash(hashing: $0.value))
            })
        let manifest = ArchiveManifest(
            createdAt: epoch, characters: [.init(id: id, name: "x", folder: folder)], templates: [], parts: parts,
            sha256: ArchiveManifest.digest(of: parts))
        var characters: [ArchivedCharacter] = []
        var reading = try CharacterArchive.unpack(
            manifest, part: { files[String($0.dropFirst(folder.count))] ?? Data() }, take: { characters.append($0) })
        reading.characters = characters
        return reading
    }

    /// The first byte chooses: edits that another device tells, in two orders, or a sheet's file.
    package static func operations(_ bytes: [UInt8]) -> String? {
        guard let first = bytes.first, let id else { return nil }
        let rest = Data(bytes.dropFirst())
        let blank = PlayerCharacter(id: id, name: "x", createdAt: epoch)
        var sheet = CharacterSheet(SheetContent(character: blank), device: DeviceID(bits: 1))
        if first & 1 == 0 {
            guard let operations = try? SheetOperation.readList(rest) else { return nil }
            // Devices name each edit once.
            guard Set(operations.map(\.id)).count == operations.count else { return nil }
            var other = sheet
            sheet.receive(operations)
            other.receive(operations.reversed())
            if !sheet.agrees(with: other) { return "it depends on the order" }
        } else {
            guard let read = try? CharacterSheet.read(rest) else { return nil }
            sheet = read
        }
        let content = sheet.content
        guard let data = try? SheetJSON.encoder().encode(sheet) else { return nil }
        guard let again = try? CharacterSheet.read(data) else { return "what was written cannot be read" }
        if !again.agrees(with: sheet) || again.content != content { return "it reads otherwise when written again" }
        // With its strokes in files beside it.
        let ink = SheetInk()
        if let packed = try? ink.encode(sheet) {
            let files = ink.files
            let source = SheetInk { hash in
                guard let file = files[hash] else { throw DrawingFailure.notADrawing }
                return file
            }
            guard let again = try? CharacterSheet.read(packed, ink: source), again.agrees(with: sheet) else {
                return "it reads otherwise with its strokes in files"
            }
        }
        sheet.undo(.everything, at: epoch)
        sheet.redo(.everything, at: epoch)
        return sheet.newID().number > 0 ? nil : "no number is left"
    }
}
