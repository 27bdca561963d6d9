// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Hummingbird
import MarketWire
import SheetCore

/// `GET /files/{sha256}/{name}`: the bytes behind a signed address. It asks no database, so that any node, or a cache
/// in front, can answer for as long as the address holds.
struct FileRoutes: Sendable {
    let market: Market
    let objects: ObjectServer

    func register(on routes: APIRoutes) {
        routes.get("/files/{sha256}/{name}", access: .signedAddress, file)
    }

    @Sendable private func file(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let query = request.queryParameters
        let address = SignedAddress(
            hex: try context.path("sha256"), fileName: try context.path("name"), keyID: query["kid"] ?? "",
            expiry: query["exp"] ?? "", signature: query["sig"] ?? "")
        try market.signer.verify(address, now: market.now())
        return try await objects.response(
            to: request, hex: address.hex, headers: Self.headers(fileName: address.fileName))
    }

    /// Fields of a file that a stranger has written: to be saved, and harmless when it is opened all the same.
    static func headers(fileName: String) -> HTTPFields {
        [
            .contentType: mediaType(of: fileName),
            .contentDisposition: disposition(fileName),
            .cacheControl: "public, max-age=31536000, immutable",
            .contentSecurityPolicy: "sandbox; default-src 'none'",
        ]
    }

    private static func mediaType(of fileName: String) -> String {
        switch fileName.lowercased().split(separator: ".").last {
        case "pdf": "application/pdf"
        case "webp": "image/webp"
        case "json": "application/json"
        default: "application/octet-stream"
        }
    }

    /// RFC 6266: a plain name for old clients, and the real one.
    static func disposition(_ fileName: String) -> String {
        let plain = String(
            fileName.unicodeScalars.map { scalar -> Character in
                (32...126).contains(scalar.value) && !"\"\\%/".unicodeScalars.contains(scalar) ? Character(scalar) : "_"
            })
        let encoded = fileName.addingPercentEncoding(withAllowedCharacters: .unreserved) ?? "file"
        return "attachment; filename=\"\(plain)\"; filename*=UTF-8''\(encoded)"
    }
}

extension DownloadAddressError: APIErrorConvertible {
    /// `403` or `410`.
    public var apiError: APIError {
        switch self {
        case .badSignature:
            APIError(
                .forbidden, .badSignature,
                "This address was not signed by this market. Ask for a new one at the version's 'downloadURL'.")
        case .expired:
            APIError(
                .gone, .downloadExpired, "This address has expired. Ask for a new one at the version's 'downloadURL'.")
        }
    }
}
