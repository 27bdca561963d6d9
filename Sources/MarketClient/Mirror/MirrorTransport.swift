// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import MarketWire
import SheetCore

/// Answers the calls of a market that players make by what a static mirror of it has. So all that verifies a market's
/// answers verifies a mirror's, too.
struct MirrorTransport: HTTPTransport {
    /// As large as pictures of a market may be.
    private static let maximumPictureBytes = 16 << 20

    private let server: ServerAddress
    private let files: MirrorFiles
    private let catalog: MirrorCatalog

    /// Stands in for `server`; `http` carries requests to a mirror on the web.
    init(server: ServerAddress, mirror: MirrorAddress, http: any HTTPTransport) {
        self.server = server
        files = MirrorFiles(address: mirror, http: http)
        catalog = MirrorCatalog(files: files)
    }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        do {
            return try await answer(request)
        } catch let problem as ProblemDocument {
            let body = try WireJSON.encoder().encode(problem)
            return TransportResponse(
                status: problem.status, headers: [.contentType: ProblemDocument.mediaType], body: ByteStream(body))
        }
    }

    private func answer(_ request: TransportRequest) async throws -> TransportResponse {
        guard let parts = parts(of: request.url) else { throw unknown() }
        if request.method == .get, parts.first == "trust" {
            let path = parts.joined(separator: "/")
            return try await files.open(path, headers: request.headers, timeout: request.timeout)
        }
        guard parts.count > 2, "/\(parts[0])/\(parts[1])" == Paths.base else { throw unknown() }
        let query = URLComponents(url: request.url, resolvingAgainstBaseURL: false)?.queryItems ?? []
        if parts.dropFirst(2) == ["updates"], case .bytes(let body)? = request.body {
            let query = try WireJSON.decoder().decode(UpdateQuery.self, from: body)
            return try json(try await catalog.updates(query))
        }
        guard request.method == .get, parts[2] == "templates" else { throw unknown() }
        guard parts.count > 3 else { return try json(try await MirrorSearch(query).run(catalog)) }
        return try await template(parts[3], Array(parts.dropFirst(4)), query)
    }

    /// Below the server's address, decoded; `nil` where that could lead out of the mirror.
    private func parts(of url: URL) -> [String]? {
        let prefix = URLComponents(url: server.url, resolvingAgainstBaseURL: false)?.percentEncodedPath ?? ""
        guard server.hasSameOrigin(as: url),
            let path = URLComponents(url: url, resolvingAgainstBaseURL: false)?.percentEncodedPath,
            path.hasPrefix(prefix)
        else { return nil }
        var parts: [String] = []
        for part in path.dropFirst(prefix.count).split(separator: "/") {
            guard let plain = part.removingPercentEncoding, plain != ".", plain != "..", !plain.contains("/"),
                !plain.contains("\\"), !plain.utf8.contains(0)
            else { return nil }
            parts.append(plain)
        }
        return parts
    }

    // MARK: - Templates

    private func template(
        _ key: String, _ rest: [String], _ query: [URLQueryItem]
    ) async throws -> TransportResponse {
        let entry = try await catalog.entry(key)
        let channel = query.first { $0.name == "channel" }?.value.flatMap(ReleaseChannel.init(rawValue:))
        let offered = MirrorCatalog.offered(entry, channel ?? .stable)
        if rest.isEmpty {
            if var detail = entry.template, let offered {
                detail.latest = offered
                return try json(detail)
            }
            guard let detail = entry.withheld, query.contains(where: { $0.name == "offered" && $0.value == "false" })
            else { throw ProblemDocument.notThere("No version of '\(key)' is on offer.") }
            return try json(detail)
        }
        guard rest[0] == "versions" else { throw unknown() }
        guard rest.count > 1 else {
            func fits(_ name: String, _ own: String) -> Bool { query.first { $0.name == name }?.value ?? own == own }
            return try json(
                VersionList(
                    versions: entry.versions.filter {
                        fits("state", $0.state.rawValue) && fits("channel", $0.channel.rawValue)
                    }))
        }
        let wanted = rest[1] == "latest" ? offered?.version : SemanticVersion(rest[1])
        guard let version = entry.versions.first(where: { $0.version == wanted }) else {
            if let gone = entry.withdrawn.first(where: { $0.version == wanted }) {
                throw ProblemDocument(
                    status: 410, code: gone.state == .takenDown ? .takenDown : .notFound, title: "Gone",
                    detail: "'\(key)' \(gone.version) was withdrawn\(WithdrawalReason.ending(gone.reason))")
            }
            throw ProblemDocument.notThere("The mirror has no version \(rest[1]) of '\(key)'.")
        }
        return try await self.version(version, entry, Array(rest.dropFirst(2)))
    }

    private func version(
        _ version: VersionDetail, _ entry: MirrorEntry, _ rest: [String]
    ) async throws -> TransportResponse {
        let extras = entry.extras.first { $0.version == version.version }
        switch rest.first {
        case nil: return try json(version)
        case "regions": return try json(RegionList(pages: extras?.regions ?? []))
        case "outline":
            guard let outline = extras?.outline else { throw ProblemDocument.notThere("It has no outline.") }
            return try json(outline)
        case "download":
            guard let template = (entry.template ?? entry.withheld)?.summary else { throw unknown() }
            let path = TargetPath.of(template.id, version.version, template.kind)
            return try json(
                DownloadTicket(
                    url: "/trust/targets/\(TargetPath.stored(path, version.sha256))", version: version.version,
                    fileName: version.fileName, sizeBytes: version.sizeBytes, sha256: version.sha256,
                    expiresAt: .distantFuture))
        case "pages" where rest.count == 3 && rest[2] == "preview":
            return try await picture(extras?.pictures.first { "\($0.page)" == rest[1] })
        default: throw unknown()
        }
    }

    private func picture(_ picture: MirrorEntry.Picture?) async throws -> TransportResponse {
        guard let hash = picture?.sha256,
            let bytes = try await files.bytes(
                MirrorEntry.picturePath(hash), upTo: Self.maximumPictureBytes),
            ContentHash(hashing: bytes) == hash
        else { throw ProblemDocument.notThere("The mirror has no picture of this page, or a damaged one.") }
        let type = bytes.starts(with: Data("RIFF".utf8)) ? "image/webp" : "image/png"
        return TransportResponse(status: 200, headers: [.contentType: type], body: ByteStream(bytes))
    }

    // MARK: - Answers

    private func json(_ value: some Encodable) throws -> TransportResponse {
        TransportResponse(
            status: 200, headers: [.contentType: "application/json"],
            body: ByteStream(try WireJSON.encoder().encode(value)))
    }

    private func unknown() -> ProblemDocument {
        .notThere("The mirror \(files.address) does not have this: ask \(server) itself, without --mirror.")
    }
}
