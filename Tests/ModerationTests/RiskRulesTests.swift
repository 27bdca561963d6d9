// SPDX-License-Identifier: Apache-2.0
import Foundation
import SheetCore
import Testing

@testable import Moderation

@Suite("The rules of the risk score")
struct RiskRulesTests {
    /// For each shipped rule, what makes it hit.
    static let table: [(code: String, facts: @Sendable (inout RiskFacts) -> Void)] = [
        ("finding_warning", { $0.findings = [Finding(.privateMetadata, .warning, message: "A path.")] }),
        ("duplicate_published", { $0.twins = [.init(fate: .published, name: "Ledger", version: "1.0.0")] }),
        ("duplicate_taken_down", { $0.twins = [.init(fate: .takenDown, name: "Ledger", version: "1.0.0")] }),
        ("duplicate_rejected", { $0.twins = [.init(fate: .rejected, name: "Ledger", version: "1.0.0")] }),
        ("near_duplicate_page", { $0.similarities = [RiskScene.similarity(.published)] }),
        ("near_duplicate_sheet", { $0.similarities = [RiskScene.similarity(.published)] }),
        ("near_duplicate_taken_down", { $0.similarities = [RiskScene.similarity(.takenDown)] }),
        (
            "name_confusable",
            {
                $0.names = [RiskScene.name(.template, "Lаntern", looksLike: "lantern")]
                $0.knownNames = [RiskScene.name(.template, "Lantern")]
            }
        ),
        (
            "name_same",
            {
                $0.knownNames = [
                    RiskScene.name(.template, "Lantern and blade"), RiskScene.name(.template, "LANTERN, BLADE"),
                ]
            }
        ),
        ("name_near", { $0.knownNames = [RiskScene.name(.template, "Lantern Blades")] }),
        (
            "author_confusable",
            {
                $0.names = [RiskScene.name(.author, "rnorgan", looksLike: "morgan")]
                $0.knownNames = [RiskScene.name(.author, "morgan")]
            }
        ),
        (
            "author_near",
            {
                $0.names = [RiskScene.name(.author, "sheetmaker")]
                $0.knownNames = [RiskScene.name(.author, "sheetmkaer")]
            }
        ),
        (
            "author_as_publisher",
            {
                $0.names = [RiskScene.name(.author, "wizards-of-the-coast")]
                $0.knownNames = [RiskScene.name(.publisher, "Wizards of the Coast")]
            }
        ),
        (
            "author_near_publisher",
            {
                $0.names = [RiskScene.name(.author, "wizards-of-the-coasts")]
                $0.knownNames = [RiskScene.name(.publisher, "Wizards of the Coast")]
            }
        ),
        ("name_mixed_scripts", { $0.names = [.init(.template, "Lаntern", skeletons: [], isSuspicious: true)] }),
        ("publisher_copyright", { $0.passages.append(.init(.page, page: 0, "© 1993-2020 Wizards of the Coast LLC.")) }),
        ("publisher_mark", { $0.passages.append(.init(.page, page: 0, "DUNGEONS & DRAGONS® Character Sheet")) }),
        ("official_name", { $0.passages.append(.init(.name, "The official Pathfinder sheet")) }),
        ("license_conflict", { $0.passages.append(.init(.page, page: 1, "Alle Rechte vorbehalten.")) }),
        ("words_hateful", { $0.passages.append(.init(.description, "Sieg Heil")) }),
        ("words_hateful_hidden", { $0.passages.append(.init(.page, page: 0, "n1gger")) }),
        ("words_sexual", { $0.passages.append(.init(.summary, "With hentai pictures")) }),
        ("words_profane", { $0.passages.append(.init(.page, page: 0, "ZAJEBISTY arkusz, Scheiße!")) }),
        ("words_hidden", { $0.passages.append(.init(.page, page: 0, "f u c k this")) }),
        (
            "links_many",
            { facts in facts.links = (0..<13).map { .init(.page, page: 0, target: "https://a.example/\($0)") } }
        ),
        ("link_shortener", { $0.links = [.init(.page, page: 0, target: "https://www.bit.ly/x")] }),
        (
            "link_mismatch",
            {
                $0.links = RiskFacts.links(
                    inMarkdown: "[www.paizo.com](https://evil.example/paizo.com)", place: .description)
            }
        ),
        ("link_risky", { $0.links = [.init(.changelog, target: "http://192.0.2.7/setup.exe")] }),
        ("account_new", { $0.author.accountDays = 2 }),
        ("first_upload", { $0.author.approvals = 0 }),
        ("many_uploads", { $0.author.uploadsToday = 11 }),
        ("refused_of_late", { $0.author.refusals = 2 }),
        ("taken_down_before", { $0.author.takeDowns = 1 }),
        ("strikes", { $0.author.strikes = 1 }),
        ("reported", { $0.author.openReports = 1 }),
        ("approved_often", { $0.author.approvals = 5 }),
        ("redesign", { $0.change = .init(ink: .shifted, pagesBefore: 2, pagesChanged: 1) }),
        ("terms_changed", { $0.change = .init(ink: .compatible, pagesBefore: 2, metadata: ["license"]) }),
        ("renamed", { $0.change = .init(ink: .compatible, pagesBefore: 2, metadata: ["name"]) }),
    ]

    @Test("every shipped rule has a row here, and no rule of another name has")
    func complete() throws {
        #expect(try RiskScene.shipped().rules.map(\.code).sorted() == Self.table.map(\.code).sorted())
    }

    @Test("each shipped rule hits what it is for, with its weight and evidence", arguments: table.indices)
    func hits(row: Int) throws {
        let (code, change) = Self.table[row]
        let rules = try RiskScene.shipped()
        var facts = RiskScene.harmless
        change(&facts)
        let assessment = rules.assess(facts)
        let hit = try #require(assessment.hits.first { $0.code == code }, "\(assessment.hits)")
        let rule = try #require(rules.rules.first { $0.code == code })
        #expect(hit.isShadow == (rule.mode == .shadow))
        #expect(hit.weight == (rule.most.map { min($0, rule.weight * hit.evidence.count) } ?? rule.weight))
        #expect(!hit.evidence.isEmpty && hit.evidence.allSatisfy { !$0.detail.isEmpty })
        #expect(assessment.rulesVersion == rules.version)
    }

    @Test("nothing speaks against a harmless sheet, whatever harmless words begin or end like")
    func harmless() throws {
        let assessment = try RiskScene.shipped().assess(RiskScene.harmless)
        #expect(assessment.hits.isEmpty, "\(assessment.hits)")
        #expect(assessment.score == 0 && !assessment.hasObjection)
    }

    @Test("the score is the sum of what counts, from 0 to 100; what is tried counts for nothing")
    func score() throws {
        let rules = try RiskScene.rules(
            """
            {"code": "a", "check": "refusals", "least": 1, "weight": 70, "mode": "on"},
            {"code": "b", "check": "take_downs", "least": 1, "weight": 80, "mode": "on"},
            {"code": "c", "check": "strikes", "least": 1, "weight": 90, "mode": "shadow"},
            {"code": "d", "check": "past_approvals", "least": 1, "weight": -20, "mode": "on"},
            {"code": "e", "check": "open_reports", "least": 1, "weight": 9, "mode": "off"}
            """)
        var facts = RiskFacts()
        facts.author.strikes = 5
        facts.author.openReports = 5
        #expect(rules.assess(facts).score == 0 && rules.assess(facts).hits.map(\.code) == ["c"])
        facts.author.approvals = 1
        #expect(rules.assess(facts).score == 0 && !rules.assess(facts).hasObjection)
        facts.author.refusals = 1
        #expect(rules.assess(facts).score == 50 && rules.assess(facts).hasObjection)
        facts.author.takeDowns = 1
        #expect(rules.assess(facts).score == 100)
    }

    @Test("a licence that the holder can give fits the holder's lines")
    func licences() throws {
        let rules = try RiskScene.shipped()
        var facts = RiskScene.harmless
        facts.passages = [.init(.page, page: 0, "Licensed CC BY-NC-SA 4.0. For personal use only.")]
        for (license, codes) in [
            ("CC-BY-4.0", ["license_conflict"]), ("CC-BY-NC-SA-4.0", []), ("LicenseRef-OGL-1.0a", []),
        ] {
            facts.license = license
            #expect(rules.assess(facts).hits.map(\.code) == codes, "\(license)")
        }
    }

    @Test("words are found however they are hidden, and never inside of others")
    func words() throws {
        let rules = try RiskScene.rules(
            """
            {"code": "plain", "check": "prohibited_word", "severities": ["profane"], "hidden": false, "weight": 1, "mode": "on"},
            {"code": "hidden", "check": "prohibited_word", "severities": ["profane"], "hidden": true, "weight": 1, "mode": "on"}
            """)
        func found(_ text: String) -> [String] {
            var facts = RiskFacts()
            facts.passages = [.init(.page, page: 0, text)]
            return rules.assess(facts).hits.map(\.code)
        }
        for text in ["FUCKING", "Fu\u{200B}ck", "ｆｕｃｋ", "fúck", "Hijo de  PUTA", "kurwę", "arschlöcher"] {
            #expect(found(text) == ["plain"], "\(text)")
        }
        for text in ["fuuuuck", "sh1t", "5hit", "s.h.i.t", "s h i t", "S-H-I-T", "b1tch"] {
            #expect(found(text).contains("hidden"), "\(text)")
        }
        for text in ["shiitake", "Shittim wood", "a b c d e f", "assign", "3d6", "1st 2nd", "Dick Whittington"] {
            #expect(found(text) == [], "\(text)")
        }
    }

    @Test("what is wrong with files of rules is told, all at once")
    func problems() throws {
        let bad = """
            {"code": "a", "check": "refusals", "least": 0, "weight": 700, "mode": "on"},
            {"code": "B!", "check": "nonsense", "weight": 5, "mode": "maybe"},
            {"code": "c", "check": "link_mismatch", "weight": 5, "mode": "on", "domains": ["x"]},
            {"code": "c", "check": "license_conflict", "notices": ["none_such"], "weight": 5, "mode": "on"},
            {"code": "c", "check": "link_risky", "weight": -5, "most": 20, "mode": "on"},
            {"code": "d", "check": "near_duplicate", "fate": "rejected", "leastShare": 0, "weight": 5, "mode": "on"}
            """
        let error = #expect(throws: RiskRulesError.self) { _ = try RiskScene.rules(bad, version: "") }
        let problems = error?.description ?? ""
        for problem in [
            "the version must be", "rule a: 'weight' must be a whole number from -100 to 100",
            "rule a: 'least' must be a whole number", "rule B!: there is no check 'nonsense'",
            "rule B!: its code is no word", "rule B!: 'mode' must be one of on, shadow, off",
            "rule c: 'domains' means nothing here", "rule c: 'most' goes with positive weights only",
            "publishers.json has no notice 'none_such'", "rule d: 'fate' is published or taken_down here",
        ] {
            #expect(problems.contains(problem), "\(problem) in \(problems)")
        }
        let broken = #expect(throws: RiskRulesError.self) {
            _ = try RiskRules(rules: Data("{".utf8), words: Data("{}".utf8), publishers: Data("{}".utf8))
        }
        #expect(broken?.problems == ["risk.json: it is no JSON"])
    }

    @Test("names: the same letters, characters that look the same, typing errors; a number more is a family")
    func names() {
        func similarity(_ one: String, _ other: String, _ skeletons: (String, String)? = nil) -> NameSimilarity? {
            NameSimilarity.of(
                RiskScene.name(.template, one, looksLike: skeletons?.0),
                to: RiskScene.name(.template, other, looksLike: skeletons?.1))
        }
        #expect(similarity("Far Orbit", "far-orbit") == .same)
        #expect(similarity("Fаr Orbit", "Far Orbit", ("farorbit", "farorbit")) == .confusable)
        #expect(similarity("Ironsworn", "Ironsowrn") == .near)
        #expect(similarity("Oathbound Journal", "Oathbuond Journals") == .near)
        #expect(similarity("Cairn", "Cairm") == nil, "too short for errors")
        #expect(similarity("Dungeon sheet A4", "Dungeon sheet A5") == nil)
        #expect(similarity("Oathbound Journal", "Lantern and Blade") == nil)
        #expect(similarity("", "") == nil)
    }

    @Test("the distance counts exchanged neighbours once, and gives up beyond the limit")
    func distance() {
        func distance(_ one: String, _ other: String, _ limit: Int = 9) -> Int? {
            EditDistance.between(Array(one), Array(other), atMost: limit)
        }
        #expect(distance("abcd", "abcd") == 0)
        #expect(distance("abcd", "abdc") == 1)
        #expect(distance("abcd", "bcd") == 1)
        #expect(distance("kitten", "sitting") == 3)
        #expect(distance("kitten", "sitting", 2) == nil)
        #expect(distance("", "abc") == 3)
    }

    @Test("links in Markdown are found with what they say, and each once")
    func links() {
        let text = """
            See [the rules](https://a.example/r) and [b.example](<https://evil.example> "title"), <https://c.example/x>
            or https://d.example/y. Mail: [me](mailto:me@e.example)
            """
        let links = RiskFacts.links(inMarkdown: text, place: .description)
        #expect(
            links.map(\.target) == [
                "https://a.example/r", "https://evil.example", "mailto:me@e.example", "https://c.example/x",
                "https://d.example/y.",
            ])
        #expect(links.map(\.label) == ["the rules", "b.example", "me", nil, nil])
        let look = LinkLook(links: links)
        #expect(look.evidence(for: .linkMismatch).count == 1)
        #expect(look.evidence(for: .linkRisky).isEmpty)
        let risky = ["https://paizo.com@evil.example/", "https://xn--80ak6aa92e.com/", "https://a.example/b/tool.exe"]
        #expect(LinkLook(links: risky.map { .init(.page, target: $0) }).evidence(for: .linkRisky).count == 3)
    }

    @Test(
        "links that are none, or hardly, as `label>target`",
        arguments: [
            "[](https://a.example)": ">https://a.example", "[a](  https://a.example  'b' )": "a>https://a.example",
            "[a [b](c)": "a [b>c", "[a\nb](c) [d](e)": "d>e", "[a](b\nc)": "", "[a](\nb)": "a>b", "[a](b [c](d)": "a>b",
            "[a](": "", "[a](<>)": "", "[a](<b>)[c](d)": "a>b c>d", "[": "", "](a)": "", "[a]": "",
        ])
    func oddLinks(text: String, expected: String) {
        let found = LabelledLinks(text).links.map { "\($0.label)>\($0.target)" }
        #expect(found.joined(separator: " ") == expected)
        #expect(LabelledLinks("[" + String(repeating: "a", count: 301) + "](b)").links.isEmpty)
    }

    @Test(
        "a long text of marks that nothing closes is read in time", arguments: ["[](", "[", "[a](b ", "[a](<", "[]("])
    func hostileLinks(mark: String) {
        let text = String(repeating: mark, count: 2_000 / mark.count)
        #expect(RiskFacts.links(inMarkdown: text, place: .description).isEmpty)
        #expect(RiskFacts.links(inMarkdown: text + ")", place: .description).count <= 1)
    }

    @Test("facts come back from JSON as they were, but for the texts")
    func storing() throws {
        var facts = RiskScene.harmless
        facts.change = .init(ink: .shifted, pagesBefore: 3, pagesAdded: 1, metadata: ["name"])
        facts.similarities = [RiskScene.similarity(.takenDown)]
        facts.findings = [Finding(.tinyType, .info, page: 1, message: "Small.")]
        let back = try JSONDecoder().decode(RiskFacts.self, from: JSONEncoder().encode(facts))
        facts.passages = []
        #expect(back == facts)
    }
}
