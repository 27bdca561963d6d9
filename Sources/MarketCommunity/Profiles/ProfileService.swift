// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketAccounts
import MarketCatalog
import MarketHTTP
import MarketPlatform
import MarketWire
import Postgres
import SheetCore

/// What people say of themselves on their page. Moderators take it down like a review.
package struct ProfileService: Sendable {
    package let catalog: CatalogDependencies

    package init(catalog: CatalogDependencies) {
        self.catalog = catalog
    }

    private var database: PostgresClient { catalog.database }

    /// As others see it.
    package func shown(_ handle: String) async throws -> Profile {
        guard let profile = try await ProfileStore.shown(handle, database) else { throw ProfileError.noSuchPerson }
        return profile
    }

    /// The same; `nil` for who shows nothing.
    package func find(_ handle: String) async throws -> Profile? { try await ProfileStore.shown(handle, database) }

    package func own(_ user: UserID) async throws -> Profile {
        guard let profile = try await ProfileStore.own(user, database) else { throw ProfileError.noSuchPerson }
        return profile
    }

    package func isHidden(_ user: UserID) async throws -> Bool { try await ProfileStore.isHidden(user, database) }

    /// Puts the whole profile in the place of what was there.
    package func put(_ edit: ProfileEdit, of user: UserID) async throws -> Profile {
        let profile = try await checked(edit, of: user)
        try await ProfileStore.put(profile, of: user, at: catalog.now(), database)
        catalog.catalogChanged()
        return profile
    }

    /// The profile as the edit would make it; throws what is wrong with that.
    @discardableResult
    package func checked(_ edit: ProfileEdit, of user: UserID) async throws -> Profile {
        var profile = try await own(user)
        var problems: [ProblemDocument.Detail] = []
        profile.bio = (edit.bio ?? "").cleanedText()
        if profile.bio.unicodeScalars.count > ProfileEdit.maximumBioLength {
            problems.append(.init(pointer: "/bio", detail: "At most \(ProfileEdit.maximumBioLength) characters."))
        }
        profile.links = (edit.links ?? []).map { $0.cleanedLine() }.filter { !$0.isEmpty }
        if profile.links.count > ProfileEdit.maximumLinks {
            problems.append(.init(pointer: "/links", detail: "At most \(ProfileEdit.maximumLinks) links."))
        } else {
            for (place, link) in profile.links.enumerated() where !Self.isLink(link) {
                let detail =
                    "Link \(place + 1): a whole address that begins with https://, such as https://example.org/me."
                problems.append(.init(pointer: "/links/\(place)", detail: detail))
            }
        }
        profile.colour = edit.colour ?? 0
        if !(0..<ProfileEdit.colours).contains(profile.colour) {
            problems.append(.init(pointer: "/colour", detail: "0 to \(ProfileEdit.colours - 1)."))
        }
        guard problems.isEmpty else { throw ProfileError.invalid(problems) }
        return profile
    }

    /// A plain address by https, of a host with a name; nothing that reads as another place than it leads to.
    static func isLink(_ text: String) -> Bool {
        guard text.utf8.count <= ProfileEdit.maximumLinkLength, text.hasPrefix("https://"),
            text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }), let parts = URLComponents(string: text)
        else { return false }
        guard let host = parts.host, host.contains("."), parts.user == nil, parts.password == nil else { return false }
        return !host.hasPrefix(".") && !host.hasSuffix(".")
    }
}
