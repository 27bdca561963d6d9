// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketAPI
import MarketWire
import NIOCore
import NIOHTTP1
import Postgres
import SheetCore
import TestSupport
import Testing

@testable import MarketIngest
@testable import MarketPlatform

@Suite("New versions beside the one on offer, with the real reader")
struct ComparisonTests {
    private static let headings = ["Attributes and Saves", "Skills", "Combat", "Equipment", "Notes on Travel"]

    private static let words = [
        "Strength", "Dexterity", "Wisdom", "Arcana", "History", "Insight", "Stealth", "Survival", "Initiative", "Armor",
        "Speed", "Languages", "Rations", "Rope", "Torches",
    ]

    private static func file(
        _ headings: [String] = headings, words: [String] = words, right: Int = 0, down: Int = 0, more: [String]? = nil
    )
        -> Data
    {
        var builder = PDFDocumentBuilder()
        builder.addPage(headings: headings, words: words, right: right, down: down)
        if let more { builder.addPage(headings: more) }
        return builder.build()
    }

    private static func upload(
        _ file: Data, _ version: String, of template: String? = nil, channel: String? = nil, as author: TestHTTP
    ) async throws -> SubmissionStatus {
        let metadata = UploadMetadata(
            name: "Ledger", summary: "A sheet for tests.", description: "", gameSystem: "dnd5e", tags: ["test"],
            license: "CC-BY-4.0", language: "en", version: version, changelog: "News.", channel: channel)
        let path = template.map { Paths.template($0) + "/versions" } ?? "\(Paths.base)/templates"
        let answer = try await author.upload(path, metadata: metadata, file: file)
        #expect(answer.status == 202, "\(answer.text)")
        return try await author.submission(
            answer.json(SubmissionStatus.self).id, reaches: [.awaitingReview, .rejected])
    }

    @Test("the author, the moderator and everybody see what changed, and whether ink still fits")
    func shown() async throws {
        try await withMarket(workers: 1) { market in
            let author = try await market.person("ada")
            let moderator = try await market.person("moritz", role: .moderator)
            let first = try await Self.upload(Self.file(), "1.0.0", as: author)
            #expect(first.changes == nil)
            try await moderator.decide(first)

            let second = try await Self.upload(
                Self.file(right: 20, down: 30, more: ["Spells", "Rituals"]), "1.1.0", of: first.templateSlug, as: author
            )
            let changes = try #require(second.changes)
            #expect(changes.since == SemanticVersion(1, 0, 0) && changes.ink == .shifted)
            #expect(changes.pagesAdded == [1] && changes.pagesRemoved.isEmpty)
            let transform = try #require(changes.pages.first?.transform)
            #expect(abs(transform.offsetX - 20.0 / 595) < 1e-4 && abs(transform.offsetY - 30.0 / 842) < 1e-4)
            #expect(transform.scaleX == 1 && transform.scaleY == 1)
            // Lists stay short.
            let list = try await author.get("\(Paths.base)/submissions").json(SubmissionList.self)
            #expect(list.submissions.allSatisfy { $0.changes == nil })

            let caseID = try #require(second.caseId)
            let detail = try await moderator.get(Paths.moderationCase(caseID.description)).json(CaseDetail.self)
            #expect(detail.submission?.changes == changes)
            let casePage = try await moderator.get("/moderation/cases/\(caseID)", headers: [("Accept", "text/html")])
            #expect(casePage.text.contains("Handwriting fits when moved") && casePage.text.contains("Page 2 is new."))
            let ownPage = try await author.get("/submissions/\(second.id)", headers: [("Accept", "text/html")])
            #expect(ownPage.text.contains("Handwriting fits when moved"))

            try await moderator.decide(second)
            for version in ["1.1.0", "latest"] {
                let detail = try await market.http.get(Paths.version(first.templateSlug, version)).json(
                    VersionDetail.self)
                #expect(detail.changes == changes)
            }
            let before = try await market.http.get(Paths.version(first.templateSlug, "1.0.0")).json(VersionDetail.self)
            #expect(before.changes == nil)
            let page = try await market.http.get("/sheets/\(first.templateSlug)", headers: [("Accept", "text/html")])
            #expect(page.text.contains("Since 1.0.0") && page.text.contains("fits when it is moved"))
        }
    }

    @Test("a version is compared with what its own takers have: previews with previews")
    func channels() async throws {
        try await withMarket(workers: 1) { market in
            let author = try await market.person("ada")
            let moderator = try await market.person("moritz", role: .moderator)
            let first = try await Self.upload(Self.file(), "1.0.0", as: author)
            try await moderator.decide(first)
            let slug = first.templateSlug
            let beta = try await Self.upload(
                Self.file(["Wholly", "Other", "Contents here"], words: ["Sanity", "Luck", "Occult", "Dodge"]), "2.0.0",
                of: slug, channel: "beta", as: author)
            #expect(beta.changes?.since == SemanticVersion(1, 0, 0) && beta.changes?.ink == .incompatible)
            try await moderator.decide(beta)
            let next = try await Self.upload(
                Self.file(
                    ["Wholly", "Other", "Contents here"], words: ["Sanity", "Luck", "Occult", "Dodge"], more: ["More"]),
                "2.1.0-rc.1", of: slug, as: author)
            #expect(next.changes?.since == SemanticVersion(2, 0, 0) && next.changes?.ink == .compatible)
            let stable = try await Self.upload(Self.file(more: ["More"]), "1.0.1", of: slug, as: author)
            #expect(stable.changes?.since == SemanticVersion(1, 0, 0) && stable.changes?.ink == .compatible)
        }
    }

    @Test("a published version keeps the channel and the client that its upload named; layouts do not outlive pages")
    func published() async throws {
        try await withMarket(workers: 1) { market in
            let author = try await market.person("ada")
            let moderator = try await market.person("moritz", role: .moderator)
            let first = try await Self.upload(Self.file(), "1.0.0", channel: "beta", as: author)
            try await moderator.decide(first)
            let detail = try await market.http.get(Paths.version(first.templateSlug, "1.0.0")).json(VersionDetail.self)
            #expect(detail.channel == .beta)
            let layouts = try await market.features.database.scalar("SELECT count(*) FROM page_layouts", as: Int.self)
            #expect(layouts == 1)
        }
    }

    @Test("moderators get pictures of what differs: of each changed page, of a new one, and of pages that look alike")
    func pictures() async throws {
        try await withMarket(workers: 1) { market in
            let author = try await market.person("ada")
            let moderator = try await market.person("moritz", role: .moderator)
            let first = try await Self.upload(Self.file(), "1.0.0", as: author)
            try await moderator.decide(first)
            var words = Self.words
            words[3] = "Alchemy"
            let file = Self.file(words: words, right: 12, down: 9, more: ["Spells", "Rituals"])
            let second = try await Self.upload(file, "1.1.0", of: first.templateSlug, as: author)
            let detail = try await Self.drawn(second, as: moderator)
            let pictures = try #require(detail.before?.pictures)
            #expect(pictures.map(\.from) == [0, nil] && pictures.map(\.to) == [0, 1])
            // The page as a whole has moved: only the word is marked, where it was and where it is.
            let marks = try #require(detail.before?.differences.first)
            #expect(marks.added.count == 1 && marks.removed.count == 1)

            let picture = pictures[0].picture
            let answer = try await moderator.get(picture.url)
            #expect(answer.status == 200 && answer.headers["Content-Type"] == ["image/webp"])
            #expect(answer.headers["Cache-Control"].first?.contains("private") == true)
            #expect(ContentHash(hashing: Array(buffer: answer.body)) == picture.sha256)
            #expect(try await author.get(picture.url).status == 403)
            #expect(try await market.http.get(picture.url).status == 401)
            let other = Paths.difference(try #require(first.caseId).description, sha256: picture.sha256.hex)
            #expect(try await moderator.get(other).status == 404, "it is of another case")

            try await Self.checkPage(of: second, detail, against: first, as: moderator)
            let thief = try await market.person("thea")
            let copy = try await Self.upload(Self.file(words: words), "1.0.0", as: thief)
            let theft = try await Self.drawn(copy, as: moderator)
            let alike = try #require(theft.risk?.alike.first)
            #expect(try await moderator.get(try #require(alike.difference).url).status == 200)
            try await Self.checkRisk(of: theft, alike, as: moderator)
            try await Self.checkPast(of: copy, theft, reportedBy: author, as: moderator, in: market.features.database)

            // Drawn again, it is the same, and takes the place of the first.
            let database = market.features.database
            try await database.execute("UPDATE submissions SET differences_drawn_at = NULL WHERE id = \(second.id)")
            let early = try await moderator.get("/moderation/cases/\(try #require(second.caseId))")
            #expect(early.text.contains("No pictures have been drawn (yet)."))
            try await JobQueue.enqueue(.renderDifferences, subject: second.id.rawValue, in: database)
            #expect(try await Self.drawn(second, as: moderator).before?.pictures == pictures)
        }
    }

    /// The case's page shows each page that differs as it was, as it is and both together, in words for those who do
    /// not see them, and without a script.
    private static func checkPage(
        of second: SubmissionStatus, _ detail: CaseDetail, against first: SubmissionStatus, as moderator: TestHTTP
    ) async throws {
        let page = try await moderator.get("/moderation/cases/\(detail.summary.id)", headers: [("Accept", "text/html")])
        let begin = try #require(page.text.range(of: "<section id=\"differences\""))
        let end = try #require(page.text.range(of: "</section>", range: begin.upperBound..<page.text.endIndex))
        let section = page.text[begin.lowerBound..<end.lowerBound]
        #expect(page.status == 200 && section.contains("Pages that differ from 1.0.0"))
        #expect(section.contains("<h3>Page 1</h3>") && section.contains("<h3>Page 2, which is new</h3>"))
        let pictures = section.matches(of: #/<img src="([^"]+)" alt="([^"]+)"[^>]*loading="lazy">/#)
        func preview(_ submission: SubmissionStatus, _ page: Int) -> String {
            "\(Paths.submission("\(submission.id)"))/pages/\(page)/preview?width=600"
        }
        let drawn = try #require(detail.before?.pictures).map(\.picture.url)
        #expect(
            pictures.map { String($0.1) } == [
                preview(first, 0), preview(second, 0), drawn[0], preview(second, 1), drawn[1],
            ])
        #expect(
            pictures.map { String($0.2) } == [
                "Page 1 of Ledger 1.0.0", "Page 1 of Ledger 1.1.0", "What differs between 1.0.0 and 1.1.0: Page 1",
                "Page 2 of Ledger 1.1.0", "What differs between 1.0.0 and 1.1.0: Page 2, which is new",
            ])
        // Pictures of one version stay in one column.
        #expect(section.matches(of: #/No such page<\/p><\/div><figcaption><strong>1\.0\.0</#).count == 1)
        #expect(section.contains("<a class=\"stage\" href=\"\(preview(first, 0).replacing("=600", with: "=1200"))\""))
        #expect(!section.contains("<script"))
        for picture in pictures {
            #expect(try await moderator.get(String(picture.1)).status == 200, "\(picture.1)")
        }
        let other = try await moderator.get("/moderation/cases/\(try #require(first.caseId))")
        #expect(!other.text.contains("Pages that differ"))
    }

    /// The case's page says what speaks against the upload, and shows what it looks like beside it.
    private static func checkRisk(
        of detail: CaseDetail, _ alike: CaseRisk.PagePair, as moderator: TestHTTP
    ) async throws {
        let page = try await moderator.get("/moderation/cases/\(detail.summary.id)", headers: [("Accept", "text/html")])
        let risk = try #require(detail.risk)
        #expect(page.status == 200)
        #expect(page.text.contains("<strong>\(risk.score)</strong><span class=\"hint\">of 100</span>"))
        #expect(page.text.contains("<p>A page looks like one of somebody else&#39;s</p>"))
        #expect(page.text.contains("<li>It is the first version of its sheet.</li>"))
        #expect(page.text.contains("Why the rules did not approve it") && page.text.contains("only the other sheet"))
        #expect(page.text.contains("and page \(alike.otherPage + 1) of Ledger \(alike.otherVersion)</h3>"))
        for picture in [alike.previewURL + "?width=600", alike.otherPreviewURL + "?width=600", alike.difference?.url] {
            let address = try #require(picture)
            #expect(page.text.contains("<img src=\"\(address)\""), "\(address)")
            #expect(try await moderator.get(address).status == 200, "\(address)")
        }
    }

    /// Without pictures of what differs no colours are explained; once the upload is published and reported, its page
    /// says why it was looked at.
    private static func checkPast(
        of copy: SubmissionStatus, _ detail: CaseDetail, reportedBy author: TestHTTP, as moderator: TestHTTP,
        in database: PostgresClient
    ) async throws {
        let html = [("Accept", "text/html")]
        try await database.execute("UPDATE submissions SET differences_drawn_at = NULL WHERE id = \(copy.id)")
        let plain = try await moderator.get("/moderation/cases/\(detail.summary.id)", headers: html)
        #expect(plain.text.contains("id=\"alike\"") && !plain.text.contains("only the other sheet"), "\(plain.text)")

        try await moderator.decide(copy)
        let report = ReportRequest(
            subject: .init(kind: .template, id: copy.templateSlug), reason: .copyright, text: "It is mine.")
        let filed = try await author.send(.POST, "\(Paths.base)/reports", json: report)
        #expect(filed.status == 201, "\(filed.text)")
        let cases = try await moderator.get("\(Paths.base)/moderation/queue?kind=report").json(CaseList.self).cases
        let id = try #require(cases.first).id
        let past = try await moderator.get("/moderation/cases/\(id)", headers: html)
        #expect(past.text.contains("Why a moderator looked at the upload"), "\(past.text)")
        #expect(!past.text.contains("Why the rules did not approve it"))
    }

    /// The case of an upload once its pictures are there.
    private static func drawn(_ upload: SubmissionStatus, as moderator: TestHTTP) async throws -> CaseDetail {
        let path = Paths.moderationCase(try #require(upload.caseId).description)
        let deadline = ContinuousClock.now + .seconds(600)
        while ContinuousClock.now < deadline {
            let detail = try await moderator.get(path).json(CaseDetail.self)
            if detail.before?.pictures != nil || detail.risk?.alike.contains(where: { $0.difference != nil }) == true {
                return detail
            }
            try await Task.sleep(for: .milliseconds(50))
        }
        Issue.record("no pictures in ten minutes")
        throw CancellationError()
    }
}
