// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Hummingbird
import MarketHTTP
import MarketPlatform
import NIOCore
import SheetCore

/// The files under `/static/`, held in memory. Only names that were there at the start exist: no path reaches the disk.
package struct StaticFiles: Sendable {
    private struct File: Sendable {
        let body: ByteBuffer
        let mediaType: String
        let tag: String
        /// Goes into the address, so that a browser keeps the file for good and asks anew when it changes.
        let mark: String
    }

    private static let mediaTypes = [
        "css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8", "svg": "image/svg+xml",
        "png": "image/png", "ico": "image/x-icon", "webp": "image/webp", "woff2": "font/woff2",
        "txt": "text/plain; charset=utf-8",
    ]

    private let files: [String: File]

    /// Reads every file of `folder`; throws `AssetError` for a kind that has no media type here.
    package init(folder: URL) throws {
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder.path) else {
            throw AssetError(description: "the folder web/static is missing: \(folder.path)")
        }
        var files: [String: File] = [:]
        for name in names where !name.hasPrefix(".") {
            let url = folder.appendingPathComponent(name)
            guard let data = try? Data(contentsOf: url) else {
                throw AssetError(description: "web/static/\(name) cannot be read")
            }
            guard let mediaType = Self.mediaTypes[url.pathExtension] else {
                throw AssetError(description: "web/static/\(name) is of no kind that is served")
            }
            let digits = ContentHash(hashing: data).hex
            files[name] = File(
                body: ByteBuffer(bytes: data), mediaType: mediaType, tag: "\"\(digits.prefix(32))\"",
                mark: String(digits.prefix(12)))
        }
        self.files = files
    }

    /// Where pages find the file.
    package func address(_ name: String) -> String {
        guard let file = files[name] else { return "/static/\(name)" }
        return "/static/\(name)?v=\(file.mark)"
    }

    /// Changes when any of the files does.
    var mark: String { files.sorted { $0.key < $1.key }.map(\.value.mark).joined() }

    /// What stands in the file.
    func text(_ name: String) -> String { files[name].map { String(buffer: $0.body) } ?? "" }

    package func register(on routes: APIRoutes) {
        routes.get("/static/{file}", access: .withoutAuthentication, answer)
    }

    private func answer(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        try response(try context.path("file"), to: request)
    }

    /// The file of that name.
    func response(_ name: String, to request: Request) throws -> Response {
        guard let file = files[name] else { throw APIError.notFound("This file") }
        let isMarked = request.query("v") == file.mark
        var headers: HTTPFields = [
            .eTag: file.tag, .cacheControl: isMarked ? "public, max-age=31536000, immutable" : "public, max-age=60",
            // An image that is opened by itself must not run anything either.
            .contentSecurityPolicy: "default-src 'none'; style-src 'unsafe-inline'; sandbox",
        ]
        if request.holds(file.tag) { return Response(status: .notModified, headers: headers) }
        headers[.contentType] = file.mediaType
        headers[.contentLength] = String(file.body.readableBytes)
        return Response(status: .ok, headers: headers, body: .init(byteBuffer: file.body))
    }
}
