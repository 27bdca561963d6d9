// SPDX-License-Identifier: Apache-2.0
import Foundation
import IngestWire
import MarketPlatform
import MarketWire
import NIOCore
import NIOFoundationCompat
import NIOHTTP1
import Postgres
import SheetCore
import TestSupport
import Testing

@testable import MarketAPI

@Suite("Templates of all kinds, from upload to download")
struct KindsTests {
    private struct Sample {
        let name: String
        let fileName: String
        let kind: TemplateKind
        let content: Data
    }

    private static let skills = """
        {"formatVersion":"1.0","name":"Street skills","description":"From the file.","templates":[
          {"id":"hack","name":"Hacking <b>","scope":"local","category":"Tech"},
          {"id":"lore","name":"Lore","scope":"imported","source":{"library":"Core"}}]}
        """
    private static let preset = """
        {"templateID":"quest-sheet","name":"Tablet","version":"1","regions":[{"id":"a","name":"Skills","pageIndex":0,
         "rect":{"x":0,"y":0,"width":1,"height":0.5},"scale":2}]}
        """
    private static let words = #"{"korean_words":[{"word":"검","romanization":"geom","meaning":"sword"}]}"#

    private static func metadata(_ name: String, version: String = "1.0.0") -> UploadMetadata {
        UploadMetadata(
            name: name, summary: "For tests.", gameSystem: "dnd5e", license: "CC-BY-4.0", language: "en",
            version: version)
    }

    private static func sheet(_ heading: String = "Skills") -> Data {
        var builder = PDFDocumentBuilder()
        builder.addPage(headings: [heading, "Combat"])
        return builder.build()
    }

    private static func bundle(_ artifact: Data) throws -> Data {
        let file = BundleManifest.File(
            path: "artifact/a.pdf", mediaType: "application/pdf", sizeBytes: artifact.count,
            sha256: ContentHash(hashing: artifact))
        var zip = ZipWriter()
        let manifest = BundleManifest(
            kind: .sheet, metadata: DraftMetadata(description: "From the bundle.", tags: ["bundled"]), author: nil,
            origin: nil, artifact: file, fileName: "Ledger.pdf", pictures: [])
        let region = ZoomRegion(
            id: "mine", name: "Mine", rect: .init(x: 0.1, y: 0.1, width: 0.5, height: 0.5), pageIndex: 0,
            source: .corrected)
        try zip.add("manifest.json", JSONEncoder().encode(manifest))
        try zip.add("regions.json", JSONEncoder().encode(BundleRegions(pages: [.init(index: 0, regions: [region])])))
        try zip.add("artifact/a.pdf", artifact)
        return zip.finish()
    }

    private func publish(
        _ sample: Sample, by author: TestHTTP, _ moderator: TestHTTP
    ) async throws -> SubmissionStatus {
        let answer = try await author.upload(
            metadata: Self.metadata(sample.name), file: sample.content, fileName: sample.fileName)
        #expect(answer.status == 202, "\(answer.text)")
        let waiting = try await author.submission(
            answer.json(SubmissionStatus.self).id, reaches: [.awaitingReview, .rejected])
        #expect(waiting.state == .awaitingReview, "\(sample.fileName): \(waiting.findings)")
        #expect(waiting.kind == sample.kind)
        let page = try await moderator.get(Paths.moderationCase(waiting.caseId?.description ?? ""))
        let detail = try page.json(CaseDetail.self)
        #expect((detail.outline != nil) == !sample.kind.hasPages)
        #expect(try await moderator.decide(waiting).status == 200)
        return try await author.submission(waiting.id, reaches: [.published])
    }

    @Test("each kind is uploaded, shown, reviewed, published, listed, filtered and downloaded")
    func allKinds() async throws {
        try await withMarket(workers: 2) { market in
            let author = try await market.person("ada")
            let moderator = try await market.person("mo", role: .moderator)
            let samples = [
                Sample(name: "Sheet", fileName: "a.pdf", kind: .sheet, content: Self.sheet()),
                Sample(name: "Skills", fileName: "a.fstemplate", kind: .skillLibrary, content: Data(Self.skills.utf8)),
                Sample(name: "Preset", fileName: "p.json", kind: .regionPreset, content: Data(Self.preset.utf8)),
                Sample(name: "Words", fileName: "w.json", kind: .vocabulary, content: Data(Self.words.utf8)),
            ]
            for sample in samples {
                let done = try await publish(sample, by: author, moderator)
                let path = "\(Paths.base)/templates?kind=\(sample.kind.rawValue)"
                let list = try await market.http.get(path).json(TemplateList.self).templates
                #expect(list.map(\.name) == [sample.name] && list.map(\.kind) == [sample.kind])
                let detail = try await market.http.get(Paths.template(done.templateSlug)).json(TemplateDetail.self)
                #expect(detail.latest.sha256 == ContentHash(hashing: sample.content))
                #expect(detail.summary.pageCount == (sample.kind.hasPages ? 1 : 0))
                #expect(detail.latest.pages.count == detail.summary.pageCount)
                let picture = try await market.http.get(detail.summary.previewURL)
                #expect(picture.status == 200 && picture.headers.contains(name: "etag"))
                #expect(
                    picture.headers.first(name: "content-type")
                        == (sample.kind.hasPages ? "image/webp" : "image/svg+xml"))
                let regions = try await market.http.get(
                    Paths.version(done.templateSlug, "latest") + "/regions"
                ).json(RegionList.self)
                #expect(regions.pages.count == detail.summary.pageCount)
                let outline = try await market.http.get(Paths.outline(done.templateSlug, "1.0.0"))
                #expect(outline.status == (sample.kind.hasPages ? 404 : 200))
                let file = try await market.http.get(detail.latest.downloadURL)
                #expect(file.status == 302)
                let bytes = try await market.http.get(file.headers.first(name: "location") ?? "")
                #expect(Data(bytes.body.readableBytesView) == sample.content)
                let page = try await market.http.get("/sheets/\(done.templateSlug)")
                #expect(page.status == 200)
                if sample.kind == .skillLibrary {
                    #expect(page.text.contains("Hacking &lt;b&gt;") && !page.text.contains("<b>"))
                    #expect(detail.description == "From the file.")
                }
            }
            #expect(try await market.http.get("/").text.contains("Skill library"))
            #expect(try await market.http.get("/?kind=vocabulary").text.contains("Words"))
            #expect(
                try await market.http.get("\(Paths.base)/templates?kind=of_tomorrow").json(TemplateList.self)
                    .templates.isEmpty)
        }
    }

    @Test("a bundle's sheet, regions and metadata are published, and its own bytes are let go")
    func bundles() async throws {
        try await withMarket(workers: 1) { market in
            let author = try await market.person("ada")
            let moderator = try await market.person("mo", role: .moderator)
            let sheet = Self.sheet()
            let bundle = try Self.bundle(sheet)
            let sample = Sample(name: "Bundled", fileName: "b.sheetbundle", kind: .sheet, content: bundle)
            let done = try await publish(sample, by: author, moderator)
            #expect(done.sha256 == ContentHash(hashing: sheet) && done.sizeBytes == sheet.count)
            #expect(done.fileName == "Ledger.pdf")
            let detail = try await market.http.get(Paths.template(done.templateSlug)).json(TemplateDetail.self)
            #expect(detail.description == "From the bundle." && detail.summary.tags == ["bundled"])
            let regions = try await market.http.get(
                Paths.version(done.templateSlug, "1.0.0") + "/regions"
            ).json(RegionList.self)
            #expect(regions.pages.flatMap(\.regions).map(\.id) == ["mine"])
            let rows: Int = try await market.features.database.scalar(
                "SELECT count(*) FROM artifacts WHERE sha256 = \(ContentHash(hashing: bundle))")
            #expect(rows == 0)
        }
    }

    @Test("a version of another kind than its template is refused")
    func changedKind() async throws {
        try await withMarket(workers: 1) { market in
            let author = try await market.person("ada")
            let moderator = try await market.person("mo", role: .moderator)
            let sample = Sample(
                name: "Skills", fileName: "a.fstemplate", kind: .skillLibrary, content: Data(Self.skills.utf8))
            let done = try await publish(sample, by: author, moderator)
            let next = try await author.upload(
                Paths.template(done.templateSlug) + "/versions", metadata: UploadMetadata(version: "2.0.0"),
                file: Self.sheet())
            let refused = try await author.submission(
                next.json(SubmissionStatus.self).id, reaches: [.awaitingReview, .rejected])
            #expect(refused.state == .rejected)
            #expect(refused.findings.filter { $0.severity == .blocker }.map(\.code) == [.kindChanged])
        }
    }

    @Test("files that no importer takes are refused with a finding; what is no known sort of file, at the door")
    func refusals() async throws {
        try await withMarket(workers: 1) { market in
            let author = try await market.person("ada")
            let json = try await author.upload(
                metadata: Self.metadata("Just JSON"), file: Data("{}".utf8), fileName: "a.json")
            let refused = try await author.submission(
                json.json(SubmissionStatus.self).id, reaches: [.awaitingReview, .rejected])
            #expect(refused.findings.map(\.code) == [.unrecognized])
            let page = try await author.upload(
                metadata: Self.metadata("Page"), file: Data("<html>".utf8), fileName: "a.json")
            #expect(page.status == 422)
        }
    }

    @Test("corrected regions survive to the next version when the page looks the same")
    func corrections() async throws {
        try await withMarket(workers: 1) { market in
            let author = try await market.person("ada")
            let moderator = try await market.person("mo", role: .moderator)
            let sample = Sample(name: "Sheet", fileName: "a.pdf", kind: .sheet, content: Self.sheet())
            let done = try await publish(sample, by: author, moderator)
            let region = ZoomRegion(
                id: "by-hand", name: "By hand", rect: .init(x: 0, y: 0, width: 0.5, height: 0.5), pageIndex: 0)
            let corrected = try await author.send(
                .PUT, Paths.version(done.templateSlug, "1.0.0") + "/regions",
                json: RegionList(pages: [.init(index: 0, regions: [region])]))
            #expect(corrected.status == 200, "\(corrected.text)")
            // A page in front, and other bytes: the page is found by its looks.
            var builder = PDFDocumentBuilder()
            builder.addPage(headings: ["Cover"])
            builder.addPage(headings: ["Skills", "Combat"])
            let next = try await author.upload(
                Paths.template(done.templateSlug) + "/versions", metadata: UploadMetadata(version: "1.1.0"),
                file: builder.build())
            let read = try await author.submission(
                next.json(SubmissionStatus.self).id, reaches: [.awaitingReview, .rejected])
            #expect(read.findings.contains { $0.code == .correctionKept }, "\(read.findings)")
            #expect(try await moderator.decide(read).status == 200)
            let regions = try await market.http.get(
                Paths.version(done.templateSlug, "1.1.0") + "/regions"
            ).json(RegionList.self)
            #expect(regions.pages[1].regions.map(\.id) == ["by-hand"])
            #expect(regions.pages[1].regions.map(\.source) == [.corrected])
            #expect(regions.pages[1].regions.map(\.pageIndex) == [1])
        }
    }
}
