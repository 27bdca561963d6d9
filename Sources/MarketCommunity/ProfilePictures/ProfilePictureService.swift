// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketCatalog
import MarketHTTP
import MarketPlatform
import MarketWire
import NIOCore
import Postgres
import SheetCore

/// The picture of a person, as a part of their profile. What somebody sends is read in a sandbox alone; what is stored and
/// shown was redrawn there.
package struct ProfilePictureService: Sendable {
    /// Largest file, in bytes.
    package static let maximumBytes = 5 << 20
    /// Sides of the squares, in pixels: for pages, and beside words.
    static let sides = [256, 96]

    private let community: CommunityDependencies

    package init(community: CommunityDependencies) {
        self.community = community
    }

    private var database: PostgresClient { community.database }

    /// Puts a picture in the place of what was there; the profile with it. Throws `ProfilePictureError`.
    package func put(_ picture: Data, of user: UserID) async throws -> Profile {
        guard picture.count <= Self.maximumBytes else { throw ProfilePictureError.tooManyBytes }
        let squares = try await community.redrawPicture(picture, Self.sides)
        guard squares.map(\.side) == Self.sides else { throw ProfilePictureError.damaged }
        var objects: [StoredObject] = []
        for square in squares { objects.append(try await store(square)) }
        try await database.withTransaction { [objects] connection in
            try await StorageGarbageCollection.blockGarbageCollection(in: connection)
            for object in objects {
                // The garbage collection may have been there before.
                guard try await community.storage.size(of: object.hash) != nil else {
                    throw StorageError.missing(object.hash)
                }
            }
            try await ProfilePictureStore.put(objects, of: user, at: community.now(), connection)
        }
        community.catalog.catalogChanged()
        return try await ProfileService(catalog: community.catalog).own(user)
    }

    /// Removes the picture, if there is one; the profile without it.
    package func remove(of user: UserID) async throws -> Profile {
        _ = try await database.withTransaction { try await ProfilePictureStore.delete(of: user, $0) }
        community.catalog.catalogChanged()
        return try await ProfileService(catalog: community.catalog).own(user)
    }

    /// How a picture may be shown to a caller.
    package enum Audience: Sendable {
        case everybody
        case caller
    }

    /// To whom a picture is shown; throws `ProfilePictureError` where not even to the caller.
    package func audience(of hash: ContentHash, for caller: Identity?) async throws -> Audience {
        if try await ProfilePictureStore.isVisible(hash, database) { return .everybody }
        guard let caller else { throw ProfilePictureError.noSuchPicture }
        let isOwn = try await ProfilePictureStore.own(caller.userID, database)?.hashes.contains(hash) ?? false
        let isForTeam = caller.moderates ? try await ProfilePictureStore.exists(hash, database) : false
        guard isOwn || isForTeam else { throw ProfilePictureError.noSuchPicture }
        return .caller
    }

    private func store(_ square: SquarePicture) async throws -> StoredObject {
        let writer = try await community.storage.makeWriter()
        do {
            try await writer.write(ByteBuffer(bytes: square.webp))
            return try await writer.finish()
        } catch {
            await writer.abandon()
            throw error
        }
    }
}
