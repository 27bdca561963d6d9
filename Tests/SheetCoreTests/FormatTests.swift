// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

@testable import SheetCore

@Suite("Files that templates are made of")
struct FormatTests {
    static let skills = """
        {"formatVersion":"1.0","name":"Street skills","gameSystem":"cyberpunk-red","templates":[
          {"id":"hack","name":"Hacking","scope":"local","category":"Tech","attribute":"INT","maximumRank":10},
          {"id":"run","name":"Running","scope":"local","prerequisites":["hack"]},
          {"id":"lore","name":"Lore","scope":"imported","source":{"library":"Core skills","version":"2.0"}}]}
        """
    static let preset = """
        {"templateID":"quest-sheet","name":"Tablet regions","version":"1.0","regions":[
          {"id":"skills","name":"Skills","pageIndex":0,"rect":{"x":0.1,"y":0.2,"width":0.3,"height":0.4},"scale":2.5},
          {"id":"spells","name":"Spells","pageIndex":2,"rect":{"x":0,"y":0,"width":1,"height":1},"scale":1}]}
        """
    static let vocabulary = """
        {"name":"Greetings","korean_words":[
          {"word":"안녕","romanization":"annyeong","meaning":"hello","category":"greeting","difficulty":1},
          {"korean":"검","romanization":"geom","meaning":"sword","difficulty":"beginner"}],
         "phrase_structures":[{"name":"Name a sword","meaning":"the … sword","components":[
           "adjective",{"type":"noun","text":"검"},{"type":"particle","category":"topic"}]}]}
        """

    private func problems<Format: JSONFormat>(_ type: Format.Type, _ text: String) -> [String] {
        do throws(FormatFailure) {
            _ = try Format.read(Data(text.utf8))
            return []
        } catch {
            return error.problems.map(\.pointer)
        }
    }

    @Test("a skill library has local and imported skills, and an outline by category")
    func skillLibrary() throws {
        let library = try SkillLibrary.read(Data(Self.skills.utf8))
        #expect(library.outline.summary == "3 skills: 2 local, 1 imported.")
        #expect(library.outline.sections.map(\.title) == ["Tech", "Skills", "Imported from Core skills"])
        #expect(library.outline.sections.first?.rows.first?.detail == "INT; up to rank 10")
        #expect(library.metadata.gameSystem == "cyberpunk-red")
        let again = try SkillLibrary.read(JSONEncoder().encode(library))
        #expect(again == library)
    }

    @Test("what is wrong with a skill library is said by its place")
    func wrongSkills() {
        #expect(problems(SkillLibrary.self, "not JSON") == [""])
        #expect(problems(SkillLibrary.self, #"{"formatVersion":"1.0","name":"x"}"#) == ["/templates"])
        #expect(problems(SkillLibrary.self, Self.skills.replacing("\"1.0\"", with: "\"2.0\"")) == ["/formatVersion"])
        #expect(
            problems(SkillLibrary.self, Self.skills.replacing("\"local\"", with: "\"lent\"")) == ["/templates/0/scope"])
        #expect(
            problems(SkillLibrary.self, Self.skills.replacing("\"run\"", with: "\"hack\"")) == [
                "/templates/1/id", "/templates/1/prerequisites",
            ])
        #expect(
            problems(SkillLibrary.self, Self.skills.replacing("[\"hack\"]", with: "[\"fly\"]")) == [
                "/templates/1/prerequisites"
            ])
        #expect(
            problems(SkillLibrary.self, Self.skills.replacing("Core skills", with: "")) == [
                "/templates/2/source/library"
            ])
        #expect(
            problems(SkillLibrary.self, Self.skills.replacing("Hacking", with: "Hack\\u202eing")) == [
                "/templates/0/name"
            ])
    }

    @Test("a region preset may say by what its pages are known, and its regions fit any page then")
    func knownPages() throws {
        func preset(_ pages: String) -> String { Self.preset.dropLast().appending(#","pages":[\#(pages)]}"#) }
        let page = #"{"pageIndex":2,"width":595.3,"height":842,"lookHash":"00000000000000ff"}"#
        let read = try RegionPreset.read(Data(preset(page).utf8))
        let known = try #require(read.pages?.first)
        let signature = try #require(known.signature)
        #expect(signature.look.bits == 0xff && signature.text == nil && signature.width == 595.3)
        #expect(read.outline.summary == "2 regions on 2 pages of 'quest-sheet'. Known by the looks of 1.")
        let placed = read.regions(of: known, at: 7)
        #expect(placed.map(\.id) == ["spells"] && placed.map(\.pageIndex) == [7] && placed.map(\.source) == [.preset])
        #expect(try RegionPreset.read(JSONEncoder().encode(read)) == read)

        #expect(problems(RegionPreset.self, preset("")) == ["/pages"])
        #expect(problems(RegionPreset.self, preset(page + "," + page)) == ["/pages/1/pageIndex"])
        for (part, other, pointer) in [
            ("\"pageIndex\":2", "\"pageIndex\":1", "/pages/0/pageIndex"), ("595.3", "0", "/pages/0/width"),
            ("842", "1e300", "/pages/0/height"), ("00000000000000ff", "00000000000000FF", "/pages/0/lookHash"),
            ("0ff\"", "0ff\",\"textHash\":\"f\"", "/pages/0/textHash"),
        ] {
            #expect(problems(RegionPreset.self, preset(page.replacing(part, with: other))) == [pointer], "\(pointer)")
        }
    }

    @Test("a page is the same when size, look and text are alike")
    func samePage() {
        func page(_ look: UInt64, _ text: UInt64?, width: Double = 595, height: Double = 842) -> PageSignature {
            PageSignature(
                width: width, height: height, look: Fingerprint(bits: look), text: text.map { Fingerprint(bits: $0) })
        }
        let one = page(0xffff_0000, 0xff)
        #expect(one.isSamePage(as: page(0xffff_00ff, 0xff << 8)))
        #expect(!one.isSamePage(as: page(0xffff_01ff, 0xff)))
        #expect(!one.isSamePage(as: page(0xffff_0000, 0x1ff << 8)))
        #expect(!one.isSamePage(as: page(0xffff_0000, nil)))
        #expect(page(1, nil).isSamePage(as: page(7, nil, width: 595.9, height: 841.1)))
        #expect(!page(1, nil).isSamePage(as: page(15, nil)), "nothing but the look tells them apart")
        #expect(!page(1, nil).isSamePage(as: page(1, nil, width: 597)))
        #expect(!page(0, nil).isSamePage(as: page(0, nil)), "empty pages are like each other and nothing else")
    }

    @Test("a region preset is read with its pages, and refused with regions that are on none")
    func regionPreset() throws {
        let preset = try RegionPreset.read(Data(Self.preset.utf8))
        #expect(preset.regions.map(\.source) == [.preset, .preset])
        #expect(preset.outline.sections.map(\.title) == ["Page 1", "Page 3"])
        #expect(preset.outline.summary == "2 regions on 2 pages of 'quest-sheet'.")
        #expect(problems(RegionPreset.self, Self.preset.replacing("0.3", with: "1.3")) == ["/regions/0/rect"])
        #expect(problems(RegionPreset.self, Self.preset.replacing("2.5", with: "25")) == ["/regions/0/scale"])
        #expect(
            problems(RegionPreset.self, Self.preset.replacing("\"spells\"", with: "\"skills\"")) == ["/regions/1/id"])
        #expect(
            problems(RegionPreset.self, Self.preset.replacing("\"pageIndex\":2", with: "\"pageIndex\":-1")) == [
                "/regions/1/pageIndex"
            ])
    }

    @Test("a vocabulary pack has words and phrases in either spelling")
    func vocabularyPack() throws {
        let pack = try VocabularyPack.read(Data(Self.vocabulary.utf8))
        #expect(pack.words.map(\.word) == ["안녕", "검"])
        #expect(pack.outline.summary == "2 words and 1 phrase structures.")
        #expect(pack.outline.sections.map(\.title) == ["greeting", "Words", "Phrase structures"])
        #expect(pack.outline.sections[0].rows[0] == .init("안녕", "annyeong; hello; level 1"))
        #expect(pack.outline.sections[2].rows[0].detail == "adjective + 검 + particle: topic; the … sword")
        #expect(problems(VocabularyPack.self, "{}") == ["/korean_words"])
        #expect(
            problems(VocabularyPack.self, #"{"korean_words":[{"word":"a","meaning":"b"}]}"#) == [
                "/korean_words/0/romanization"
            ])
        #expect(
            problems(VocabularyPack.self, #"{"phrase_structures":[{"name":"x","components":[]}]}"#) == [
                "/phrase_structures/0/components"
            ])
        let again = try VocabularyPack.read(JSONEncoder().encode(pack))
        #expect(again == pack)
    }

    @Test("an outline never outgrows its limits, whatever it is made of")
    func outlineLimits() {
        let long = String(repeating: "a\u{202e}\n", count: 10_000)
        let rows = (0..<3000).map { ContentOutline.Row("\($0) \(long)", long) }
        let outline = ContentOutline(
            cutting: long, sections: [.init(title: long, rows: rows), .init(title: "none", rows: [])])
        #expect(outline.isWithinLimits)
        #expect(outline.sections.first?.rows.count == ContentOutline.maximumRows)
        #expect(outline.sections.first?.omitted == 2000)
        #expect(!ContentOutline(summary: long, sections: []).isWithinLimits)
    }

    @Test("an unknown kind is kept, and has a suffix and a title all the same")
    func unknownKind() throws {
        let kind = try JSONDecoder().decode([TemplateKind].self, from: Data(#"["map_pack"]"#.utf8))[0]
        #expect(kind.rawValue == "map_pack" && kind.title == "map pack" && !kind.hasPages)
        #expect(try JSONEncoder().encode([kind]) == Data(#"["map_pack"]"#.utf8))
    }

    @Test("the same files make the same ZIP, which others can read")
    func zipWriter() throws {
        func make() throws -> Data {
            var zip = ZipWriter()
            try zip.add("a.txt", Data("hello".utf8))
            try zip.add("b/ü.txt", Data())
            return zip.finish()
        }
        let zip = try make()
        #expect(try make() == zip)
        #expect(CRC32.of(Data("123456789".utf8)) == 0xCBF4_3926)
        var refusing = ZipWriter()
        try refusing.add("a", Data())
        #expect(throws: ZipWriter.Failure.badName("A")) { try refusing.add("A", Data()) }
        #expect(throws: ZipWriter.Failure.badName("../x")) { try refusing.add("../x", Data()) }
    }
}
