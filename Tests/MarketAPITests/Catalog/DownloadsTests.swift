// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import MarketPlatform
import MarketWire
import NIOCore
import Postgres
import SheetCore
import Synchronization
import Testing

@testable import MarketAPI

@Suite("Downloads and pictures")
struct DownloadsTests {
    private static let sheet = Array("%PDF-1.7 ".utf8) + (0..<5000).map { UInt8(truncatingIfNeeded: $0) }

    /// The signed address of the template's version on offer.
    private func address(_ scene: CatalogScene, _ slug: String = "sheet") async throws -> String {
        let answer = try await scene.get("/templates/\(slug)/versions/latest/download")
        #expect(answer.status == .found)
        #expect(answer.headers[.cacheControl] == "no-store")
        return try #require(answer.headers[.location])
    }

    @Test("A download leads to the bytes, which tell what they are and never change")
    func download() async throws {
        try await CatalogScene.run { scene in
            try await scene.addTemplate("Sheet", bytes: Self.sheet)
            let path = try await address(scene)
            // The first is streamed, the second kept, the third from memory.
            for _ in 0..<3 {
                let answer = try await scene.get(path)
                #expect(answer.status == .ok)
                #expect(Array(buffer: answer.body) == Self.sheet)
                #expect(answer.headers[.contentType] == "application/pdf")
                #expect(answer.headers[.contentLength] == String(Self.sheet.count))
                #expect(answer.headers[.eTag] == "\"\(ContentHash(hashing: Self.sheet).hex)\"")
                #expect(answer.headers[.cacheControl] == "public, max-age=31536000, s-maxage=10, immutable")
                #expect(answer.headers[.acceptRanges] == "bytes")
                #expect(
                    answer.headers[.contentDisposition]
                        == "attachment; filename=\"Sheet _.pdf\"; filename*=UTF-8''Sheet%20%C3%BC.pdf")
                #expect(answer.headers[HTTPField.Name("X-Content-Type-Options") ?? .server] == "nosniff")
                #expect(answer.headers[.contentSecurityPolicy]?.hasPrefix("sandbox") == true)
            }
            let head = try await scene.send(.head, path)
            #expect(head.status == .ok && head.headers[.contentLength] == String(Self.sheet.count))
            #expect(head.body.readableBytes == 0)
            let tag = "\"\(ContentHash(hashing: Self.sheet).hex)\""
            let held = try await scene.get(path, headers: [.ifNoneMatch: tag])
            #expect(held.status == .notModified && held.body.readableBytes == 0)
        }
    }

    @Test("Parts are served, from the disk and from memory alike")
    func ranges() async throws {
        try await CatalogScene.run { scene in
            try await scene.addTemplate("Sheet", bytes: Self.sheet)
            let path = try await address(scene)
            let size = Self.sheet.count
            let tag = "\"\(ContentHash(hashing: Self.sheet).hex)\""
            for _ in 0..<3 {
                for (field, wanted) in [
                    ("bytes=0-9", 0..<10), ("bytes=5000-", 5000..<size), ("bytes=-7", (size - 7)..<size),
                ] {
                    let answer = try await scene.get(path, headers: [.range: field])
                    #expect(answer.status == .partialContent)
                    #expect(
                        answer.headers[.contentRange] == "bytes \(wanted.lowerBound)-\(wanted.upperBound - 1)/\(size)")
                    #expect(Array(buffer: answer.body) == Array(Self.sheet[wanted]))
                }
                let beyond = try await scene.get(path, headers: [.range: "bytes=\(size)-"])
                #expect(beyond.status == .rangeNotSatisfiable && beyond.problem == .rangeNotSatisfiable)
                #expect(beyond.headers[.contentRange] == "bytes */\(size)")
                let same = try await scene.get(path, headers: [.range: "bytes=0-9", .ifRange: tag])
                #expect(same.status == .partialContent)
                let other = try await scene.get(path, headers: [.range: "bytes=0-9", .ifRange: "\"other\""])
                #expect(other.status == .ok && other.body.readableBytes == size)
            }
        }
    }

    @Test("Large files are streamed and never kept")
    func large() async throws {
        try await CatalogScene.run { scene in
            let bytes = (0..<(3 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 7) }
            try await scene.addTemplate("Sheet", bytes: bytes)
            let path = try await address(scene)
            for _ in 0..<3 { #expect(Array(buffer: try await scene.get(path).body) == bytes) }
            let part = try await scene.get(path, headers: [.range: "bytes=1000000-2000000"])
            #expect(Array(buffer: part.body) == Array(bytes[1_000_000...2_000_000]))
        }
    }

    @Test("A ticket says what will come; its address expires with it")
    func ticket() async throws {
        let clock = Mutex(Date(timeIntervalSince1970: 1_900_000_000))
        try await CatalogScene.run(now: { clock.withLock { $0 } }) { scene in
            try await scene.addTemplate("Sheet", bytes: Self.sheet)
            let ticket = try await scene.get("/templates/sheet/versions/1.0.0/download?redirect=false").json(
                DownloadTicket.self)
            #expect(ticket.sizeBytes == Self.sheet.count && ticket.sha256 == ContentHash(hashing: Self.sheet))
            #expect(ticket.fileName == "Sheet ü.pdf" && ticket.version == SemanticVersion(1, 0, 0))
            #expect(ticket.expiresAt == Date(timeIntervalSince1970: 1_900_000_900))
            #expect(try await scene.get(ticket.url).status == .ok)
            let forged = try await scene.get(ticket.url.replacing("sig=", with: "sig=A"))
            #expect(forged.status == .forbidden && forged.problem == .badSignature)
            #expect(try await scene.get("/files/\(ticket.sha256)/a.pdf").problem == .badSignature)
            clock.withLock { $0.addTimeInterval(900) }
            let late = try await scene.get(ticket.url)
            #expect(late.status == .gone && late.problem == .downloadExpired)
        }
    }

    @Test("One question tells all that installing many needs, in its order, and leaves out what is not on offer")
    func installs() async throws {
        try await CatalogScene.run { scene in
            let one = try await scene.addTemplate("One", bytes: Self.sheet)
            try await scene.addVersion("2.0.0", of: one, bytes: Array("%PDF-1.7 two".utf8), channel: .beta)
            let two = try await scene.addTemplate("Two")
            let gone = try await scene.addTemplate("Gone")
            try await scene.takeDown("1.0.0", of: gone)
            func offers(
                _ keys: [String], _ channel: ReleaseChannel? = nil
            ) async throws -> [InstallReport.Offer?] {
                let query = InstallQuery(templates: keys, channel: channel)
                let answer = try await scene.send(.post, "/installs", as: nil, json: query)
                #expect(answer.headers[.cacheControl] == "no-store")
                return try answer.json(InstallReport.self).installs.map(\.offer)
            }
            let (id, stranger) = (one.id.description, TemplateID.make().description)
            let keys = ["two", id, "nobody", "gone", "Not a slug", "one", stranger]
            let found = try await offers(keys)
            #expect(found.map { $0?.template.summary.id } == [two.id, one.id, nil, nil, nil, one.id, nil])
            let offer = try #require(found[1])
            #expect(offer.template == (try await scene.get("/templates/one").json(TemplateDetail.self)))
            let regions = try await scene.get("/templates/one/versions/1.0.0/regions").json(RegionList.self)
            #expect(offer.regions == regions.pages && offer.regions.map(\.regions.count) == [1, 0])
            #expect(offer.download.sha256 == ContentHash(hashing: Self.sheet))
            #expect(offer.download.version == SemanticVersion(1, 0, 0) && offer.download.fileName == "Sheet ü.pdf")
            #expect(Array(buffer: try await scene.get(offer.download.url).body) == Self.sheet)
            let beta = try await offers(["one", "two"], .beta)
            #expect(beta.map { $0?.download.version } == [SemanticVersion(2, 0, 0), SemanticVersion(1, 0, 0)])
            #expect(try await offers([]) == [])
            let many = InstallQuery(templates: Array(repeating: "one", count: 51))
            #expect(try await scene.send(.post, "/installs", as: nil, json: many).pointers == ["/templates"])
        }
    }

    @Test("Pictures of first pages come along for who asks, those that a page's own address would give")
    func installPictures() async throws {
        try await CatalogScene.run { scene in
            let sheet = try await scene.addTemplate("One")
            try await scene.addTemplate("Bare")
            for width in [240, 480, 1200] { _ = try await scene.addPreview(sheet.submission, width: width) }
            _ = try await scene.addPreview(sheet.submission, page: 1, width: 480)
            let own = try await scene.get("/templates/one/versions/1.0.0/pages/0/preview")
            for wanted in [true, false, nil] {
                let query = InstallQuery(templates: ["one", "bare"], pictures: wanted)
                let report = try await scene.send(.post, "/installs", as: nil, json: query).json(InstallReport.self)
                let pictures = report.installs.map { $0.offer?.picture }
                let whole = InstallReport.Picture(mediaType: "image/webp", data: Data(own.body.readableBytesView))
                #expect(pictures == [wanted == true ? whole : nil, nil])
            }
        }
    }

    @Test("An answer for many installations has so many regions and no more")
    func manyRegions() async throws {
        try await CatalogScene.run { scene in
            try await scene.addTemplate("One")
            try await scene.addTemplate("Two")
            try await scene.features.database.execute(
                """
                UPDATE submission_pages SET regions = (
                    SELECT jsonb_agg(n.region)
                    FROM generate_series(1, 9000) CROSS JOIN LATERAL (SELECT regions -> 0 AS region) AS n)
                WHERE page_index = 0
                """)
            let query = InstallQuery(templates: ["one", "two"])
            let report = try await scene.send(.post, "/installs", as: nil, json: query).json(InstallReport.self)
            #expect(report.installs.map { $0.offer == nil } == [false, true])
        }
    }

    @Test("A file needs no database while the list of what was taken down is fresh, and no good credential either")
    func noDatabase() async throws {
        try await CatalogScene.run { scene in
            try await scene.addTemplate("Sheet", bytes: Self.sheet)
            let path = try await address(scene)
            #expect(try await scene.get(path).status == .ok)
            await scene.features.database.shutdown()
            #expect(try await scene.get(path, as: scene.owner).status == .ok)
        }
    }

    @Test("The picture that is nearest from above is served")
    func pictures() async throws {
        try await CatalogScene.run { scene in
            let made = try await scene.addTemplate("Sheet")
            let small = try await scene.addPreview(made.submission, width: 320)
            let middle = try await scene.addPreview(made.submission, width: 800)
            let large = try await scene.addPreview(made.submission, width: 1600)
            let path = "/templates/sheet/versions/1.0.0/pages/0/preview"
            for (width, wanted) in [
                ("?width=100", small), ("?width=320", small), ("?width=321", middle), ("", middle),
                ("?width=5000", large),
            ] {
                let answer = try await scene.get(path + width)
                #expect(answer.status == .ok && Array(buffer: answer.body) == wanted, "\(width)")
                #expect(answer.headers[.contentType] == "image/webp")
                #expect(answer.headers[.cacheControl] == "public, max-age=86400, s-maxage=10, immutable")
                let tag = try #require(answer.headers[.eTag])
                #expect(try await scene.get(path + width, headers: [.ifNoneMatch: tag]).status == .notModified)
            }
            let latest = try await scene.get("/templates/sheet/versions/latest/pages/0/preview")
            #expect(latest.status == .ok && latest.headers[.cacheControl] == "public, max-age=60, s-maxage=10")
            for page in ["1", "9", "-1", "x", "99999999999"] {
                #expect(
                    try await scene.get("/templates/sheet/versions/1.0.0/pages/\(page)/preview").status == .notFound,
                    "\(page)")
            }
            for width in ["0", "x", "10001"] {
                #expect(try await scene.get("\(path)?width=\(width)").pointers == ["width"])
            }
        }
    }

    @Test("A submission's pictures are for its uploader and for moderators")
    func submissionPictures() async throws {
        try await CatalogScene.run { scene in
            let made = try await scene.addTemplate("Sheet")
            let picture = try await scene.addPreview(made.submission, width: 320)
            let stranger = UserID.make()
            let moderator = UserID.make()
            try await scene.addUser(stranger, "stranger")
            try await scene.addUser(moderator, "moritz", role: .moderator)
            let path = "/submissions/\(made.submission)/pages/0/preview"
            for caller in [scene.owner, moderator] {
                let answer = try await scene.get(path, as: caller)
                #expect(answer.status == .ok && Array(buffer: answer.body) == picture)
                #expect(answer.headers[.cacheControl]?.hasPrefix("private") == true)
            }
            #expect(try await scene.get(path, as: stranger).status == .notFound)
            let readsOnly = [CatalogScene.readsOnly: "yes"] as HTTPFields
            #expect(try await scene.get(path, as: moderator, headers: readsOnly).status == .notFound)
            #expect(try await scene.get(path, as: scene.owner, headers: readsOnly).status == .ok)
            #expect(try await scene.get(path).status == .unauthorized)
            #expect(try await scene.get("/submissions/nonsense/pages/0/preview", as: moderator).status == .notFound)
        }
    }
}
