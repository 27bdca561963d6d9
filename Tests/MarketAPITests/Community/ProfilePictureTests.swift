// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketCatalog
import MarketPlatform
import MarketWire
import Moderation
import NIOCore
import NIOHTTP1
import Postgres
import SheetCore
import TestSupport
import Testing

@testable import MarketCommunity
@testable import MarketPages

/// The picture of a profile, from the form to the last of its bytes.
@Suite("Pictures of profiles")
struct ProfilePictureTests {
    private static let own = "\(Paths.base)/me/profile/picture"
    private static let page = "/account/profile/picture"

    private static func fixture(_ name: String) throws -> Data {
        try Data(contentsOf: BuildProducts.root.appendingPathComponent("Tests/Fixtures/pictures/\(name)"))
    }

    private static func send(
        _ picture: Data?, to path: String = own, _ method: HTTPMethod = .PUT, as caller: TestHTTP
    ) async throws -> TestHTTP.Answer {
        var form = MultipartForm()
        form.add("picture", fileName: "me.png", contentType: "image/png", picture ?? Data())
        return try await caller.send(method, path, headers: [("Content-Type", form.contentType)], body: form.finished)
    }

    /// Hashes of stored pictures that a row names.
    private static func artifacts(_ scene: EnforcementScene) async throws -> Int {
        try await scene.features.database.scalar(
            "SELECT count(*) FROM artifacts WHERE media_type = 'image/webp'")
    }

    @Test("A picture is shown as it was redrawn, at an address that never changes, on every page of the person")
    func shown() async throws {
        try await EnforcementScene.run { scene in
            let ada = try await scene.person("ada")
            let bob = try await scene.person("bob")
            #expect(try await scene.page("/authors/ada", as: scene.http).status == 404, "nothing is shown yet")
            let original = try Self.fixture("turned.jpg")
            let put = try await Self.send(original, as: ada.http)
            let profile = try put.json(Profile.self)
            let shown = try await scene.http.get("\(Paths.base)/users/ada").json(Profile.self)
            #expect(shown == profile && shown.pictureURL != shown.smallPictureURL)
            for address in [try #require(shown.pictureURL), try #require(shown.smallPictureURL)] {
                let picture = try await scene.http.get(address)
                #expect(picture.status == 200 && picture.headers.first(name: "content-type") == "image/webp")
                let caching = picture.headers.first(name: "cache-control") ?? ""
                #expect(caching.contains("public") && caching.contains("immutable"), "\(caching)")
                #expect(picture.headers.first(name: "content-security-policy")?.hasPrefix("sandbox") == true)
                let bytes = Data(picture.body.readableBytesView)
                #expect(address == Paths.picture(ContentHash(hashing: bytes)), "it is named by what it is")
                for word in ["SECRETCAM", "Exif", "EXIF"] { #expect(bytes.range(of: Data(word.utf8)) == nil) }
                let tag = try #require(picture.headers.first(name: "etag"))
                #expect(try await scene.http.get(address, headers: [("If-None-Match", tag)]).status == 304)
            }
            #expect(try await scene.http.get("/pictures/\(ContentHash(hashing: original).hex).webp").status == 404)
            #expect(try await scene.http.get("/pictures/x.webp").status == 404)

            let page = try await scene.page("/authors/ada", as: scene.http).text
            #expect(page.contains("src=\"\(shown.pictureURL ?? "-")\"") && page.contains("alt=\"Picture of ada\""))
            #expect(page.contains("/authors/ada/report"), "it can be reported like what they say")
            let sheet = try await scene.template("Long Winter", by: bob.id)
            _ = try await scene.review(sheet, by: ada.id)
            let review = try await scene.page("/sheets/long-winter", as: scene.http).text
            #expect(review.contains("class=\"face\" src=\"\(shown.smallPictureURL ?? "-")\""), "\(review)")
            let list = try await scene.http.get("\(Paths.template("long-winter"))/reviews").json(ReviewList.self)
            #expect(list.reviews.first?.authorPictureURL == shown.smallPictureURL)

            // The rest of the profile is written without touching it.
            let edited = try await ada.http.send(.PUT, "\(Paths.base)/me/profile", json: ProfileEdit(bio: "Me."))
            #expect(try edited.json(Profile.self).pictureURL == shown.pictureURL)
        }
    }

    @Test("What is no picture, moves, is damaged or too much is refused at its place, and nothing of it is kept")
    func refusals() async throws {
        try await EnforcementScene.run { scene in
            let ada = try await scene.person("ada")
            for name in [
                "picture.gif", "moving.png", "moving.webp", "cut-turned.jpg", "bomb.png", "bomb.jpg", "bomb.webp",
                "README.md",
            ] {
                let answer = try await Self.send(try Self.fixture(name), as: ada.http)
                #expect(answer.status == 422, "\(name): \(answer.text)")
                #expect(try answer.json(ProblemDocument.self).errors?.map(\.pointer) == ["/picture"])
            }
            #expect(try await Self.send(nil, as: ada.http).status == 422)
            let large = Data(repeating: 7, count: ProfilePictureService.maximumBytes + 1)
            #expect(try await Self.send(large, as: ada.http).status == 413)
            let text = try await ada.http.send(.PUT, Self.own, headers: [("Content-Type", "image/png")], body: .init())
            #expect(text.status == 415, "\(text.text)")
            #expect(try await Self.send(Data([1]), as: scene.http).status == 401)
            #expect(try await Self.artifacts(scene) == 0)
            #expect(try await ada.http.get("\(Paths.base)/me/profile").json(Profile.self).pictureURL == nil)
        }
    }

    @Test("Another picture takes its place, and removing it leaves nothing behind")
    func replaced() async throws {
        try await EnforcementScene.run { scene in
            let ada = try await scene.person("ada")
            let bob = try await scene.person("bob")
            let first = try await Self.send(try Self.fixture("turned.jpg"), as: ada.http).json(Profile.self)
            // Two people may show the same picture.
            let same = try await Self.send(try Self.fixture("turned.jpg"), as: bob.http).json(Profile.self)
            #expect(same.pictureURL == first.pictureURL)
            #expect(try await Self.artifacts(scene) == 2)
            let second = try await Self.send(try Self.fixture("tall.webp"), as: ada.http).json(Profile.self)
            #expect(second.pictureURL != first.pictureURL)
            #expect(try await Self.artifacts(scene) == 4)
            let removed = try await ada.http.send(.DELETE, Self.own)
            #expect(try removed.json(Profile.self).pictureURL == nil)
            #expect(try await ada.http.send(.DELETE, Self.own).status == 200)
            #expect(try await Self.artifacts(scene) == 2, "Bob's are there still")
            #expect(try await scene.http.get(try #require(second.pictureURL)).status == 404)
            #expect(try await scene.http.get(try #require(first.pictureURL)).status == 200)
            #expect(try await bob.http.send(.DELETE, Self.own).status == 200)
            // The bytes go with the next collection, once they are a day old.
            let collection = StorageGarbageCollection(
                storage: scene.features.storage, database: scene.features.database,
                now: { Date().addingTimeInterval(2 * StorageGarbageCollection.graceSeconds) })
            #expect(try await collection.run() == 4)
            #expect(try await scene.http.get(try #require(first.pictureURL)).status == 404)
        }
    }

    @Test("A moderator sees a reported picture and takes it down with the profile; its owner sees it still")
    func takenDown() async throws {
        try await EnforcementScene.run { scene in
            let ada = try await scene.person("ada")
            let bob = try await scene.person("bob")
            let mod = try await scene.person("mod", role: .moderator)
            let profile = try await Self.send(try Self.fixture("turned.jpg"), as: ada.http).json(Profile.self)
            let address = try #require(profile.pictureURL)
            let report = try await scene.form("/authors/ada/report", "reason=other&text=Not+theirs.", as: bob.http)
            #expect(report.status == 303, "\(report.text)")
            let cases = try await mod.http.get("\(Paths.base)/moderation/queue").json(CaseList.self).cases
            let caseID = try #require(cases.first?.id)
            #expect(
                try await mod.http.get(Paths.moderationCase(caseID.description)).json(CaseDetail.self).memberText?
                    .pictureURL == address)
            let page = try await scene.page("/moderation/cases/\(caseID)", as: mod.http).text
            #expect(page.contains("src=\"\(address)\"") && page.contains("alt=\"Picture of ada\""), "\(page)")

            try await scene.takeDown(.profile(ada.id))
            #expect(try await scene.http.get(address).status == 404)
            #expect(try await bob.http.get(address).status == 404)
            for viewer in [ada.http, mod.http] {
                let seen = try await viewer.get(address)
                #expect(seen.status == 200 && seen.headers.first(name: "cache-control") == "private, no-store")
            }
            try await scene.restore(.profile(ada.id))
            #expect(try await scene.http.get(address).status == 200)
        }
    }

    @Test("Who is kept from writing is kept from showing a picture, too")
    func sanctioned() async throws {
        try await EnforcementScene.run { scene in
            let ada = try await scene.person("ada")
            _ = try await scene.impose(
                .suspension([.reviews], until: scene.clock.now.addingTimeInterval(3600)), on: ada.id)
            let refused = try await Self.send(try Self.fixture("turned.jpg"), as: ada.http)
            #expect(refused.status == 403 && refused.problemCode == .suspended, "\(refused.text)")
            #expect(
                try await Self.send(try Self.fixture("turned.jpg"), to: Self.page, .POST, as: ada.http).status == 403)
        }
    }

    @Test("The picture is in the export of a person's data, and goes with the account")
    func erased() async throws {
        try await EnforcementScene.run { scene in
            let ada = try await scene.person("ada")
            let profile = try await Self.send(try Self.fixture("turned.jpg"), as: ada.http).json(Profile.self)
            let address = try #require(profile.pictureURL)
            let bytes = Data(try await scene.http.get(address).body.readableBytesView)
            let export = try await ada.http.get("\(Paths.base)/me/export")
            #expect(
                export.text.contains("\"base64\":\"\(bytes.base64EncodedString())\""), "\(export.text.prefix(2000))")
            try await Erasure(community: scene.features.community).erase(handle: "ada", templates: .leave)
            #expect(try await scene.http.get(address).status == 404)
            #expect(try await Self.artifacts(scene) == 0)
        }
    }

    @Test("The form takes a picture and removes it without a script, and says at the field what is wrong")
    func form() async throws {
        try await EnforcementScene.run { scene in
            let ada = try await scene.person("ada")
            let empty = try await scene.page("/account/profile", as: ada.http).text
            #expect(empty.contains("enctype=\"multipart/form-data\"") && !empty.contains("Remove your picture"))
            let bad = try await Self.send(try Self.fixture("moving.webp"), to: Self.page, .POST, as: ada.http)
            #expect(bad.status == 422 && bad.text.contains("id=\"picture-mistake\""), "\(bad.text)")
            #expect(bad.text.contains("A picture that does not move."))
            let large = Data(repeating: 7, count: ProfilePictureService.maximumBytes + 1)
            let heavy = try await Self.send(large, to: Self.page, .POST, as: ada.http)
            #expect(heavy.status == 413 && heavy.text.contains("At most 5 MB"), "\(heavy.text)")
            let sent = try await Self.send(try Self.fixture("see-through.png"), to: Self.page, .POST, as: ada.http)
            #expect(sent.status == 303, "\(sent.text)")
            let page = try await scene.page(after: sent, as: ada.http).text
            #expect(page.contains("Saved.") && page.contains("alt=\"Your picture as others see it\""), "\(page)")
            let removed = try await scene.form("\(Self.page)/remove", "", as: ada.http)
            #expect(removed.status == 303)
            #expect(!(try await scene.page("/account/profile", as: ada.http).text.contains("class=\"portrait\"")))
        }
    }
}
