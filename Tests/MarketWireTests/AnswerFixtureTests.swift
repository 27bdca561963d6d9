// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketWire
import SheetCore
import Testing

/// What clients of other ages make of answers, and what this one makes of those of other servers.
@Suite("Answers that were given once")
struct AnswerFixtureTests {
    @Test("Each is read, and nothing of it is lost", arguments: AnswerFixture.all)
    func reads(fixture: AnswerFixture) throws {
        for (name, answer) in try fixture.answers() {
            let data = try answer.data()
            let rewritten = try fixture.rewritten(data)
            #expect(answer.lost(in: rewritten).sorted() == [], "\(name)")
        }
    }

    @Test("Members that a newer server adds, wherever, change nothing", arguments: AnswerFixture.all)
    func newMembers(fixture: AnswerFixture) throws {
        for (name, answer) in try fixture.answers() {
            let before = try fixture.rewritten(try answer.data())
            let after = try fixture.rewritten(try answer.widened.data())
            #expect(answer.widened != answer && before == after, "\(name)")
        }
    }

    @Test("Words that a newer server knows arrive where there may be new ones", arguments: AnswerFixture.all)
    func newWords(fixture: AnswerFixture) throws {
        for (name, answer) in try fixture.answers() {
            let newer = answer.withWord("of_tomorrow", for: fixture.openWords)
            let rewritten = try fixture.rewritten(try newer.data())
            #expect(newer.lost(in: rewritten).sorted() == [], "\(name)")
        }
    }

    @Test("Each list with pages says null where no other follows, and reads a missing cursor as that")
    func lastPages() throws {
        // The feed of changes has no last page.
        let lists = try AnswerFixture.pagedByContract().subtracting(["ChangeList"])
        let fixtures = AnswerFixture.all.filter { lists.contains($0.name) }
        #expect(lists.count >= 18 && Set(fixtures.map(\.name)) == lists)
        let cursor = JSONTree.text("WyJhIl0")
        for fixture in fixtures {
            for (name, answer) in try fixture.answers() {
                let last = try fixture.rewritten(try answer.with("nextCursor", .null).data())
                let unpaged = try fixture.rewritten(try answer.with("nextCursor", nil).data())
                let first = try fixture.rewritten(try answer.with("nextCursor", cursor).data())
                #expect(last["nextCursor"] == .null && unpaged == last, "\(name)")
                #expect(first == last.with("nextCursor", cursor), "\(name)")
            }
        }
    }

    @Test("Every answer of the contract has one, and each is of a type")
    func complete() throws {
        let told = try AnswerFixture.toldByContract()
        let have = Set(AnswerFixture.all.map(\.name))
        // No clients' types: for machines that watch, and for people.
        let exceptions: Set<String> = ["Liveness", "Readiness", "PersonalExport"]
        #expect(told.count > 50 && told.subtracting(have).subtracting(exceptions).sorted() == [])
        #expect(have.subtracting(told).sorted() == ["CatalogDumpLine", "ProblemDocument"])
        let files = try FileManager.default.contentsOfDirectory(atPath: AnswerFixture.folder.path)
        let strays = files.filter { file in !have.contains(String(file.prefix { $0 != "." })) }
        #expect(strays == [])
        let worded = try AnswerFixture.all.filter { fixture in
            try fixture.answers().contains { $0.answer.withWord("of_tomorrow", for: fixture.openWords) != $0.answer }
        }
        #expect(worded.count > 20)
    }
}

/// Answers of one type as servers of some time wrote them: `Tests/Fixtures/answers/Type.json`, and `Type.word.json` for more
/// of them. They are never edited, only added: whatever a server once wrote must go on being read.
struct AnswerFixture: Sendable, CustomTestStringConvertible {
    /// The type's name, which is its schema's, too.
    let name: String
    /// Members whose words may be new ones.
    let openWords: Set<String>
    private let rewrite: @Sendable (Data) throws -> Data

    private init<Value: Codable & Sendable>(_ type: Value.Type, hasOpenKinds: Bool = false) {
        name = "\(type)"
        openWords = Self.everywhereOpen.union(hasOpenKinds ? ["kind"] : [])
        rewrite = { try WireJSON.encoder().encode(try WireJSON.decoder().decode(Value.self, from: $0)) }
    }

    var testDescription: String { name }

    /// What it is after it was read and written again.
    func rewritten(_ data: Data) throws -> JSONTree {
        try JSONTree(try rewrite(data))
    }

    /// Those of this type, by file.
    func answers() throws -> [(file: String, answer: JSONTree)] {
        let files = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
        let own = files.filter { file in String(file.prefix { $0 != "." }) == name }.sorted()
        try #require(!own.isEmpty, "\(name) has no answer")
        return try own.map {
            ($0, try JSONTree(try Data(contentsOf: Self.folder.appendingPathComponent($0))))
        }
    }

    static let all: [AnswerFixture] = [
        .init(Account.self), .init(Appeal.self), .init(AppealList.self), .init(AuditList.self),
        .init(AuthorList.self), .init(BulkDecisionResult.self), .init(CaseDetail.self), .init(CaseList.self),
        .init(CaseMessage.self), .init(CaseNote.self), .init(CaseSummary.self), .init(CatalogDumpLine.self),
        .init(CatalogDumpList.self), .init(ChangeList.self, hasOpenKinds: true),
        .init(CollectionDetail.self, hasOpenKinds: true), .init(CollectionList.self), .init(ContentOutline.self),
        .init(CopyrightNotice.self), .init(CopyrightNoticeList.self), .init(DownloadTicket.self),
        .init(DownloadTimeline.self), .init(ErasureStatus.self), .init(FavoriteList.self, hasOpenKinds: true),
        .init(Following.self), .init(GameSystemList.self), .init(GameSystemMerge.self), .init(GameSystemUses.self),
        .init(InstallReport.self, hasOpenKinds: true), .init(Invitation.self),
        .init(InvitationList.self), .init(LinkedIdentityList.self),
        .init(MemberCollectionDetail.self, hasOpenKinds: true), .init(MemberCollectionList.self),
        .init(MessageList.self), .init(MetadataBundle.self),
        .init(ModerationStatistics.self), .init(NewToken.self), .init(NewWebhook.self),
        .init(News.self, hasOpenKinds: true), .init(NewsFeed.self), .init(ProblemDocument.self), .init(Profile.self),
        .init(ReasonList.self), .init(RecoveryCodes.self), .init(RegionList.self), .init(Report.self),
        .init(ReportList.self), .init(Review.self), .init(ReviewHistory.self), .init(ReviewList.self),
        .init(ReviewEmailChoice.self), .init(TrainingConsent.self),
        .init(RiskRuleList.self), .init(SanctionInfo.self, hasOpenKinds: true),
        .init(SanctionList.self, hasOpenKinds: true), .init(SecondFactorEnrolment.self),
        .init(SecondFactorState.self), .init(SessionList.self), .init(SignInProviderList.self),
        .init(SimilarList.self, hasOpenKinds: true), .init(SubmissionList.self, hasOpenKinds: true),
        .init(SubmissionStatus.self, hasOpenKinds: true), .init(SuggestionList.self), .init(TagChange.self),
        .init(TagDetail.self), .init(TagList.self), .init(TemplateCollections.self),
        .init(TemplateDetail.self, hasOpenKinds: true), .init(TemplateList.self, hasOpenKinds: true),
        .init(TemplateStatistics.self), .init(TokenList.self), .init(TransparencyReport.self), .init(UpdateReport.self),
        .init(VersionDetail.self),
        .init(VersionList.self), .init(Webhook.self), .init(WebhookDelivery.self), .init(WebhookDeliveryList.self),
        .init(WebhookList.self),
    ]

    private static let everywhereOpen: Set<String> = [
        "code", "reasonCode", "scopes", "event", "events", "action", "step", "mode", "route",
    ]

    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
    static let folder = root.appendingPathComponent("Tests/Fixtures/answers")

    /// The schemas of the contract's answers.
    static func toldByContract() throws -> Set<String> {
        let paths = root.appendingPathComponent("web/openapi/paths")
        var names: Set<String> = []
        for file in try FileManager.default.contentsOfDirectory(atPath: paths.path) where file.hasSuffix(".json") {
            let part = try JSONTree(try Data(contentsOf: paths.appendingPathComponent(file)))
            for calls in (part["paths"]?.members ?? [:]).values {
                for call in calls.members.values {
                    for answer in (call["answers"]?.members ?? [:]).values {
                        if case .text(let name)? = answer["json"] { names.insert(name) }
                        let media = answer["content"]?["application/json"]
                        if case .text(let reference)? = media?["schema"]?["$ref"] {
                            names.insert(String(reference.split(separator: "/").last ?? ""))
                        }
                    }
                }
            }
        }
        return names
    }

    /// The schemas of the contract's lists with pages.
    static func pagedByContract() throws -> Set<String> {
        let folder = root.appendingPathComponent("web/openapi/schemas")
        var names: Set<String> = []
        for file in try FileManager.default.contentsOfDirectory(atPath: folder.path) where file.hasSuffix(".json") {
            let schemas = try JSONTree(try Data(contentsOf: folder.appendingPathComponent(file)))
            for (name, schema) in schemas.members where schema["properties"]?["nextCursor"] != nil {
                names.insert(name)
            }
        }
        return names
    }
}

/// JSON as it stands.
enum JSONTree: Sendable, Equatable, Codable {
    case null
    case flag(Bool)
    case number(Double)
    case text(String)
    case list([JSONTree])
    case object([String: JSONTree])

    init(_ data: Data) throws {
        self = try JSONDecoder().decode(JSONTree.self, from: data)
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let flag = try? container.decode(Bool.self) {
            self = .flag(flag)
        } else if let number = try? container.decode(Double.self) {
            self = .number(number)
        } else if let text = try? container.decode(String.self) {
            self = .text(text)
        } else if let items = try? container.decode([JSONTree].self) {
            self = .list(items)
        } else {
            self = .object(try container.decode([String: JSONTree].self))
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .flag(let flag): try container.encode(flag)
        case .number(let number): try container.encode(number)
        case .text(let text): try container.encode(text)
        case .list(let items): try container.encode(items)
        case .object(let members): try container.encode(members)
        }
    }

    func data() throws -> Data {
        try JSONEncoder().encode(self)
    }

    /// An object's members; none for anything else.
    var members: [String: JSONTree] {
        if case .object(let members) = self { members } else { [:] }
    }

    subscript(name: String) -> JSONTree? { members[name] }

    /// The same object with this value of a member, or without the member.
    func with(_ name: String, _ value: JSONTree?) -> JSONTree {
        var others = members
        others[name] = value
        return .object(others)
    }

    /// Where `other` lacks something of this, or has something else. What is `null` may be absent.
    func lost(in other: JSONTree, at place: String = "") -> [String] {
        switch (self, other) {
        case (.object(let mine), .object(let theirs)):
            mine.flatMap { name, value -> [String] in
                if value == .null, theirs[name] == nil { return [] }
                guard let found = theirs[name] else { return ["\(place)/\(name)"] }
                return value.lost(in: found, at: "\(place)/\(name)")
            }
        case (.list(let mine), .list(let theirs)) where mine.count == theirs.count:
            zip(mine, theirs).enumerated().flatMap { index, pair in
                pair.0.lost(in: pair.1, at: "\(place)/\(index)")
            }
        default: self == other ? [] : [place]
        }
    }

    /// The same with a member more in each object.
    var widened: JSONTree {
        switch self {
        case .object(let members):
            var wider = members.mapValues(\.widened)
            wider["memberOfTomorrow"] = .object(["deep": .list([.number(1), .null])])
            return .object(wider)
        case .list(let items): return .list(items.map(\.widened))
        default: return self
        }
    }

    /// The same with another word in these members.
    func withWord(_ word: String, for names: Set<String>, isOpen: Bool = false) -> JSONTree {
        switch self {
        case .text: isOpen ? .text(word) : self
        case .list(let items): .list(items.map { $0.withWord(word, for: names, isOpen: isOpen) })
        case .object(let members):
            .object(
                Dictionary(
                    uniqueKeysWithValues: members.map { name, value in
                        (name, value.withWord(word, for: names, isOpen: names.contains(name)))
                    }))
        default: self
        }
    }
}
