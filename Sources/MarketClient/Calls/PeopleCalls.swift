// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import MarketWire
import SheetCore

extension MarketClient {
    private static func person(_ handle: String) throws -> String { "\(Paths.base)/users/\(try segment(handle))" }
    private static func collection(_ id: MemberCollectionID) -> String { "\(Paths.base)/member-collections/\(id)" }

    // MARK: Profiles

    /// What a person shows of themselves.
    public func profile(of handle: String) async throws -> Profile {
        try await requests.json(.get(try Self.person(handle)))
    }

    /// The account's own profile.
    public func ownProfile() async throws -> Profile { try await requests.json(.get("\(Paths.base)/me/profile")) }

    /// Changes it.
    public func setProfile(to edit: ProfileEdit) async throws -> Profile {
        try await requests.json(try .send(.put, "\(Paths.base)/me/profile", edit, repeatable: true))
    }

    /// Puts a picture (PNG, JPEG or WebP) in the place of the profile's.
    public func setProfilePicture(_ picture: Data) async throws -> Profile {
        let form = MultipartForm()
        var call = Call(method: .put, path: "\(Paths.base)/me/profile/picture", repeatable: true)
        call.headers[.contentType] = form.contentType
        call.body = .bytes(form.head("picture", fileName: "picture", isFirst: true) + picture + form.end)
        return try await requests.json(call)
    }

    /// Removes the profile's picture.
    public func removeProfilePicture() async throws -> Profile {
        try await requests.json(try .send(.delete, "\(Paths.base)/me/profile/picture", repeatable: true))
    }

    // MARK: People's own collections

    /// The listed collections of a person.
    public func collections(of handle: String) async throws -> [MemberCollection] {
        try await requests.json(.get(try Self.person(handle) + "/collections"), as: MemberCollectionList.self)
            .collections
    }

    /// The account's own collections, the unlisted ones too.
    public func ownCollections() async throws -> [MemberCollection] {
        try await requests.json(.get("\(Paths.base)/me/collections"), as: MemberCollectionList.self).collections
    }

    /// The collections that hold a template.
    public func collections(with key: String) async throws -> TemplateCollections {
        try await requests.json(.get(try templatePath(key) + "/collections"))
    }

    /// A person's collection with its templates.
    public func memberCollection(_ id: MemberCollectionID) async throws -> MemberCollectionDetail {
        try await requests.json(.get(Self.collection(id)))
    }

    /// Makes a collection of the account's own.
    public func makeCollection(_ edit: MemberCollectionEdit) async throws -> MemberCollectionDetail {
        try await requests.json(try .send(.post, "\(Paths.base)/member-collections", edit))
    }

    /// Puts this in the place of what a collection was.
    public func setCollection(
        _ id: MemberCollectionID, to edit: MemberCollectionEdit
    ) async throws -> MemberCollectionDetail {
        try await requests.json(try .send(.put, Self.collection(id), edit, repeatable: true))
    }

    /// Of the account's own; the templates in it stay.
    public func deleteCollection(_ id: MemberCollectionID) async throws {
        try await requests.discard(try .send(.delete, Self.collection(id), repeatable: true))
    }

    /// Adds a template to a collection, or takes it out.
    public func set(_ isIn: Bool, _ key: String, in id: MemberCollectionID) async throws {
        let path = "\(Self.collection(id))/templates/\(try Self.segment(key))"
        try await requests.discard(try .send(isIn ? .put : .delete, path, repeatable: true))
    }
}
