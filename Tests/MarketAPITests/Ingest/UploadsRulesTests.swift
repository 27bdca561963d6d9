// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import MarketWire
import SheetCore
import Testing

@testable import MarketCatalog
@testable import MarketHTTP
@testable import MarketIngest
@testable import MarketPlatform

@Suite("What an upload's metadata may say")
struct UploadsRulesTests {
    static let good = UploadMetadata(
        name: "Night Shift", summary: "Two pages for a night at the archive", description: "## More\r\nA text.",
        gameSystem: "call-of-cthulhu", tags: ["investigation", "two-pages"], license: "cc-by-4.0", language: "EN-us",
        version: "1.0.0", changelog: nil)

    static func draft(
        _ change: (inout UploadMetadata) -> Void = { _ in }, baseTemplate: UploadMetadata? = nil
    ) async throws -> UploadDraft {
        var metadata = good
        change(&metadata)
        let names = PresentNames(gameSystem: { ["call-of-cthulhu", "cairn"].contains($0) ? $0 : nil })
        return try await DraftValidator.draft(of: metadata, baseTemplate: baseTemplate, names: names)
    }

    @Test("good metadata becomes a draft in canonical spelling")
    func canonical() async throws {
        let draft = try await Self.draft { $0.name = "  Cafe\u{301}\u{202E} \u{0}Noir " }
        #expect(draft.name == "Café Noir")
        #expect(draft.name.unicodeScalars.count == 9)
        #expect(draft.license == "CC-BY-4.0")
        #expect(draft.language == "en-US")
        #expect(draft.description == "## More\nA text.")
        #expect(draft.changelog == "")
        #expect(draft.metadata.version == "1.0.0")
    }

    @Test("a new version takes from the template what it leaves out")
    func baseTemplate() async throws {
        let metadata = UploadMetadata(summary: "Changed", version: "1.1.0", changelog: "Smaller margins")
        let draft = try await DraftValidator.draft(
            of: metadata, baseTemplate: Self.good, names: PresentNames(gameSystem: { $0 }))
        #expect(draft.name == "Night Shift")
        #expect(draft.summary == "Changed")
        #expect(draft.version == SemanticVersion(1, 1, 0))
        #expect(draft.changelog == "Smaller margins")
    }

    @Test("everything that is wrong is told at once")
    func allErrors() async throws {
        let error = await #expect(throws: CatalogError.self) {
            try await DraftValidator.draft(
                of: UploadMetadata(
                    name: "ab", summary: String(repeating: "s", count: 201),
                    description: String(repeating: "d", count: 20_001), gameSystem: "chess",
                    tags: ["Good-one", "bad tag", "-"],
                    license: "mine", language: "e", version: "1.0", changelog: String(repeating: "c", count: 10_001)),
                names: PresentNames(gameSystem: { _ in nil }))
        }
        #expect(error?.apiError.status == .unprocessableContent)
        #expect(error?.apiError.code == .validationFailed)
        #expect(
            Set(error?.apiError.errors.map(\.pointer) ?? []) == [
                "/name", "/summary", "/description", "/changelog", "/gameSystem", "/tags/1", "/tags/2", "/license",
                "/language", "/version",
            ])
    }

    @Test("a language is a registered tag, or named in plain words")
    func languages() async throws {
        for (given, stored) in [
            ("German", "de"), ("deutsch", "de"), (" Français ", "fr"), ("deu", "de"), ("iw", "he"),
            ("zh-hant-tw", "zh-Hant-TW"),
            ("Brazilian Portuguese", "pt-BR"), ("de-1996", "de-1996"), ("en-x-mine", "en-x-mine"), ("zh-yue", "yue"),
            ("sl-rozaj", "sl-rozaj"),
        ] {
            #expect(try await Self.draft { $0.language = given }.language == stored, "\(given)")
        }
        for given in ["klingon", "xx", "de-XX", "de-Abcd", "en-nothing", "qqq", "german-AT", "en-deu"] {
            let error = await #expect(throws: CatalogError.self) { try await Self.draft { $0.language = given } }
            #expect(error?.apiError.errors.first?.pointer == "/language", "\(given)")
        }
    }

    @Test("one kind of error alone has its own code")
    func codes() async throws {
        for version in ["1.0", "v1.0.0", "01.0.0", "1.0.0-", "", "1.0.0 beta", String(repeating: "1", count: 80)] {
            let error = await #expect(throws: CatalogError.self) { try await Self.draft { $0.version = version } }
            #expect(error?.apiError.code == .badVersion, "\(version)")
        }
        let error = await #expect(throws: CatalogError.self) { try await Self.draft { $0.gameSystem = "chess" } }
        #expect(error?.apiError.code == .unknownGameSystem)
        let missing = await #expect(throws: CatalogError.self) { try await Self.draft { $0.name = nil } }
        #expect(missing?.apiError.code == .validationFailed)
        #expect(missing?.apiError.errors == [.init(pointer: "/name", detail: "This is missing.")])
    }

    @Test("lengths hold at their limits")
    func lengths() async throws {
        _ = try await Self.draft { metadata in
            metadata.name = "abc"
            metadata.summary = String(repeating: "s", count: 200)
            metadata.description = String(repeating: "d", count: 20_000)
            metadata.changelog = String(repeating: "c", count: 10_000)
            metadata.tags = (0..<10).map { "t\($0)-" + String(repeating: "x", count: 29) }
        }
        for change in [
            { $0.name = String(repeating: "n", count: 81) }, { $0.summary = "" },
            { $0.summary = "\u{200}\u{0}".filter { _ in false } },
            { $0.tags = (0..<11).map { "t\($0)" } }, { $0.tags = [String(repeating: "x", count: 33)] },
            { $0.tags = ["two--hyphens"] }, { $0.license = "GPL" }, { $0.license = nil }, { $0.language = "en_US" },
        ] as [@Sendable (inout UploadMetadata) -> Void] {
            await #expect(throws: CatalogError.self) { try await Self.draft(change) }
        }
    }

    @Test(
        "language tags are those of BCP 47",
        arguments: [
            ("de", "de"), ("pt-br", "pt-BR"), ("zh-hant-tw", "zh-Hant-TW"), ("es-419", "es-419"),
            ("SL-rozaj", "sl-rozaj"),
            ("de-1996", "de-1996"), ("zh-cmn-hans-cn", "zh-cmn-Hans-CN"),
            ("en-a-myext-b-another", "en-a-myext-b-another"),
            ("de-x-rpg", "de-x-rpg"), ("e", nil), ("", nil), ("english-", nil), ("de--DE", nil), ("de-a", nil),
            ("de-x", nil),
            ("de_DE", nil), ("x-private", nil), ("de-ABCDEFGHI", nil), ("日本", nil), ("a-DE", nil),
            ("en-toolonganyway-abcdefgh-abcdefgh-abcdefgh", nil),
        ] as [(String, String?)])
    func languages(_ text: String, _ tag: String?) {
        #expect(LanguageTag(text)?.text == tag)
    }

    @Test(
        "file names keep their last part and nothing dangerous",
        arguments: [
            ("sheet.pdf", "sheet.pdf"), ("C:\\Users\\me\\Bogen 1.PDF", "Bogen 1.pdf"),
            ("../../etc/passwd", "passwd.pdf"),
            ("", "sheet.pdf"), (".pdf", "sheet.pdf"), ("...hidden.pdf", "hidden.pdf"), ("a\r\nb\".pdf", "ab.pdf"),
            ("con|weird?.pdf", "conweird.pdf"), ("角.pdf", "角.pdf"), ("/", "sheet.pdf"),
            ("bundle.zip", "bundle.zip"), ("Skills.FSTemplate", "Skills.fstemplate"), ("run.exe", "run.exe.pdf"),
        ])
    func fileNames(_ given: String, _ name: String) {
        #expect(given.cleanedFileName() == name)
        #expect(String(repeating: given, count: 300).cleanedFileName().utf8.count <= 204)
    }

    @Test("slugs are numbered, stay short, and never look like ids")
    func slugs() {
        #expect(TemplateSlug.candidate(for: "Café Noir!", attempt: 1).text == "cafe-noir")
        #expect(TemplateSlug.candidate(for: "Café Noir!", attempt: 2).text == "cafe-noir-2")
        #expect(TemplateSlug.candidate(for: "🎲🎲🎲", attempt: 1).text == "sheet")
        #expect(TemplateSlug.candidate(for: "🎲🎲🎲", attempt: 3).text == "sheet-3")
        let long = String(repeating: "abcdefgh ", count: 20)
        for attempt in 1...30 { #expect(TemplateSlug.candidate(for: long, attempt: attempt).text.count <= 64) }
        let id = TemplateID.make().description
        #expect(TemplateSlug.candidate(for: id, attempt: 1).text == "sheet-\(id)")
    }

    @Test("licence identifiers are known whatever their case, and are no duplicates")
    func licenses() {
        #expect(LicenseCatalog.identifier("cc0-1.0") == "CC0-1.0")
        #expect(LicenseCatalog.identifier("proprietary") == nil)
        #expect(Set(LicenseCatalog.identifiers.map { $0.lowercased() }).count == LicenseCatalog.identifiers.count)
    }
}
