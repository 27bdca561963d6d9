// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import HummingbirdTesting
import MarketPlatform
import MarketWire
import NIOCore
import Postgres
import SheetCore
import Testing

@testable import MarketCatalog
@testable import MarketPages

@Suite("Zoom regions on pages")
struct RegionPageTests {
    private static func region(_ name: String, _ id: String, x: Double = 0) -> ZoomRegion {
        ZoomRegion(id: id, name: name, rect: .init(x: x, y: 0, width: 0.5, height: 0.5), pageIndex: 0)
    }

    @Test("Regions without a name are numbered by reading order; others keep theirs")
    func numbers() {
        let names = RegionWords.names([
            Self.region("Region", "region"), Self.region("Skills", "skills"), Self.region("Region", "region-2"),
        ])
        #expect(names == ["Region 1", "Skills", "Region 2"])
    }

    @Test("A sheet's page has each region outlined, and a link to it that works without scripts")
    func figure() async throws {
        try await CatalogScene.run { scene in
            _ = try await scene.addTemplate("Sheet")
            let page = String(buffer: try await scene.send(.get, "/sheets/sheet").body)
            #expect(page.contains("<a class=\"chip\" href=\"#page-1-region-1\">Skills</a>"))
            #expect(page.contains("<g id=\"page-1-region-1\" data-place=\"0\">"))
            #expect(
                page.contains("data-x=\"0.0\" data-y=\"0.0\" data-width=\"0.5\" data-height=\"0.5\" data-scale=\"2.0\"")
            )
            #expect(page.contains("<rect class=\"halo\""))
            #expect(page.contains("?width=1200\" data-open>") && page.contains("?width=360\">"))
            #expect(page.contains("<dialog class=\"viewer\" data-viewer"))
        }
    }

    // MARK: Correcting them by the form

    private static let address = "/sheets/sheet/versions/1.0.0/regions"

    /// The fields of a region's row.
    private static func row(
        _ number: Int, id: String = "", name: String = "", kind: String = "", x: String = "", y: String = "",
        width: String = "", height: String = "", scale: String = "", order: String = "", isDeleted: Bool = false
    ) -> [(String, String)] {
        [
            ("row", "\(number)"), ("id-\(number)", id), ("name-\(number)", name), ("kind-\(number)", kind),
            ("x-\(number)", x), ("y-\(number)", y), ("width-\(number)", width), ("height-\(number)", height),
            ("scale-\(number)", scale), ("order-\(number)", order),
        ] + (isDeleted ? [("delete-\(number)", "1")] : [])
    }

    private static func revision(
        _ address: String = address, as caller: UserID, in scene: CatalogScene
    ) async throws -> (String, String) {
        let page = try await ManagePageTests.page(address, as: caller, in: scene)
        #expect(page.status == 200)
        return try ManagePageTests.revision(of: address, in: page.text)
    }

    private static func stored(in scene: CatalogScene) async throws -> [ZoomRegion] {
        let answer = try await scene.get("/templates/sheet/versions/1.0.0/regions")
        let list = try WireJSON.decoder().decode(RegionList.self, from: Data(String(buffer: answer.body).utf8))
        return list.pages[0].regions
    }

    @Test("An author renames, places, adds, orders and deletes regions without scripts, and the first proposal is kept")
    func corrects() async throws {
        try await CatalogScene.run { scene in
            _ = try await scene.addTemplate("Sheet")
            let page = try await ManagePageTests.page(Self.address, as: scene.owner, in: scene)
            #expect(page.text.contains("name=\"x-0\"") && page.text.contains("name=\"x-1\""), "a row, and an empty one")
            let fields =
                [try await Self.revision(as: scene.owner, in: scene)]
                + Self.row(
                    0, id: "skills", name: "Skills & Lore", kind: "skills", x: "0", y: "0", width: "50", height: "50",
                    order: "2")
                + Self.row(1, name: "", x: "60", y: "10,5", width: "30", height: "20", scale: "1.5", order: "1")
                + Self.row(2)
            let saved = try await ManagePageTests.post(Self.address, fields, as: scene.owner, in: scene)
            #expect(saved.status == 303 && saved.location == "\(Self.address)?page=1&done=saved")
            let regions = try await Self.stored(in: scene)
            #expect(regions.map(\.name) == ["Region", "Skills & Lore"] && regions.map(\.id) == ["region", "skills"])
            #expect(regions.map(\.kind) == [nil, "skills"] && regions.map(\.scale) == [1.5, 2])
            let rect = regions[0].rect
            #expect(rect.x == 0.6 && rect.y == 0.105 && abs(rect.width - 0.3) + abs(rect.height - 0.2) < 1e-9)
            #expect(regions.allSatisfy { $0.source == .corrected })

            let shown = try await ManagePageTests.page(Self.address, as: scene.owner, in: scene)
            #expect(shown.text.contains("data-proposed data-name=\"Skills\""))
            let gone =
                [try await Self.revision(as: scene.owner, in: scene)]
                + Self.row(0, id: "region", x: "60", y: "10.5", width: "30", height: "20", order: "1", isDeleted: true)
            _ = try await ManagePageTests.post(Self.address, gone, as: scene.owner, in: scene)
            #expect(try await Self.stored(in: scene).isEmpty)
            // The other page has no regions, before or after.
            let marks: [Bool] = try await scene.features.database.all(
                "SELECT is_corrected FROM submission_pages ORDER BY page_index"
            ) { try $0.get(0) }
            #expect(marks == [true, false])
            let back = [try await Self.revision(as: scene.owner, in: scene), ("act", "proposal")]
            _ = try await ManagePageTests.post(Self.address, back, as: scene.owner, in: scene)
            #expect(try await Self.stored(in: scene).map(\.name) == ["Skills"])
        }
    }

    @Test("An owner alone lets the operator learn from corrections, and takes it back; a new owner is asked anew")
    func trainingConsent() async throws {
        try await CatalogScene.run { scene in
            let made = try await scene.addTemplate("Sheet")
            let action = "\(Self.address)/training"
            let before = try await ManagePageTests.page(Self.address, as: scene.owner, in: scene)
            #expect(before.text.contains("Nothing is used without it.") && before.text.contains("value=\"allow\""))
            let helper = try await ManagePageTests.author("helper", .maintainer, of: made, in: scene)
            let others = try await ManagePageTests.page(Self.address, as: helper, in: scene)
            #expect(others.status == 200 && !others.text.contains("value=\"allow\""))
            let foreign = try await ManagePageTests.post("\(action)?page=1", [("act", "allow")], as: helper, in: scene)
            #expect(foreign.status == 403)

            let allowed = try await ManagePageTests.post(
                "\(action)?page=1", [("act", "allow")], as: scene.owner, in: scene)
            #expect(allowed.status == 303 && allowed.location == "\(Self.address)?page=1#training")
            let after = try await ManagePageTests.page(Self.address, as: scene.owner, in: scene)
            #expect(after.text.contains("value=\"forbid\"") && !after.text.contains("value=\"allow\""))
            _ = try await ManagePageTests.post("\(action)?page=1", [("act", "forbid")], as: scene.owner, in: scene)
            let withdrawn = try await ManagePageTests.page(Self.address, as: scene.owner, in: scene)
            #expect(withdrawn.text.contains("value=\"allow\""))

            _ = try await ManagePageTests.post("\(action)?page=1", [("act", "allow")], as: scene.owner, in: scene)
            try await scene.features.database.withTransaction { connection in
                try await AuthorStore.changeOwner(of: made.id, to: helper, connection)
            }
            let heirs = try await ManagePageTests.page(Self.address, as: helper, in: scene)
            #expect(heirs.text.contains("value=\"allow\""))
        }
    }

    @Test("What is wrong is said at its field with what was typed, and nothing overwrites what somebody else changed")
    func mistakes() async throws {
        try await CatalogScene.run { scene in
            _ = try await scene.addTemplate("Sheet")
            let first = try await Self.revision(as: scene.owner, in: scene)
            let wrong = try await ManagePageTests.post(
                Self.address,
                [first] + Self.row(0, id: "skills", name: "S", x: "70", y: "x", width: "50", height: "20", scale: "9"),
                as: scene.owner, in: scene)
            #expect(wrong.status == 422)
            for mark in ["id=\"y-0-mistake\"", "id=\"scale-0-mistake\"", "value=\"70\"", "<details open>"] {
                #expect(wrong.text.contains(mark), "\(mark)")
            }
            let beyond = try await ManagePageTests.post(
                Self.address, [first] + Self.row(0, name: "S", x: "70", y: "1", width: "50", height: "20"),
                as: scene.owner, in: scene)
            #expect(beyond.text.contains("It must end on the page."))

            let good = Self.row(0, id: "skills", name: "Arts", x: "1", y: "1", width: "50", height: "20")
            #expect(
                try await ManagePageTests.post(Self.address, [first] + good, as: scene.owner, in: scene).status == 303)
            let late = try await ManagePageTests.post(
                Self.address, [first] + Self.row(0, name: "Late", x: "1", y: "1", width: "5", height: "5"),
                as: scene.owner, in: scene)
            #expect(late.status == 412 && late.text.contains("value=\"Late\""))
            #expect(try await Self.stored(in: scene).map(\.name) == ["Arts"])
        }
    }

    @Test("Authors and moderators correct a version's regions, each led there from their own page; nobody else can")
    func rights() async throws {
        try await CatalogScene.run { scene in
            let made = try await scene.addTemplate("Sheet")
            let carl = try await ManagePageTests.author("carl", .contributor, of: made, in: scene)
            let people: [(UserRole, UserID)] = [(.user, .make()), (.moderator, .make())]
            for (role, id) in people { try await scene.addUser(id, "the-\(role.rawValue)", role: role) }
            for (caller, status) in [(scene.owner, 200), (carl, 200), (people[0].1, 403), (people[1].1, 200)] {
                #expect(try await ManagePageTests.page(Self.address, as: caller, in: scene).status == status)
            }
            let manage = try await ManagePageTests.page("/sheets/sheet/manage", as: carl, in: scene)
            #expect(manage.text.contains("href=\"\(Self.address)\""))
            let sheet = try await ManagePageTests.page("/sheets/sheet", as: people[1].1, in: scene)
            #expect(sheet.text.contains("href=\"\(Self.address)\""))
            #expect(try await ManagePageTests.page("\(Self.address)?page=9", as: carl, in: scene).status == 404)
        }
    }

    @Test("An upload's regions are corrected while it waits, by its uploader and by moderators, whose part is recorded")
    func uploads() async throws {
        try await CatalogScene.run { scene in
            let made = try await scene.addTemplate("Sheet")
            let waiting = SubmissionID.make()
            try await scene.addVersion("2.0.0", of: made, submission: waiting)
            func set(_ state: SubmissionState) async throws {
                try await scene.features.database.execute(
                    "UPDATE submissions SET state = \(state) WHERE id = \(waiting)")
            }
            try await set(.awaitingReview)
            let (stranger, moderator) = (UserID.make(), UserID.make())
            try await scene.addUser(stranger, "stranger")
            try await scene.addUser(moderator, "mora", role: .moderator)
            let address = "/submissions/\(waiting)/regions"
            #expect(try await ManagePageTests.page(address, as: stranger, in: scene).status == 404)
            for (caller, name) in [(scene.owner, "Mine"), (moderator, "Theirs")] {
                let fields =
                    [try await Self.revision(address, as: caller, in: scene)]
                    + Self.row(0, id: "skills", name: name, x: "0", y: "0", width: "50", height: "50")
                #expect(try await ManagePageTests.post(address, fields, as: caller, in: scene).status == 303)
                let page = try await ManagePageTests.page(address, as: caller, in: scene)
                #expect(page.text.contains("value=\"\(name)\""))
            }
            let recorded: [UserID?] = try await scene.features.database.all(
                """
                SELECT actor_id FROM audit_entries
                WHERE action = 'regions.replaced' AND subject = \("submission:\(waiting)")
                """
            ) { try $0.get(0) }
            #expect(recorded == [moderator])
            try await set(.rejected)
            #expect(try await ManagePageTests.page(address, as: scene.owner, in: scene).status == 409)
        }
    }
}
