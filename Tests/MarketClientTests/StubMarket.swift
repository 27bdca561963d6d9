// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Hummingbird
import MarketClient
import MarketWire
import NIOCore
import SheetCore

/// A template with two versions, made up.
struct SampleSheet: Sendable {
    var id = TemplateID.make()
    var slug = "quest-sheet"
    var files: [(version: SemanticVersion, bytes: [UInt8])] = [
        (SemanticVersion(1, 0, 0), SampleSheet.bytes(300_000, seed: 7)),
        (SemanticVersion(1, 1, 0), SampleSheet.bytes(400_000, seed: 11)),
    ]
    var license = "CC-BY-4.0"
    var changes: [SemanticVersion: VersionChanges] = [:]
    var picture = Array("a picture of a page".utf8)

    static func bytes(_ count: Int, seed: UInt64) -> [UInt8] {
        var state = seed
        return (0..<count).map { _ in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return UInt8(truncatingIfNeeded: state >> 33)
        }
    }

    func bytes(_ version: SemanticVersion) -> [UInt8] { files.first { $0.version == version }?.bytes ?? [] }
    func hash(_ version: SemanticVersion) -> ContentHash { ContentHash(hashing: Data(bytes(version))) }

    /// What is signed of a version, which may be withdrawn (`state`) for another file.
    func target(_ version: SemanticVersion, state: String? = nil, replacement: String? = nil) -> TrustTarget {
        var custom: [TrustObject.Member] = [.init("slug", .string(slug))]
        if let state {
            custom += [.init("state", .string(state)), .init("reason", .string("Page 2 is upside down"))]
        }
        if let replacement { custom.append(.init("replacement", .string(replacement))) }
        return TrustTarget(
            path: TargetPath.of(id, version, .sheet),
            info: TrustFileInfo(length: bytes(version).count, sha256: hash(version)), custom: TrustObject(custom))
    }

    static let time = Date(timeIntervalSince1970: 1_767_225_600)

    func detail(_ version: SemanticVersion) -> VersionDetail {
        let page = PageSummary(
            index: 0, width: 612, height: 792, formFields: 3, regionCount: 1,
            previewURL: Paths.preview(id.description, version.description, page: 0))
        var detail = VersionDetail(
            version: version, state: .published, changelog: "News.", sha256: hash(version),
            sizeBytes: bytes(version).count, fileName: "../../evil.pdf", pageCount: 1, pages: [page],
            downloadURL: Paths.download(id.description, version.description), publishedAt: Self.time)
        detail.changes = changes[version]
        return detail
    }

    /// Of what changed since the version before, only that version's own address tells.
    private func template(_ offered: SemanticVersion) -> TemplateDetail {
        var latest = detail(offered)
        latest.changes = nil
        return TemplateDetail(
            summary: summary(offered), description: "Long.", createdAt: Self.time, latest: latest)
    }

    /// What a question for many tells of it.
    func offer(_ version: SemanticVersion, at address: String? = nil) -> InstallReport.Offer {
        let ticket = DownloadTicket(
            url: address ?? "/files/\(version)", version: version, fileName: "sheet.pdf",
            sizeBytes: bytes(version).count, sha256: hash(version), expiresAt: Date() + 60)
        return InstallReport.Offer(template: template(version), regions: regions.pages, download: ticket)
    }

    var regions: RegionList {
        let rect = NormalizedRect(x: 0.1, y: 0.2, width: 0.3, height: 0.25)
        let region = ZoomRegion(id: "skills", name: "Skills", rect: rect, pageIndex: 0)
        return RegionList(pages: [.init(index: 0, regions: [region])])
    }

    func summary(_ version: SemanticVersion) -> TemplateSummary {
        TemplateSummary(
            id: id, slug: slug, name: "Quest Sheet", summary: "For quests.", gameSystem: "dnd5e", author: "ada",
            rating: 4.5, ratingCount: 2, downloads: 12, previewURL: Paths.preview(slug, version.description, page: 0),
            downloadURL: Paths.download(slug, version.description), version: version, pageCount: 1,
            license: license, language: "en", tags: ["quest"], updatedAt: Self.time)
    }

    /// What a well-behaved market answers. `file` may misbehave instead; `offered` is the latest version.
    func market(
        offered: SemanticVersion = SemanticVersion(1, 0, 0),
        file: @escaping @Sendable (Request, StubServer, [UInt8]) async throws -> Response = SampleSheet.serve
    ) -> StubServer.Handler {
        { request, server in
            let parts = request.uri.path.split(separator: "/").map(String.init)
            if parts.first == "files", let version = SemanticVersion(parts[1]) {
                return try await file(request, server, bytes(version))
            }
            guard parts.count >= 4, parts[2] == "templates", [slug, id.description].contains(parts[3]) else {
                return try .problem(404, .notFound, "There is nothing at \(request.uri.path).")
            }
            if parts.count == 4 { return try .json(template(offered)) }
            if parts.count == 5 { return try .json(VersionList(versions: files.reversed().map { detail($0.version) })) }
            guard let version = SemanticVersion(parts[5]), files.contains(where: { $0.version == version }) else {
                return try .problem(404, .notFound, "There is no version \(parts[5]).")
            }
            switch parts.dropFirst(6).first {
            case nil: return try .json(detail(version))
            case "regions": return try .json(regions)
            case "pages": return .bytes(picture)
            default:
                return try .json(
                    DownloadTicket(
                        url: "/files/\(version)", version: version, fileName: "sheet.pdf",
                        sizeBytes: bytes(version).count, sha256: hash(version), expiresAt: Date() + 60))
            }
        }
    }

    /// Whole files and open-ended ranges.
    @Sendable static func serve(_ request: Request, _ server: StubServer, _ bytes: [UInt8]) -> Response {
        let tag = "\"\(ContentHash(hashing: Data(bytes)))\""
        var response: Response
        if let first = request.firstByte, request.headers[.ifRange].map({ $0 == tag }) ?? true {
            response = .bytes(bytes[first...], status: .partialContent)
            response.headers[.contentRange] = "bytes \(first)-\(bytes.count - 1)/\(bytes.count)"
        } else {
            response = .bytes(bytes)
        }
        response.headers[.eTag] = tag
        return response
    }
}

extension Request {
    /// The start of `Range: bytes=N-`.
    var firstByte: Int? {
        headers[.range].flatMap { Int($0.dropFirst("bytes=".count).dropLast()) }
    }
}

/// A folder for one test.
final class Scratch: Sendable {
    let path: String

    init() throws {
        path = URL(fileURLWithPath: NSTemporaryDirectory()).path + "/sheets-test-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    var library: Library { Library(root: path + "/library") }

    /// All regular files below the library, relative to it.
    func files(_ folder: String) -> [String] {
        let paths = (try? FileManager.default.subpathsOfDirectory(atPath: "\(library.root)/\(folder)")) ?? []
        return paths.filter { path in
            var isFolder: ObjCBool = false
            _ = FileManager.default.fileExists(atPath: "\(library.root)/\(folder)/\(path)", isDirectory: &isFolder)
            return !isFolder.boolValue
        }
    }
}

extension RetryPolicy {
    /// Tries like the usual one, without the waiting.
    static let hasty = RetryPolicy(attempts: 3, firstDelay: .milliseconds(1), longestDelay: .seconds(2))
}

extension StubServer {
    func client(token: String? = nil) throws -> MarketClient {
        MarketClient(server: try address, token: token, retry: .hasty)
    }

    func installer(_ scratch: Scratch) throws -> Installer {
        Installer(client: try client(token: "secret"), library: scratch.library)
    }
}

extension TemplateReference {
    static let quest = TemplateReference(key: "quest-sheet")
}
