// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Hummingbird
import MarketHTTP
import MarketWire
import SheetCore

/// The picture of one's own profile, and everybody's at addresses that never change what they show.
package struct ProfilePictureRoutes: Sendable {
    private let service: ProfilePictureService
    private let objects: ObjectServer

    package init(community: CommunityDependencies, objects: ObjectServer) {
        service = ProfilePictureService(community: community)
        self.objects = objects
    }

    /// `routes` is where calls of the API stand, `root` where the pictures' addresses begin.
    package func register(on routes: APIRoutes, root: APIRoutes) {
        routes.withCost(.upload).put("/me/profile/picture", access: .user(.account), put)
        routes.delete("/me/profile/picture", access: .user(.account), remove)
        root.get("/pictures/{sha256}.webp", access: .optionalAuthentication, picture)
    }

    private func put(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let user = try context.requireIdentity().userID
        return try .json(try await service.put(try await ProfilePictureForm.picture(in: request), of: user))
    }

    private func remove(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        try .json(try await service.remove(of: try context.requireIdentity().userID))
    }

    private func picture(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        guard let hash = ContentHash(hex: try context.path("sha256")) else {
            throw ProfilePictureError.noSuchPicture
        }
        let audience = try await service.audience(of: hash, for: context.identity)
        // What it shows never changes; shared caches ask again soon all the same: it may be taken down.
        let caching =
            audience == .everybody ? "public, max-age=86400, s-maxage=10, immutable" : "private, no-store"
        return try await objects.response(
            to: request, hex: hash.hex,
            headers: [
                .contentType: "image/webp", .cacheControl: caching,
                .contentSecurityPolicy: "sandbox; default-src 'none'",
            ])
    }
}
