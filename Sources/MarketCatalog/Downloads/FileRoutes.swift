// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Hummingbird
import MarketHTTP
import MarketPlatform
import MarketWire
import SheetCore
import Synchronization

/// `GET /files/{sha256}/{name}`: the bytes behind a signed address. It asks no database, so that any node, or a cache
/// in front, can answer for as long as the address holds; what is taken down is known to each node. Who has an older version
/// may be given what differs from it, which the database knows; without it all is given.
package struct FileRoutes: Sendable {
    package let catalog: CatalogDependencies
    package let objects: ObjectServer
    package let counter: DownloadCounter
    private let known = VerifiedAddressCache()

    package init(catalog: CatalogDependencies, objects: ObjectServer, counter: DownloadCounter) {
        self.catalog = catalog
        self.objects = objects
        self.counter = counter
    }

    package func register(on routes: APIRoutes) {
        routes.get("/files/{sha256}/{name}", access: .signedAddress, file)
    }

    @Sendable private func file(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let text = request.uri.string
        if let address = known.find(text) {
            guard catalog.now() < address.expires else { throw DownloadAddressError.expired }
            return try await serve(request, context, address)
        }
        let query = request.queryParameters
        let address = SignedAddress(
            hex: try context.path("sha256"), fileName: try context.path("name"), keyID: query["kid"] ?? "",
            expiry: query["exp"] ?? "", signature: query["sig"] ?? "")
        try catalog.signer.verify(address, now: catalog.now())
        let entry = VerifiedAddressCache.Address(
            hex: address.hex, expires: Date(timeIntervalSince1970: Double(address.expiry) ?? 0),
            headers: Self.headers(fileName: address.fileName),
            purpose: catalog.signer.purpose(query["for"], of: address),
            isForReview: catalog.signer.isForReview(query["for"], of: address))
        known.enter(text, entry)
        return try await serve(request, context, entry)
    }

    private func serve(
        _ request: Request, _ context: MarketRequestContext, _ address: VerifiedAddressCache.Address
    ) async throws -> Response {
        if !address.isForReview { try await catalog.blockedArtifacts.check(address.hex) }
        let delta =
            address.isForReview
            ? nil
            : await DeltaOffer(database: catalog.database, objects: objects).response(
                to: request, for: ContentHash(hex: address.hex), headers: address.headers)
        let response: Response
        if let delta {
            response = delta
        } else {
            response = try await objects.response(
                to: request, hex: address.hex, headers: address.headers, direct: true)
        }
        if let purpose = address.purpose, Self.isDownload(request, response) {
            await counter.count(purpose, address: context.clientAddress)
            await catalog.downloaded(purpose, context.clientAddress, !request.isFromBrowser)
        }
        return response
    }

    /// Whether an answer is a download: all of the bytes, or the way to them, to somebody who wants them. A part is the rest of a download
    /// that was counted when it began; `HEAD` and `304` bring no bytes.
    private static func isDownload(_ request: Request, _ response: Response) -> Bool {
        request.method == .get && [.ok, .temporaryRedirect].contains(response.status)
            && request.headers[.range] == nil && !request.isAutomatic
    }

    /// Header fields for a file from a user: it is to be saved, and does no harm when a browser opens it all the same.
    private static func headers(fileName: String) -> HTTPFields {
        [
            .contentType: mediaType(of: fileName),
            .contentDisposition: ContentDisposition.attachment(fileName),
            // A browser may keep what it has; a cache that serves others asks again, so that a take-down reaches it.
            .cacheControl: "public, max-age=31536000, s-maxage=10, immutable",
            .contentSecurityPolicy: "sandbox; default-src 'none'",
        ]
    }

    private static func mediaType(of fileName: String) -> String {
        switch fileName.lowercased().split(separator: ".").last {
        case "pdf": "application/pdf"
        case "webp": "image/webp"
        case "json", "fstemplate": "application/json"
        default: "application/octet-stream"
        }
    }
}

extension DownloadAddressError: APIErrorConvertible {
    /// `403` or `410`.
    package var apiError: APIError {
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

/// Recently verified signed URLs by their exact text, so that the signature is not checked again.
private final class VerifiedAddressCache: Sendable {
    struct Address: Sendable {
        let hex: String
        let expires: Date
        let headers: HTTPFields
        let purpose: DownloadPurpose?
        let isForReview: Bool
    }

    private let addresses = Mutex(LRUCache<String, Address>(capacity: 4096))

    func find(_ text: String) -> Address? { addresses.withLock { $0.use(text) } }

    func enter(_ text: String, _ address: Address) {
        guard text.utf8.count <= 1024 else { return }
        addresses.withLock { $0.enter(address, for: text, cost: 1) }
    }
}
