// SPDX-License-Identifier: Apache-2.0
import CharacterCore
import Foundation
import MarketClient
import SheetCore
import Testing

@Suite("Strokes of characters in the library")
struct CharacterInkTests {
    private static let fixtures = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appending(path: "../Fixtures/characters").standardizedFileURL

    private struct Player {
        let scratch: Scratch
        var characters: String { "\(scratch.library.root)/characters" }

        func callAsFunction(_ arguments: String..., status: Int32 = 0) async throws -> String {
            let run = try await CommandLineRun.start(arguments, in: scratch, server: "http://127.0.0.1:1").end()
            #expect(run.status == status, "\(arguments): \(run.errors)")
            return run.output + run.errors
        }

        /// A library as it was written once.
        func take(_ name: String) throws {
            try? FileManager.default.removeItem(atPath: scratch.library.root)
            try FileManager.default.copyItem(
                atPath: fixtures.appending(path: name).path, toPath: scratch.library.root)
        }

        /// The only character's state, and the files of its strokes.
        func state() throws -> (text: String, ink: [String]) {
            struct Index: Decodable {
                struct One: Decodable {
                    let state: ContentHash
                    let objects: [ContentHash]
                }
                let characters: [One]
            }
            struct State: Decodable {
                struct Sheet: Decodable { let ink: [ContentHash]? }
                let sheet: Sheet
            }
            func path(_ hash: ContentHash) -> String { "\(characters)/objects/\(hash.hex.prefix(2))/\(hash)" }
            let index = try Data(contentsOf: URL(fileURLWithPath: "\(characters)/index.json"))
            let entry = try #require(try JSONDecoder().decode(Index.self, from: index).characters.first)
            let data = try Data(contentsOf: URL(fileURLWithPath: path(entry.state)))
            let ink = try JSONDecoder().decode(State.self, from: data).sheet.ink ?? []
            #expect(Set(ink).isSubset(of: entry.objects))
            return (String(decoding: data, as: UTF8.self), ink.map(path))
        }
    }

    @Test("a state that holds its strokes itself is read, and written anew with them in a file of its own")
    func migration() async throws {
        let sheets = Player(scratch: try Scratch())
        try sheets.take("library-1")
        let before = try sheets.state()
        #expect(before.ink.isEmpty && before.text.contains("\"points\""))
        let shown = try await sheets("character", "show", "Brom")
        _ = try await sheets("character", "set", "Brom", "level=3")
        let after = try sheets.state()
        #expect(after.ink.count == 1 && !after.text.contains("\"points\""))
        let drawing = try DrawingFile.read(Data(contentsOf: URL(fileURLWithPath: try #require(after.ink.first))))
        #expect(drawing.damage.isEmpty && drawing.drawing.elements.count == 1)
        _ = try await sheets("character", "undo", "Brom")
        let again = try await sheets("character", "show", "Brom")
        func bare(_ text: String) -> [Substring] { text.split(separator: "\n").filter { !$0.hasPrefix("changed") } }
        #expect(bare(again) == bare(shown))
        #expect(try await sheets("character", "redo", "Brom").contains("Redid: Fields."))
        // Only what stands or can be done again is kept.
        _ = try await sheets("character", "draw", "Brom", "10,10", "20,20")
        #expect(after.ink.allSatisfy { !FileManager.default.fileExists(atPath: $0) })
        #expect(try sheets.state().ink.allSatisfy { FileManager.default.fileExists(atPath: $0) })
    }

    @Test("of a file of strokes that is damaged or gone the path is told, and nothing is lost besides")
    func damage() async throws {
        let sheets = Player(scratch: try Scratch())
        _ = try await sheets("character", "new", "Brom")
        _ = try await sheets("character", "draw", "Brom", "72,72", "144,90")
        _ = try await sheets("backup", "--folder", "\(sheets.scratch.path)/before")
        let state = try sheets.state()
        let path = try #require(state.ink.first)
        let good = try Data(contentsOf: URL(fileURLWithPath: path))
        var bad = good
        bad[bad.count / 2] ^= 1
        try bad.write(to: URL(fileURLWithPath: path))
        #expect(try await sheets("character", "show", "Brom", status: 3).contains(path))
        #expect(try await sheets("character", "undo", "Brom", status: 3).contains("backup restore"))
        #expect(try await sheets("backup", "--folder", "\(sheets.scratch.path)/backups", status: 3).contains(path))
        try FileManager.default.removeItem(atPath: path)
        #expect(try await sheets("character", "text", "Brom", "x", "--at", "9,9", status: 1).contains(path))
        #expect(try sheets.state().text == state.text)
        // As the command says.
        _ = try await sheets(
            "backup", "restore", "--duplicates", "replace", "--folder", "\(sheets.scratch.path)/before")
        #expect(try await sheets("character", "show", "Brom").contains("1 stroke"))
        #expect(try await sheets("character", "undo", "Brom").contains("Undid: Draw."))
    }

    @Test("archives and backups made while the character is drawn on are whole")
    func meanwhile() async throws {
        let sheets = Player(scratch: try Scratch())
        _ = try await sheets("character", "new", "Brom")
        let folder = sheets.scratch.path
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for step in 1...20 { _ = try await sheets("character", "draw", "Brom", "\(step),9", "90,90") }
            }
            group.addTask {
                for _ in 1...10 { _ = try await sheets("archive", "export", "--force", "-o", "\(folder)/a.ttrpg") }
            }
            group.addTask {
                for _ in 1...5 { _ = try await sheets("backup", "--folder", "\(folder)/backups") }
            }
            try await group.waitForAll()
        }
        #expect(try await sheets("archive", "verify", "\(folder)/a.ttrpg").contains("Intact"))
        _ = try await sheets("backup", "--folder", "\(folder)/backups")
        _ = try await sheets("character", "remove", "Brom", "--yes")
        #expect(try await sheets("backup", "restore", "--folder", "\(folder)/backups").contains("1 new character"))
        #expect(try await sheets("character", "show", "Brom").contains("20 strokes"))
        #expect(try await sheets("character", "undo", "Brom").contains("Undid: Draw."))
    }

    @Test("a library and a backup with strokes in files are read for good")
    func fixtures() async throws {
        let sheets = Player(scratch: try Scratch())
        try sheets.take("library-2")
        #expect(try sheets.state().ink.count == 1)
        #expect(try await sheets("character", "show", "Brom").contains("2 strokes"))
        #expect(try await sheets("character", "redo", "Brom").contains("Redid: Draw."))
        #expect(try await sheets("character", "show", "Brom").contains("3 strokes"))
        let other = Player(scratch: try Scratch())
        let folder = Self.fixtures.appending(path: "backup-2").path
        #expect(try await other("backup", "restore", "--folder", folder).contains("Imported 1 new character"))
        #expect(try await other("character", "redo", "Brom").contains("Redid: Draw."))
        #expect(try await other("character", "show", "Brom").contains("3 strokes"))
    }
}
