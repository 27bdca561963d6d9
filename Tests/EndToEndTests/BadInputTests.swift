// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketWire
import NIOCore
import NIOHTTP1
import Postgres
import SheetCore
import TestSupport
import Testing

@Suite("Bad input gets a clear problem document")
struct BadInputTests {
    /// One line of the table: what is sent, and what must come back.
    private func expect(
        _ answer: TestHTTP.Answer, _ status: Int, _ code: ErrorCode, _ what: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(answer.status == status, "\(what): \(answer.text)", sourceLocation: sourceLocation)
        #expect(answer.problemCode == code, "\(what): \(answer.text)", sourceLocation: sourceLocation)
        #expect(
            answer.headers.first(name: "content-type") == ProblemDocument.mediaType, "\(what)",
            sourceLocation: sourceLocation)
        #expect(answer.headers.first(name: "x-request-id")?.isEmpty == false, "\(what)", sourceLocation: sourceLocation)
        let detail = (try? answer.json(ProblemDocument.self))?.detail
        #expect(detail?.isEmpty == false, "\(what) says nothing to people", sourceLocation: sourceLocation)
    }

    @Test("every one of the mistakes that people and programs make")
    func mistakes() async throws {
        let folder = try ScratchFolder("bad")
        let data = folder.url.appendingPathComponent("data")
        let market = try await RunningMarket(data: data, environment: ["SHEETMARKET_MAX_UPLOAD_BYTES": "2000000"])
        let author = try await market.person("nadia")
        let good = try Data(contentsOf: try Scene.anySheet())
        let templates = "\(Paths.base)/templates"

        // Uploads.
        var metadata = Scene.metadata("Fine")
        expect(
            try await author.upload(metadata: metadata, file: Data("GIF89a".utf8)), 422, .notAPDF, "not a PDF")
        expect(try await author.upload(metadata: metadata, file: Data()), 422, .emptyFile, "empty file")
        metadata.version = "1.0"
        expect(try await author.upload(metadata: metadata, file: good), 422, .badVersion, "wrong SemVer")
        metadata.version = "1.0.0"
        metadata.gameSystem = "no-such-game"
        expect(try await author.upload(metadata: metadata, file: good), 422, .unknownGameSystem, "unknown game system")
        expect(
            try await author.upload(metadata: UploadMetadata(version: "1.0.0"), file: good), 422, .validationFailed,
            "empty metadata")
        var form = MultipartForm()
        form.add("file", fileName: "a.pdf", contentType: "application/pdf", good)
        expect(
            try await author.send(.POST, templates, headers: [("Content-Type", form.contentType)], body: form.finished),
            422, .missingMetadata, "missing metadata")
        form = MultipartForm()
        form.add("metadata", contentType: "application/json", try WireJSON.encoder().encode(Scene.metadata("Fine")))
        expect(
            try await author.send(.POST, templates, headers: [("Content-Type", form.contentType)], body: form.finished),
            422, .missingFile, "missing file")
        var broken = form.finished
        broken.moveWriterIndex(to: broken.readableBytes - 20)
        expect(
            try await author.send(.POST, templates, headers: [("Content-Type", form.contentType)], body: broken),
            400, .badMultipart, "broken multipart")
        expect(
            try await author.send(.POST, templates, headers: [("Content-Type", "text/plain")], body: form.finished),
            415, .unsupportedMediaType, "not multipart")
        expect(
            try await author.upload(
                metadata: Scene.metadata("Large"), file: good + Data(repeating: 32, count: 2_000_001)),
            413, .tooLarge, "too large")

        // A version that exists.
        let published = try await Scene.publish("Taken", file: good, as: author, approvedBy: market.administrator)
        expect(
            try await author.upload(
                "\(Paths.template(published.templateSlug))/versions",
                metadata: UploadMetadata(version: "1.0.0", changelog: "Again."), file: good),
            409, .versionExists, "a version that exists")

        // Lists.
        expect(try await market.http.get("\(templates)?cursor=bm9wZQ"), 400, .badCursor, "bad cursor")
        expect(try await market.http.get("\(templates)?limit=1000"), 422, .validationFailed, "bad limit")
        expect(try await market.http.get("\(templates)/no-such-template"), 404, .notFound, "unknown template")
        expect(try await market.http.get("/no/such/address"), 404, .notFound, "unknown address")

        // Downloads.
        let ticket = try await market.http.get(
            "\(Paths.download(published.templateSlug, "latest"))?redirect=false"
        ).json(DownloadTicket.self)
        #expect(try await market.http.get(ticket.url).status == 200)
        expect(
            try await market.http.get(ticket.url.replacing("sig=", with: "sig=AA")), 403, .badSignature,
            "forged signature")
        let expired = ticket.url.replacing(/exp=\d+/, with: "exp=1000000000")
        expect(try await market.http.get(expired), 403, .badSignature, "moved expiry")

        // Who may do what.
        expect(try await market.http.upload(metadata: metadata, file: good), 401, .authenticationRequired, "nobody")
        expect(
            try await market.http.signedIn("smk_nonsense").get("\(Paths.base)/me"), 401, .invalidToken, "unknown token")
        expect(
            try await author.get("\(Paths.base)/moderation/queue"), 403, .forbidden, "wrong role")
        let token = try await author.send(
            .POST, "\(Paths.base)/auth/tokens", json: TokenRequest(name: "short", scopes: [.read], expiresInDays: 1)
        ).json(NewToken.self)
        expect(
            try await market.http.signedIn(token.token).upload(metadata: metadata, file: good), 403, .insufficientScope,
            "missing scope")
        try await Self.expireTokens(named: "short", in: market)
        // The server hears of it from the database.
        let isOver = try await eventually {
            try await market.http.signedIn(token.token).get("\(Paths.base)/me").status != 200
        }
        #expect(isOver)
        expect(
            try await market.http.signedIn(token.token).get("\(Paths.base)/me"), 401, .expiredToken, "expired token")
        await market.stop()
    }

    @Test("a download address holds until it expires, and then says so")
    func expiredDownload() async throws {
        let folder = try ScratchFolder("expiry")
        let market = try await RunningMarket(
            data: folder.url.appendingPathComponent("data"), environment: ["SHEETMARKET_DOWNLOAD_TTL": "1"])
        let author = try await market.person("nadia")
        let published = try await Scene.publish(
            "Brief", file: try Data(contentsOf: try Scene.anySheet()), as: author, approvedBy: market.administrator)
        let ticket = try await market.http.get(
            "\(Paths.download(published.templateSlug, "latest"))?redirect=false"
        ).json(DownloadTicket.self)
        try await Task.sleep(for: .milliseconds(2200))
        expect(try await market.http.get(ticket.url), 410, .downloadExpired, "expired address")
        await market.stop()
    }

    private static func expireTokens(named name: String, in market: RunningMarket) async throws {
        _ = try await market.withDatabase { database in
            _ = try await database.execute(
                "UPDATE api_tokens SET expires_at = now() - interval '1 second' WHERE name = \(name)")
        }
    }
}
