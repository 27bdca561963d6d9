// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketAPI
import MarketWire
import NIOCore
import NIOFoundationCompat
import NIOHTTP1
import Postgres
import SheetCore
import TestSupport
import Testing

@Suite("Clean copies of uploads, with the real reader")
struct CleaningTests {
    /// A sheet whose only fault is a script that runs when it is opened.
    private static func scripted(_ heading: String = "Skills") -> Data {
        var builder = PDFDocumentBuilder()
        builder.addPage(headings: [heading, "Combat"])
        builder.catalogEntries = "/OpenAction << /S /JavaScript /JS (app.alert\\(1\\)) >>"
        return builder.build()
    }

    private static func metadata(_ name: String, version: String = "1.0.0") -> UploadMetadata {
        UploadMetadata(
            name: name, summary: "A sheet for tests.", description: "", gameSystem: "dnd5e", tags: ["test"],
            license: "CC-BY-4.0", language: "en", version: version, changelog: "First.")
    }

    /// Uploads and waits until the reader is done with it.
    private static func read(
        _ file: Data, as author: TestHTTP, name: String = "Ledger", version: String = "1.0.0",
        of template: String? = nil
    ) async throws -> SubmissionStatus {
        let path = template.map { "\(Paths.base)/templates/\($0)/versions" } ?? "\(Paths.base)/templates"
        let answer = try await author.upload(path, metadata: metadata(name, version: version), file: file)
        #expect(answer.status == 202, "\(answer.text)")
        return try await author.submission(
            answer.json(SubmissionStatus.self).id, reaches: [.awaitingReview, .rejected])
    }

    private static func decline(_ submission: SubmissionStatus, as caller: TestHTTP) async throws -> TestHTTP.Answer {
        try await caller.send(.POST, "\(Paths.submission(submission.id.description))/decline-cleaning")
    }

    @Test("a sheet with scripts goes on as a clean copy; its author is told; the copy is what is published")
    func published() async throws {
        try await withMarket(workers: 1) { market in
            let author = try await market.person("ada")
            let moderator = try await market.person("moritz", role: .moderator)
            let file = Self.scripted()
            let status = try await Self.read(file, as: author)
            #expect(status.state == .awaitingReview, "\(status.findings)")
            let cleaned = try #require(status.cleaned)
            #expect(cleaned.originalSHA256 == ContentHash(hashing: file))
            #expect(cleaned.artifactSHA256 == status.sha256 && status.sha256 != cleaned.originalSHA256)
            #expect(cleaned.removed.map(\.code) == [.javascript] && !cleaned.isDeclined)
            let script = try #require(status.findings.first { $0.code == .javascript })
            #expect(script.severity == .warning && script.removable)
            #expect(status.findings.contains { $0.code == .cleaned && $0.severity == .info })
            #expect(!status.findings.contains { $0.severity == .blocker })
            #expect(status.pageCount == 1)

            // The page says so, and the moderator sees it.
            let page = try await author.get("/submissions/\(status.id)", headers: [("Accept", "text/html")])
            #expect(page.status == 200 && page.text.contains("Scripts (1)"), "\(page.text)")
            #expect(page.text.contains("/submissions/\(status.id)/decline-cleaning"))
            let caseID = try #require(status.caseId)
            let detail = try await moderator.get(Paths.moderationCase(caseID.description)).json(CaseDetail.self)
            #expect(detail.submission?.cleaned == cleaned)

            let decision = try await moderator.decide(status)
            #expect(decision.status == 200, "\(decision.text)")
            let address = "\(Paths.template(status.templateSlug))/versions/latest/download?redirect=false"
            let ticket = try await market.http.get(address).json(DownloadTicket.self)
            #expect(ticket.sha256 == cleaned.artifactSHA256)
            let bytes = Data(buffer: try await market.http.get(ticket.url).body)
            #expect(ContentHash(hashing: bytes) == cleaned.artifactSHA256)
            #expect(bytes.range(of: Data("JavaScript".utf8)) == nil)

            // Too late to decline, and the original is known again although it was never published.
            #expect(try await Self.decline(status, as: author).status == 409)
            let twin = try await Self.read(file, as: author, name: "Ledger", version: "1.0.1", of: status.templateSlug)
            #expect(twin.state == .rejected)
            #expect(twin.findings.contains { $0.code == .duplicate && $0.severity == .blocker })
            let copyAgain = try await Self.read(bytes, as: author, version: "1.0.2", of: status.templateSlug)
            #expect(copyAgain.findings.contains { $0.code == .duplicate && $0.severity == .blocker })
            let other = try await Self.read(file, as: try await market.person("bob"), name: "Other")
            #expect(other.state == .awaitingReview)
            #expect(other.findings.contains { $0.code == .duplicate && $0.severity == .warning })
        }
    }

    @Test("an author who declines gets the file refused for what was found in it, and no moderator decides on it")
    func declined() async throws {
        try await withMarket(workers: 1) { market in
            let author = try await market.person("ada")
            let stranger = try await market.person("eve")
            let moderator = try await market.person("moritz", role: .moderator)
            let file = Self.scripted()
            let status = try await Self.read(file, as: author)
            #expect(status.cleaned != nil)

            #expect(try await Self.decline(status, as: market.http).status == 401)
            #expect(try await Self.decline(status, as: stranger).status == 404)
            #expect(try await Self.decline(status, as: moderator).status == 403)
            #expect(try await author.submission(status.id, reaches: [.awaitingReview]).cleaned?.isDeclined == false)

            let answer = try await Self.decline(status, as: author)
            #expect(answer.status == 200, "\(answer.text)")
            let refused = try answer.json(SubmissionStatus.self)
            #expect(refused.state == .rejected)
            #expect(refused.sha256 == ContentHash(hashing: file) && refused.sizeBytes == file.count)
            #expect(refused.cleaned?.isDeclined == true)
            let script = try #require(refused.findings.first { $0.code == .javascript })
            #expect(script.severity == .blocker)
            #expect(!refused.findings.contains { $0.code == .cleaned })
            #expect(try await Self.decline(status, as: author).status == 409)
            #expect(try await moderator.decide(status).status == 409)
            let page = try await author.get("/submissions/\(status.id)", headers: [("Accept", "text/html")])
            #expect(page.text.contains("You declined") && !page.text.contains("decline-cleaning"))

            // The number is free again, and withdrawing a cleaned submission works as ever.
            let again = try await Self.read(file, as: author, version: "1.0.0", of: status.templateId.description)
            #expect(again.state == .awaitingReview && again.cleaned != nil)
            let withdrawn = try await author.send(.POST, "\(Paths.submission(again.id.description))/withdraw")
            #expect(try withdrawn.json(SubmissionStatus.self).state == .withdrawn)
        }
    }

    @Test("what cannot be taken out stays refused, and a clean file stays as it is")
    func untouched() async throws {
        try await withMarket(workers: 1) { market in
            let author = try await market.person("ada")
            let junk = try await Self.read(Data("%PDF-1.7 and no more".utf8), as: author, name: "Junk")
            #expect(junk.state == .rejected && junk.cleaned == nil)
            var builder = PDFDocumentBuilder()
            builder.addPage(headings: ["Skills"])
            let clean = try await Self.read(builder.build(), as: author, name: "Clean")
            #expect(clean.state == .awaitingReview && clean.cleaned == nil)
            #expect(clean.sha256 == ContentHash(hashing: builder.build()))
            #expect(try await Self.decline(clean, as: author).status == 409)
            #expect(try await author.submission(clean.id, reaches: [.awaitingReview]).caseId != nil)
            let polyglot = try await Self.read(Self.scripted() + Data("PK\u{3}\u{4}".utf8), as: author, name: "Both")
            #expect(polyglot.state == .rejected && polyglot.cleaned == nil)
        }
    }
}
