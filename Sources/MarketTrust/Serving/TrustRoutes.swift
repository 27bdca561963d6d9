// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Hummingbird
import MarketCatalog
import MarketHTTP
import MarketPlatform
import MarketWire
import NIOCore
import SheetCore

/// Signed metadata and the files that it names, at the addresses that clients of The Update Framework expect; and many files of
/// metadata by one question, for who is about to install many templates.
package struct TrustRoutes: Sendable {
    /// About the most bytes in one answer.
    private static let bundleBytes = 4 << 20

    private let catalog: CatalogDependencies
    private let objects: ObjectServer

    package init(catalog: CatalogDependencies, objects: ObjectServer) {
        self.catalog = catalog
        self.objects = objects
    }

    package func register(on routes: APIRoutes) {
        routes.get("/trust/{name}", access: .withoutAuthentication, metadata)
        routes.get("/trust/targets/{template}/{name}", access: .withoutAuthentication, target)
        routes.group(Paths.base).asking.post("/signed-metadata", access: .withoutAuthentication, bundle)
    }

    /// `timestamp.json`, or `<version>.<role>.json`.
    @Sendable private func metadata(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let name = try context.path("name")
        var file: MetadataFile?
        // Whoever asks again within a few seconds may be answered by a cache.
        var cache = "public, max-age=10"
        if name == "timestamp.json" {
            file = try await TrustStore.newest("timestamp", catalog.database)
        } else if let (role, version) = Self.versioned(name) {
            file = try await TrustStore.file(role, version: version, catalog.database)
            cache = "public, max-age=31536000, immutable"
        }
        guard let file else { throw APIError.notFound("This metadata") }
        return request.conditionalResponse(ByteBuffer(bytes: file.bytes), headers: [.cacheControl: cache])
    }

    /// Reads `<version>.<role>.json`.
    private static func versioned(_ name: String) -> (role: String, version: Int64)? {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[2] == "json", let version = Int64(parts[0]), String(version) == parts[0] else {
            return nil
        }
        return (String(parts[1]), version)
    }

    @Sendable private func bundle(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let query = try await request.json(MetadataQuery.self)
        guard query.names.count <= MetadataQuery.maximumCount else {
            throw APIError.validation([
                .init(pointer: "/names", detail: "At most \(MetadataQuery.maximumCount) names in one query.")
            ])
        }
        let found = try await TrustStore.files(query.names.compactMap(Self.versioned), catalog.database)
        var room = Self.bundleBytes
        var files: [MetadataBundle.File] = []
        for file in found {
            guard file.bytes.count <= room, let content = String(data: file.bytes, encoding: .utf8) else { continue }
            room -= file.bytes.count
            files.append(.init(name: "\(file.version).\(file.role).json", content: content))
        }
        return try .json(MetadataBundle(files: files))
    }

    /// `<sha256>.<version>.<suffix>` in the folder of its template. What is taken down is refused, as everywhere.
    @Sendable private func target(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let name = try context.path("name")
        guard let template = TemplateID(try context.path("template")), name.utf8.count > 65,
            let hash = ContentHash(hex: String(name.prefix(64))), name.dropFirst(64).first == ".",
            let entry = try await BinStore.entry(
                template, path: "\(template)/\(name.dropFirst(65))", hash: hash, catalog.database)
        else { throw APIError.notFound("This file") }
        try await catalog.blockedArtifacts.check(hash.hex)
        let fileName = "\(entry.path.split(separator: "/").last ?? "file")"
        return try await objects.response(
            to: request, hex: hash.hex,
            headers: [
                .contentType: fileName.hasSuffix(".pdf") ? "application/pdf" : "application/json",
                .contentDisposition: ContentDisposition.attachment(fileName),
                // A browser may keep what it has; a cache that serves others asks again, so that a take-down reaches
                // it.
                .cacheControl: "public, max-age=31536000, s-maxage=10, immutable",
                .contentSecurityPolicy: "sandbox; default-src 'none'",
            ])
    }
}
