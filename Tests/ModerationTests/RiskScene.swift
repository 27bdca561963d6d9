// SPDX-License-Identifier: Apache-2.0
import Foundation
import SheetCore

@testable import Moderation

/// The rules that come with the program, and submissions to try them on.
enum RiskScene {
    static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appending(path: "../../rules").standardizedFileURL

    static func file(_ name: String) throws -> Data {
        try Data(contentsOf: folder.appending(path: name))
    }

    static func shipped() throws -> RiskRules {
        try RiskRules(
            rules: file("risk.json"), words: file("prohibited-words.json"), publishers: file("publishers.json"))
    }

    /// The shipped words and publishers with rules of a test's own.
    static func rules(_ rules: String, version: String = "test") throws -> RiskRules {
        try RiskRules(
            rules: Data(#"{"format": "sheetmarket.risk.1", "version": "\#(version)", "rules": [\#(rules)]}"#.utf8),
            words: file("prohibited-words.json"), publishers: file("publishers.json"))
    }

    /// A first upload that nothing speaks against, by somebody who was approved before.
    static var harmless: RiskFacts {
        var facts = RiskFacts()
        facts.license = "CC-BY-4.0"
        facts.pageCount = 2
        facts.passages = [
            .init(.name, "Lantern & Blade"),
            .init(.summary, "A two-page sheet for D&D 5e, made by the Assassins' Guild."),
            .init(.description, "For classes of the basement. Scunthorpe is a place; so is the Arsenal."),
            .init(.page, page: 0, "S T R  D E X  C O N  Abilities Skills Hit Points 3d6 1st 2nd Analysis Cockatrice"),
            .init(.page, page: 1, "Cono de frío. Pedal. Chink in the armour. Fickle fate. Grass. © 2026 The author"),
        ]
        facts.names = [name(.template, "Lantern & Blade"), name(.author, "ada")]
        facts.author = trusted
        return facts
    }

    static var trusted: AuthorRecord {
        var record = AuthorRecord()
        record.accountDays = 400
        record.approvals = 4
        record.uploadsToday = 1
        return record
    }

    static func name(_ kind: RiskFacts.NameKind, _ text: String, looksLike skeleton: String? = nil) -> RiskFacts.Name {
        .init(kind, text, skeletons: [skeleton ?? text.lowercased()])
    }

    static func similarity(_ fate: RiskFacts.Fate, page: Int = 0, of template: TemplateID = .make())
        -> RiskFacts.Similarity
    {
        .init(
            fate: fate, page: page, template: template, submission: .make(), name: "Ledger", version: "1.0.0",
            otherPage: page)
    }
}
