// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketPages
import MarketPlatform
import MarketWire
import Moderation
import NIOHTTP1
import Postgres
import SheetCore
import TestSupport
import Testing

@testable import MarketAccounts
@testable import ModerationService

@Suite("Risk of uploads, with the real reader")
struct RiskTests {
    /// What the checks made of a submission.
    static func risk(_ id: SubmissionID, _ market: TestMarket) async throws -> CaseRisk {
        try #require(try await RiskService.caseRisk(of: id, in: market.features.database))
    }

    static func score(of id: SubmissionID, _ market: TestMarket) async throws -> Int? {
        try await market.features.database.first("SELECT risk FROM cases WHERE submission_id = \(id)") { try $0.get(0) }
    }

    static func upload(
        _ file: Data, _ metadata: UploadMetadata, as author: TestHTTP, of template: String? = nil,
        until states: Set<SubmissionState> = [.awaitingReview, .rejected, .published]
    ) async throws -> SubmissionStatus {
        let path = template.map { "\(Paths.template($0))/versions" } ?? "\(Paths.base)/templates"
        let answer = try await author.upload(path, metadata: metadata, file: file, fileName: "sheet.pdf")
        #expect(answer.status == 202, "\(answer.text)")
        return try await author.submission(answer.json(SubmissionStatus.self).id, reaches: states)
    }

    /// Makes an account old enough to be trusted.
    static func age(_ handle: String, _ market: TestMarket) async throws {
        try await market.features.database.execute(
            "UPDATE users SET created_at = now() - interval '400 days' WHERE handle = \(handle)")
    }

    @Test("a case carries its score with the rules that made it, and pages that look the same side by side")
    func cases() async throws {
        try await withMarket(workers: 1) { market in
            let ada = try await market.person("ada")
            let mo = try await market.person("mo", role: .moderator)
            let first = try await PageSimilarityTests.read(
                PageSimilarityTests.sheet([PageSimilarityTests.headings, ["Spells"]]), as: ada, name: "Ledger of Ada")
            let plain = try await Self.risk(first.id, market)
            #expect(plain.hits.map(\.code) == ["account_new", "first_upload"] && plain.score == 20)
            #expect(plain.route == "moderator" && plain.obstacles.contains("new_template") && plain.alike.isEmpty)
            #expect(try await Self.score(of: first.id, market) == 20)
            #expect(try await mo.decide(first).status == 200)

            var metadata = PageSimilarityTests.metadata("Ledger 0f Ada")
            metadata.description = "Alle Rechte vorbehalten. [paizo.com](https://bit.ly/x)"
            let bob = try await market.person("bob")
            let copy = try await Self.upload(
                PageSimilarityTests.sheet([["Cover"], PageSimilarityTests.reworded]), metadata, as: bob)
            let risk = try await Self.risk(copy.id, market)
            let codes = Set(risk.hits.map(\.code))
            #expect(
                codes.isSuperset(of: [
                    "finding_warning", "near_duplicate_page", "near_duplicate_sheet", "license_conflict",
                    "link_shortener", "link_mismatch", "name_confusable",
                ]), "\(risk.hits)")
            #expect(risk.score == 100)
            #expect(try await Self.score(of: copy.id, market) == 100)
            let pair = try #require(risk.alike.first)
            #expect(pair.page == 1 && pair.otherPage == 0 && pair.otherTemplateId == first.templateId)
            #expect(pair.otherTemplateName == "Ledger of Ada" && pair.otherState == "published")
            let shown = try await mo.get(Paths.moderationCase(try #require(copy.caseId).description))
                .json(CaseDetail.self)
            #expect(shown.risk?.hits == risk.hits && shown.summary.risk == 100)
            // What differs is drawn by a later job, perhaps between the two looks.
            let looks = [shown.risk?.alike ?? [], risk.alike].map { pairs in
                pairs.map { pair in
                    var pair = pair
                    pair.difference = nil
                    return pair
                }
            }
            #expect(looks[0] == looks[1])
            for (url, hash) in [(pair.previewURL, pair.previewSHA256), (pair.otherPreviewURL, pair.otherPreviewSHA256)]
            {
                #expect(try await mo.get(url).status == 200, "\(url)")
                #expect(hash != nil)
            }
        }
    }

    @Test("what was taken down is known again, whoever sends it, and so are its bytes")
    func takenDown() async throws {
        try await withMarket(workers: 1) { market in
            let ada = try await market.person("ada")
            let mo = try await market.person("mo", role: .moderator)
            let sheet = PageSimilarityTests.sheet([PageSimilarityTests.headings])
            let first = try await PageSimilarityTests.read(sheet, as: ada)
            #expect(try await mo.decide(first).status == 200)
            try await market.features.database.execute("UPDATE versions SET state = 'taken_down'")
            let again = try await PageSimilarityTests.read(
                PageSimilarityTests.sheet([PageSimilarityTests.reworded]), as: ada, name: "Mine again")
            let finding = try #require(again.findings.first { $0.code == .nearDuplicate }, "\(again.findings)")
            #expect(finding.severity == .warning && finding.message.contains("which was taken down"))
            let risk = try await Self.risk(again.id, market)
            #expect(risk.hits.contains { $0.code == "near_duplicate_taken_down" })
            #expect(risk.hits.contains { $0.code == "taken_down_before" })
            #expect(risk.alike.map(\.otherState) == ["taken_down"])
            let same = try await PageSimilarityTests.read(sheet, as: try await market.person("bob"), name: "Another")
            #expect(try await Self.risk(same.id, market).hits.contains { $0.code == "duplicate_taken_down" })
        }
    }

    /// A market that trusts after two approvals, and audits what `draw` says.
    static func trusting(
        draw: Double = 0.5, shadow: RiskRules? = nil, _ body: @escaping @Sendable (TestMarket) async throws -> Void
    ) async throws {
        var policy = RiskPolicy(rules: try TestRules.shared.get(), shadow: shadow)
        policy.terms.leastApprovals = 2
        policy.draw = { draw }
        try await withMarket(workers: 1, risk: policy, body)
    }

    static let pages = [
        PageSimilarityTests.headings, ["Backpack", "Coins", "Horses", "Carts", "Land"],
        ["Secrets", "Debts", "Rumours"],
        ["Cover", "Map"],
    ]

    /// Two approved templates of an old account: the second can be updated.
    static func trustedAuthor(_ market: TestMarket) async throws -> (ada: TestHTTP, sheet: SubmissionStatus) {
        let ada = try await market.person("ada")
        let mo = try await market.person("mo", role: .moderator)
        try await age("ada", market)
        var last: SubmissionStatus?
        for (number, name) in ["Opening moves", "Ledger"].enumerated() {
            let pages = number == 0 ? [["Goals", "Plans", "Walls"]] : pages
            let sheet = try await PageSimilarityTests.read(PageSimilarityTests.sheet(pages), as: ada, name: name)
            #expect(try await mo.decide(sheet).status == 200)
            last = sheet
        }
        return (ada, try #require(last))
    }

    /// The months' approvals together, by who made them, as the public numbers count them.
    static func approvals(_ market: TestMarket) async throws -> [String: Double] {
        let lines = try await TransparencyStore.lines(
            from: Date(timeIntervalSinceNow: -40 * 86_400), market.features.database)
        return lines.filter { $0.topic == "approvals" }.reduce(into: [:]) { $0[$1.code, default: 0] += $1.value }
    }

    @Test("a small update of a trusted author is published at once, in the name of the service, and logged")
    func trusted() async throws {
        try await Self.trusting { market in
            let (ada, sheet) = try await Self.trustedAuthor(market)
            let update = try await Self.upload(
                PageSimilarityTests.sheet(Self.pages, ballast: 3000), .init(version: "1.0.1", changelog: "Smaller."),
                as: ada,
                of: sheet.templateSlug)
            let risk = try await Self.risk(update.id, market)
            #expect(update.state == .published, "\(update.findings) \(risk.hits) \(risk.obstacles)")
            #expect(risk.route == "approved" && risk.score == 0 && risk.obstacles.isEmpty)
            #expect(try await Self.score(of: update.id, market) == nil, "no case")
            let detail = try await market.http.get(Paths.template(sheet.templateSlug)).json(TemplateDetail.self)
            #expect(detail.summary.version.description == "1.0.1")
            let entry = try #require(
                try await AuditLog.entries(before: nil, limit: 1, in: market.features.database).first)
            #expect(entry.action == "submission.approved_by_rules" && entry.actor == "system" && entry.actorID == nil)
            #expect(entry.subject == "submission:\(update.id)")
            let emails = try await JobsIngestTests.emails("submission_published", market.features)
            #expect(emails.count == 1, "\(emails)")
            let message = try #require(emails.first)
            #expect(message.hasPrefix("ada@example.org\nLedger 1.0.1: published\n"), "\(message)")
            #expect(message.contains("https://market.example/submissions/\(update.id)"))
            #expect(try await Self.approvals(market) == ["human": 2, "automatic": 1])
        }
    }

    @Test("an author who takes somebody else's name between two versions is trusted no more")
    func renamed() async throws {
        try await Self.trusting { market in
            let (ada, sheet) = try await Self.trustedAuthor(market)
            _ = try await market.person("sheetmaker", role: .moderator)
            try await market.features.database.execute(
                "UPDATE users SET display_name = 'sheetmkaer' WHERE handle = 'ada'")
            let update = try await Self.upload(
                PageSimilarityTests.sheet(Self.pages, ballast: 3000), .init(version: "1.0.1", changelog: "Smaller."),
                as: ada,
                of: sheet.templateSlug)
            let risk = try await Self.risk(update.id, market)
            #expect(update.state == .awaitingReview && risk.route == "moderator")
            #expect(risk.hits.contains { $0.code == "author_near" }, "\(risk.hits)")
        }
    }

    @Test("a warned author is trusted no more, and the score says why")
    func warned() async throws {
        try await Self.trusting { market in
            let (ada, sheet) = try await Self.trustedAuthor(market)
            let id = try #require(
                try await market.features.database.first("SELECT id FROM users WHERE handle = 'ada'") {
                    try $0.get(0, as: UserID.self)
                })
            try await market.features.database.withTransaction { connection in
                let sanction = Sanction(id: .make(), .warning, reasonCode: "spam", message: "Advertising.")
                try await Enforcement.impose(sanction, on: id, decision: nil, at: Date(), in: connection)
            }
            let update = try await Self.upload(
                PageSimilarityTests.sheet(Self.pages, ballast: 3000), .init(version: "1.0.1", changelog: "Smaller."),
                as: ada,
                of: sheet.templateSlug)
            let risk = try await Self.risk(update.id, market)
            #expect(update.state == .awaitingReview && risk.route == "moderator")
            #expect(risk.hits.contains { $0.code == "strikes" }, "\(risk.hits)")
        }
    }

    @Test("a share of them comes before a moderator afterwards")
    func audited() async throws {
        try await Self.trusting(draw: 0.05) { market in
            let (ada, sheet) = try await Self.trustedAuthor(market)
            let update = try await Self.upload(
                PageSimilarityTests.sheet(Self.pages, ballast: 3000), .init(version: "1.0.1", changelog: "Smaller."),
                as: ada,
                of: sheet.templateSlug)
            #expect(update.state == .published)
            #expect(try await Self.risk(update.id, market).route == "audited")
            let isAudit = try await market.features.database.scalar(
                "SELECT is_audit FROM cases WHERE submission_id = \(update.id)", as: Bool.self)
            #expect(isAudit)
            let mo = try await market.person("mo2", role: .moderator)
            #expect(try await mo.decide(update).status == 200)
            let list = try await mo.get("\(Paths.base)/moderation/rules").json(RiskRuleList.self)
            #expect(list.trusted.approved == 1 && list.trusted.audited == 1)
            #expect(list.trusted.auditsDecided == 1 && list.trusted.auditsAgreed == 1)
            #expect(try await Self.approvals(market) == ["human": 2, "automatic": 1], "an audit approves nothing")
            let again = try await market.http.get(Paths.template(sheet.templateSlug)).json(TemplateDetail.self)
            #expect(again.summary.version.description == "1.0.1", "it stays on offer")
        }
    }

    @Test("with a warning, a large change, another licence or a new account a moderator decides")
    func notTrusted() async throws {
        try await Self.trusting { market in
            let (ada, sheet) = try await Self.trustedAuthor(market)
            var number = 0
            func obstacles(_ pages: [[String]], _ change: UploadMetadata = .init()) async throws -> [String] {
                number += 1
                var metadata = change
                metadata.version = "1.\(number).0"
                metadata.changelog = metadata.changelog ?? "More."
                let update = try await Self.upload(
                    PageSimilarityTests.sheet(pages, ballast: 1000 * number), metadata, as: ada, of: sheet.templateSlug)
                #expect(update.state == .awaitingReview)
                return try await Self.risk(update.id, market).obstacles
            }
            #expect(try await obstacles([["All", "of", "it", "anew"]]).contains("large_change"))
            #expect(try await obstacles(Self.pages, .init(license: "CC0-1.0")) == ["risk", "metadata"])
            #expect(try await obstacles(Self.pages, .init(changelog: "Sieg Heil")) == ["risk"])
            let bob = try await market.person("bob")
            let mo = try await market.person("mo2", role: .moderator)
            let other = try await PageSimilarityTests.read(
                PageSimilarityTests.sheet([["Tide", "Harbour", "Ships", "Crew", "Wind"]]), as: bob, name: "Tide tables")
            #expect(try await mo.decide(other).status == 200)
            // The same pages as somebody else's are a warning.
            #expect(
                try await obstacles(Self.pages + [["Tide", "Harbour", "Ships", "Crew", "Wind"]]) == ["warning", "risk"])
            try await market.features.database.execute("UPDATE users SET created_at = now() WHERE handle = 'ada'")
            #expect(try await obstacles(Self.pages).contains("account_age"))
        }
    }

    @Test("the database refuses what the trusted path must never do")
    func refused() async throws {
        try await withMarket(workers: 1) { market in
            let ada = try await market.person("ada")
            let sheet = try await PageSimilarityTests.read(
                PageSimilarityTests.sheet([PageSimilarityTests.headings]), as: ada)
            let database = market.features.database
            await #expect(throws: PostgresError.self) {
                try await database.execute("UPDATE risk_assessments SET route = 'approved', obstacles = '{}'")
            }
            try await database.execute(
                """
                UPDATE submissions SET findings = '[{"code": "x", "severity": "warning", "message": "y"}]'
                WHERE id = \(sheet.id)
                """)
            await #expect(throws: PostgresError.self) {
                try await database.execute(
                    "UPDATE risk_assessments SET route = 'audited', obstacles = '{}', score = 0")
            }
        }
    }

    @Test("rules are tried beside those in force, their figures are the moderators' to see, others can be compared")
    func figures() async throws {
        let strict = try Self.rules(
            #"{"code": "account_new", "check": "account_age", "days": 7, "weight": 77, "mode": "on"}"#)
        try await Self.trusting(shadow: strict) { market in
            let ada = try await market.person("ada")
            let mo = try await market.person("mo", role: .moderator)
            let sheet = try await PageSimilarityTests.read(
                PageSimilarityTests.sheet([PageSimilarityTests.headings]), as: ada)
            let risk = try await Self.risk(sheet.id, market)
            #expect(risk.score == 20 && risk.shadow == .init(score: 77, rulesVersion: "strict"))
            #expect(try await mo.decide(sheet).status == 200)
            #expect(try await ada.get("\(Paths.base)/moderation/rules").status == 403)
            #expect(try await mo.get("\(Paths.base)/moderation/rules?days=0").status == 422)
            let list = try await mo.get("\(Paths.base)/moderation/rules").json(RiskRuleList.self)
            #expect(list.days == 30 && list.trusted.approvals == 2 && list.trusted.approved == 0)
            let rule = try #require(list.current?.rules.first { $0.code == "account_new" })
            #expect(rule.hits == 1 && rule.published == 1 && rule.refused == 0 && rule.mode == "on")
            #expect(list.current?.meanScore == 20 && list.current?.meanScorePublished == 20)
            #expect(list.shadow?.meanScore == 77 && list.shadow?.version == "strict")

            let comparison = try await RiskReview(moderation: market.features.moderation).compare(strict)
            #expect(comparison.count == 1 && comparison.before == 20 && comparison.after == 77)
            #expect(comparison.changes.map(\.submission) == [sheet.id])
            #expect(comparison.hits["first_upload"]?.before == 1 && comparison.hits["first_upload"]?.after == 0)
        }
    }

    @Test("an edit that a rule objects to opens a case on the template; a harmless one does not")
    func edits() async throws {
        try await withMarket(workers: 1) { market in
            let ada = try await market.person("ada")
            let mo = try await market.person("mo", role: .moderator)
            let sheet = try await PageSimilarityTests.read(
                PageSimilarityTests.sheet([PageSimilarityTests.headings]), as: ada)
            #expect(try await mo.decide(sheet).status == 200)
            let path = Paths.template(sheet.templateSlug)
            func cases() async throws -> [CaseSummary] {
                try await mo.get("\(Paths.base)/moderation/queue").json(CaseList.self).cases
            }
            func edit(_ patch: TemplatePatch) async throws {
                let answer = try await ada.send(.PATCH, path, json: patch)
                #expect(answer.status == 200, "\(answer.text)")
            }
            try await edit(TemplatePatch(summary: "Shorter.", description: "See https://a.example/ for more."))
            #expect(try await cases().isEmpty)
            try await edit(TemplatePatch(description: "[chaosium.com](https://evil.example/)"))
            let found = try #require(try await cases().first)
            #expect(found.risk == 35 && found.templateId == sheet.templateId)
            let risk = try await mo.get(Paths.moderationCase(found.id.description)).json(CaseDetail.self).risk
            #expect(risk?.route == "edited" && risk?.hits.map(\.code) == ["link_mismatch"])
            try await edit(TemplatePatch(summary: "Sieg heil."))
            let again = try await cases()
            #expect(again.map(\.id) == [found.id] && again.first?.risk == 60)
        }
    }

    @Test("who changes their handle is no longer named, by their own assessments and by others'")
    func forgotten() async throws {
        try await withMarket(workers: 1) { market in
            let mo = try await market.person("mo", role: .moderator)
            let first = try await PageSimilarityTests.read(
                PageSimilarityTests.sheet([PageSimilarityTests.headings]), as: try await market.person("sheetmaker"))
            #expect(try await mo.decide(first).status == 200)
            let second = try await PageSimilarityTests.read(
                PageSimilarityTests.sheet([["Tide", "Harbour", "Ships"]]), as: try await market.person("sheetmkaer"),
                name: "Tide tables")
            let before = try await Self.risk(second.id, market)
            let named = try #require(before.hits.first { $0.code == "author_near" }?.evidence.first)
            #expect(named.detail.contains("'sheetmaker'"))
            try await market.features.database.execute(
                "UPDATE users SET handle = 'former-1', display_name = 'Former member' WHERE handle = 'sheetmaker'")
            let after = try await Self.risk(second.id, market)
            #expect(after.hits.map(\.code) == before.hits.map(\.code) && after.score == before.score)
            #expect(
                after.hits.first { $0.code == "author_near" }?.evidence.map(\.detail)
                    == ["Of a name that is no longer shown."])
            for column in ["hits", "facts"] {
                let left = try await market.features.database.scalar(
                    "SELECT count(*) FROM risk_assessments WHERE strpos(\(ident: column)::text, 'sheetmaker') > 0",
                    as: Int.self)
                #expect(left == 0, "\(column)")
            }
        }
    }

    static func rules(_ text: String) throws -> RiskRules {
        let folder = try ScratchFolder("rules")
        try Data(#"{"format": "sheetmarket.risk.1", "version": "strict", "rules": [\#(text)]}"#.utf8)
            .write(to: folder.url.appendingPathComponent("risk.json"))
        return try RulesFolder.read(
            folder.url, shipped: BuildProducts.root.appendingPathComponent("rules"))
    }

    @Test("a folder of rules may have some of the files, not none, and no broken one")
    func folders() throws {
        #expect(try Self.rules(#"{"code": "a", "check": "link_risky", "weight": 1, "mode": "on"}"#).version == "strict")
        let shipped = BuildProducts.root.appendingPathComponent("rules")
        let empty = try ScratchFolder("rules")
        #expect(throws: RiskRulesError.self) { try RulesFolder.read(empty.url, shipped: shipped) }
        try Data("[]".utf8).write(to: empty.url.appendingPathComponent("publishers.json"))
        let error = #expect(throws: RiskRulesError.self) { try RulesFolder.read(empty.url, shipped: shipped) }
        #expect(error?.description.contains("publishers.json") == true)
    }

    @Test("skeletons: what looks the same has the same, in capitals and small letters; mixed scripts are remarked")
    func skeletons() {
        func alike(_ one: String, _ other: String) -> Bool {
            let one = RiskFacts.Name(.template, one)
            let other = RiskFacts.Name(.template, other)
            return one.skeletons.contains { other.skeletons.contains($0) }
        }
        #expect(alike("Pathfinder", "Раthfіnder"))
        #expect(alike("morgan", "rnorgan"))
        #expect(alike("Ironsworn", "lronsworn"))
        #expect(alike("paizo", "paiz0"))
        #expect(alike("Far Orbit", "FarOrbit"))
        #expect(!alike("Ironsworn", "Oathbound"))
        #expect(RiskFacts.Name(.template, "Раthfinder").isSuspicious)
        #expect(!RiskFacts.Name(.template, "Dossier d’Enquête № 2").isSuspicious)
        #expect(!RiskFacts.Name(.template, "Чёрная книга").isSuspicious)
        #expect(RiskFacts.Name(.template, "").skeletons.isEmpty)
    }
}
