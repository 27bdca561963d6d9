// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

@testable import CharacterCore
@testable import SheetCore

@Suite("Backups")
struct BackupTests {
    /// A disk in memory, which may write something else than it was given.
    private final class Disk: BackupStorage {
        var parts: [ContentHash: Data] = [:]
        var drafts: [String: Data] = [:]
        var backups: [String: Data] = [:]
        var damages: (Data) -> Bool = { _ in false }

        private func written(_ data: Data) -> Data {
            guard damages(data) else { return data }
            var data = data
            data[data.startIndex + data.count / 2] ^= 1
            return data
        }

        func put(_ data: Data, as hash: ContentHash) -> Bool {
            guard parts[hash] == nil else { return false }
            parts[hash] = written(data)
            return true
        }
        func part(_ hash: ContentHash) -> Data? { parts[hash] }
        func writeDraft(_ manifest: Data, _ name: String) { drafts[name] = written(manifest) }
        func draft(_ name: String) -> Data? { drafts[name] }
        func commit(_ name: String) { backups[name] = drafts.removeValue(forKey: name) }
        func discard(_ name: String) { drafts[name] = nil }
    }

    private func read(_ manifest: ArchiveManifest, in disk: Disk) throws -> [ArchivedCharacter] {
        var characters: [ArchivedCharacter] = []
        _ = try Backup.read(manifest, in: disk) { characters.append($0) }
        return characters
    }

    private func make(_ characters: [ArchivedCharacter], _ disk: Disk) throws -> Backup.Made {
        try Backup.make("one", in: disk, at: CharacterArchiveTests.noon) { packer, sink in
            for character in characters { try packer.add(character, to: sink) }
            try packer.add(Data("campaign".utf8), as: "library/table/rolls.json", to: sink)
        }
    }

    @Test("a backup that does not read back never counts, whichever file the disk got wrong")
    func verified() throws {
        var maker = SheetMaker(3)
        let characters = try CharacterArchiveTests.characters(&maker, count: 2)
        let good = Disk()
        let made = try make(characters, good)
        #expect(Set(good.backups.keys) == ["one"] && good.drafts.isEmpty && made.newParts == good.parts.count)
        #expect(try make(characters, good).newParts == 0)
        #expect(try read(made.manifest, in: good).map(\.content) == characters.map(\.content))
        let all = Array(good.parts.values) + [try #require(good.backups["one"])]
        for wrong in all {
            let disk = Disk()
            disk.damages = { $0 == wrong }
            let failure = #expect(throws: ArchiveFailure.self) { try make(characters, disk) }
            #expect(failure?.description.contains("does not count") == true)
            #expect(disk.backups.isEmpty && disk.drafts.isEmpty)
        }
    }

    @Test("one's own backup has every sheet, an archive for others only what its licence allows")
    func licences() throws {
        var maker = SheetMaker(4)
        var character = try #require(try CharacterArchiveTests.characters(&maker, count: 1).first)
        character.content.character.template?.id = .make()
        character.content.character.template?.license = "LicenseRef-All-Rights-Reserved"
        let disk = Disk()
        let manifest = try make([character], disk).manifest
        #expect(try read(manifest, in: disk).first?.template == Data("sheet".utf8))
        let archive = try CharacterArchive.write([character], at: CharacterArchiveTests.noon)
        #expect(try CharacterArchive.read(archive).characters.first?.template == nil)
    }
}
