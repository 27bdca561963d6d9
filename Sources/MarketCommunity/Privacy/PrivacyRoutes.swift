// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdCore
import MarketHTTP
import MarketPlatform
import MarketWire
import SheetCore

/// Export and erasure of personal data.
package struct PrivacyRoutes: Sendable {
    package let community: CommunityDependencies

    package init(community: CommunityDependencies) {
        self.community = community
    }

    package func register(on routes: APIRoutes) {
        routes.get("/me/export", access: .user(.account), export)
        routes.delete("/me", access: .session, erase)
        routes.get("/me/erasure", access: .session, status)
        routes.delete("/me/erasure", access: .session, keep)
    }

    private func export(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        try await PersonalExportAnswer(community: community).answer(to: try context.requireIdentity())
    }

    private func erase(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let wish = try await request.json(ErasureRequest.self)
        let status = try await Erasure(community: community).schedule(
            by: try context.requireIdentity(), templates: wish.templates)
        return try .json(status, status: .accepted, headers: [.cacheControl: "no-store"])
    }

    private func status(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        guard let status = try await Erasure(community: community).status(of: try context.requireIdentity().userID)
        else {
            throw ErasureError.noWish
        }
        return request.conditionalResponse(try .json(status), headers: [.cacheControl: "private, no-cache"])
    }

    private func keep(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        guard try await Erasure(community: community).cancel(try context.requireIdentity().userID) else {
            throw ErasureError.noWish
        }
        return .empty()
    }
}

/// The export as a download.
package struct PersonalExportAnswer: Sendable {
    package let community: CommunityDependencies

    package init(community: CommunityDependencies) {
        self.community = community
    }

    /// A session has to be confirmed before: somebody who got hold of one must not get all data by it.
    package func answer(to identity: Identity) async throws -> Response {
        if case .session = identity.credential { try identity.requireConfirmation(at: community.now()) }
        let export = PersonalExport(platform: community.platform, user: identity.userID)
        return Response(
            status: .ok,
            headers: [
                .contentType: "application/json; charset=utf-8", .cacheControl: "private, no-store",
                .contentDisposition: "attachment; filename=\"sheetmarket-\(identity.handle).json\"",
            ],
            body: .init { writer in
                try await export.write { try await writer.write($0) }
                try await writer.finish(nil)
            })
    }
}

extension ErasureError: APIErrorConvertible {
    package var apiError: APIError {
        switch self {
        case .noAccount: .authenticationRequired
        case .lastAdministrator:
            APIError(.conflict, .conflict, "You are the only administrator. Give somebody else the role first.")
        case .noWish: APIError(.notFound, .notFound, "No account erasure is scheduled.")
        }
    }
}
