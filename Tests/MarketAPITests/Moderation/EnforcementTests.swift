// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketPlatform
import MarketWire
import Moderation
import NIOHTTP1
import Postgres
import SheetCore
import TestSupport
import Testing

@testable import MarketAccounts
@testable import MarketCatalog
@testable import MarketHTTP
@testable import ModerationService

@Suite("Taking down and putting back")
struct EnforcementTests {
    @Test("A template that is taken down is gone everywhere at once, on every node, and comes back as it was")
    func everywhere() async throws {
        try await EnforcementScene.run(nodes: 2) { scene in
            let ada = try await scene.person("ada")
            let alpha = try await scene.template("Alpha Sheet", by: ada.id)
            let beta = try await scene.template("Beta Sheet", by: ada.id)
            try await scene.publish("1.1.0", of: alpha)
            try await scene.features.database.execute(
                """
                UPDATE versions SET state = 'yanked', state_reason = 'Typos.', withdrawn_by = 'author'
                WHERE template_id = \(alpha.id) AND number = '1.0.0'
                """)
            try await scene.features.database.withTransaction { connection in
                try await connection.execute("INSERT INTO collections (slug, title) VALUES ('night', 'First night')")
                try await connection.execute(
                    """
                    INSERT INTO collection_items (collection, template_id, position)
                    VALUES ('night', \(alpha.id), 0), ('night', \(beta.id), 1)
                    """)
            }
            let before = try await Self.shown(scene)
            #expect(
                before["list"]?.contains("alpha-sheet") == true && before["search"]?.contains("alpha-sheet") == true)
            var addresses: [[String]] = []
            for node in scene.nodes {
                addresses.append([
                    try await scene.address(alpha, "1.0.0", on: node), try await scene.address(alpha, on: node),
                ])
                for address in addresses.joined() { #expect(try await node.http.get(address).status == 200) }
            }
            let hash = try await scene.features.database.scalar(
                "SELECT artifact_sha256 FROM versions WHERE template_id = \(alpha.id) AND number = '1.1.0'",
                as: ContentHash.self)

            try await scene.takeDown(.template(alpha.id))
            #expect(
                try await scene.states(alpha) == ["1.0.0 taken_down It was stolen.", "1.1.0 taken_down It was stolen."])
            // The node that did it shows it with the next answer; the other hears of it.
            for address in addresses.joined() {
                let answer = try await scene.http.get(address)
                #expect(answer.status == 410 && answer.problemCode == .takenDown)
            }
            let hidden = try await Self.shown(scene)
            for (place, text) in hidden {
                #expect(!text.contains("alpha-sheet") && !text.contains("Alpha"), "\(place): \(text)")
            }
            let other = scene.nodes[1].http
            let isGone = try await eventually {
                for address in addresses.joined() {
                    let status = try await other.get(address).status
                    if status != 410 { return false }
                }
                return try await !other.get("\(Paths.base)/templates").text.contains("alpha-sheet")
            }
            #expect(isGone)
            try await Self.checkAbsence(alpha, hash, scene)
            let review = scene.features.signer.sign(
                hash: hash, fileName: "sheet.pdf", expires: scene.clock.now.addingTimeInterval(60), isForReview: true)
            #expect(try await scene.http.get(review).status == 200, "moderators can still look at it")

            try await scene.restore(.template(alpha.id))
            #expect(try await scene.states(alpha) == ["1.0.0 yanked Typos.", "1.1.0 published"])
            for (place, text) in try await Self.shown(scene) { #expect(text == before[place], "\(place)") }
            for address in addresses.joined() { #expect(try await scene.http.get(address).status == 200) }
            let isBack = try await eventually { try await other.get(addresses[1][1]).status == 200 }
            #expect(isBack)
        }
    }

    /// What lists and suggestions say.
    private static func shown(_ scene: EnforcementScene) async throws -> [String: String] {
        var found: [String: String] = [:]
        for (name, path) in [
            "list": "/templates", "search": "/templates?q=alpha", "suggest": "/suggest?q=alph",
            "similar": "/templates/beta-sheet/similar", "collection": "/collections/night",
            "collections": "/collections", "systems": "/game-systems",
        ] {
            let answer = try await scene.http.get(Paths.base + path)
            #expect(answer.status == 200, "\(name): \(answer.text)")
            // What was fetched in between is counted when the counter's time comes.
            found[name] = answer.text.replacing(/"downloads":\d+/, with: "")
        }
        return found
    }

    private static func checkAbsence(
        _ template: EnforcementScene.Made, _ hash: ContentHash, _ scene: EnforcementScene
    ) async throws {
        for path in ["", "/versions", "/versions/latest", "/versions/1.1.0", "/versions/1.1.0/download", "/reviews"] {
            let answer = try await scene.http.get(Paths.template(template.slug) + path)
            #expect(answer.status == 410 && answer.problemCode == .takenDown, "\(path): \(answer.text)")
            #expect(answer.text.contains("It was stolen."), "\(path)")
            #expect(try answer.json(ProblemDocument.self).reasonCode == "copyright", "\(path)")
        }
        let query = UpdateQuery(installed: [
            .init(templateId: template.id, version: SemanticVersion(1, 1, 0), sha256: hash)
        ])
        let entry = try await scene.http.send(.POST, "\(Paths.base)/updates", json: query).json(UpdateReport.self)
            .updates[0]
        #expect(entry.state == .takenDown && entry.reason == "It was stolen." && entry.reasonCode == "copyright")
        let page = try await scene.http.get("/sheets/\(template.slug)", headers: [("Accept", "text/html")])
        #expect(page.status == 410 && page.text.contains("This was taken down") && page.text.contains("It was stolen."))
    }

    @Test("What two take-downs hold comes back with the second; versions under one cannot get around it")
    func overlapping() async throws {
        try await EnforcementScene.run { scene in
            let ada = try await scene.person("ada")
            let sheet = try await scene.template("Sheet", by: ada.id)
            try await scene.publish("2.0.0", of: sheet)
            let second = CaseSubject.version(sheet.id, SemanticVersion(2, 0, 0))
            try await scene.takeDown(second, reasonCode: "malicious", message: "It phones home.")
            let offered = try await scene.http.get(Paths.template("sheet")).json(TemplateDetail.self)
            #expect(offered.latest.version == SemanticVersion(1, 0, 0))
            await #expect(throws: EnforcementError.isTakenDown) { try await scene.takeDown(second) }

            try await scene.takeDown(.template(sheet.id))
            let both = try await scene.states(sheet)
            #expect(both == ["1.0.0 taken_down It was stolen.", "2.0.0 taken_down It phones home."])
            for statement: PostgresQuery in [
                "UPDATE versions SET state = 'published' WHERE template_id = \(sheet.id)",
                "UPDATE versions SET state = 'yanked' WHERE template_id = \(sheet.id)",
            ] {
                await #expect(throws: PostgresError.self) { try await scene.features.database.execute(statement) }
            }
            await #expect(throws: PostgresError.self) { try await scene.publish("3.0.0", of: sheet) }
            let upload = try await ada.http.upload(
                "\(Paths.template("sheet"))/versions", metadata: UploadMetadata(version: "3.0.0", changelog: "More."),
                file: Data("%PDF-1.7 three".utf8))
            #expect(upload.status == 410 && upload.problemCode == .takenDown)

            try await scene.restore(.template(sheet.id))
            #expect(try await scene.states(sheet) == ["1.0.0 published", "2.0.0 taken_down It phones home."])
            await #expect(throws: EnforcementError.isNotDown) { try await scene.restore(.template(sheet.id)) }
            try await scene.restore(second)
            #expect(try await scene.states(sheet) == ["1.0.0 published", "2.0.0 published"])
            let latest = try await scene.http.get(Paths.template("sheet")).json(TemplateDetail.self)
            #expect(latest.latest.version == SemanticVersion(2, 0, 0))
            await #expect(throws: EnforcementError.noSuchSubject) { try await scene.takeDown(.template(.make())) }
        }
    }

    @Test("What the desk took down another moderator puts back there: a template and a review, each once")
    func restoredAtDesk() async throws {
        try await EnforcementScene.run { scene in
            let ada = try await scene.person("ada")
            let bob = try await scene.person("bob")
            let mod = try await scene.person("mod", role: .moderator).http
            let bea = try await scene.person("bea", role: .moderator).http
            let sheet = try await scene.template("Sheet", by: ada.id)
            let review = try await scene.review(sheet, by: bob.id)
            let words = ReportSubject(kind: .review, id: review.description)
            #expect(try await Self.atDesk(scene, words, .restore, as: mod) == 409, "it is not taken down")
            #expect(try await Self.atDesk(scene, words, .takeDown, as: mod) == 200)
            #expect(try await Self.reviewCount(scene, sheet.slug) == 0)
            let complaint = ReportRequest(subject: words, reason: .other, text: "Still there?")
            let report = try await ada.http.send(.POST, "\(Paths.base)/reports", json: complaint)
            #expect(report.status == 422, "for everybody else it is gone")
            #expect(try await Self.atDesk(scene, words, .takeDown, as: bea) == 409, "it is taken down already")
            #expect(try await Self.atDesk(scene, words, .restore, as: bea) == 200)
            #expect(try await Self.reviewCount(scene, sheet.slug) == 1)

            let whole = ReportSubject(kind: .template, id: sheet.slug)
            #expect(try await Self.atDesk(scene, whole, .takeDown, as: mod) == 200)
            #expect(try await scene.http.get(Paths.template(sheet.slug)).status == 410)
            #expect(try await Self.atDesk(scene, whole, .restore, as: bea) == 200)
            #expect(try await scene.http.get(Paths.template(sheet.slug)).status == 200)
            #expect(try await scene.states(sheet) == ["1.0.0 published"])
            #expect(try await Self.atDesk(scene, whole, .restore, as: mod) == 409, "once is enough")
            let lodged = try await ada.http.send(
                .POST, "\(Paths.base)/appeals",
                json: AppealRequest(subject: .template, id: sheet.id.description, text: "Say sorry, too."))
            #expect(lodged.status == 409, "nobody is wronged by that: \(lodged.text)")
            let decided = try await AuditLog.entries(before: nil, limit: 100, in: scene.features.database)
                .filter { $0.action == "case.decided" && $0.details?.contains(#""decision":"restore""#) == true }
            #expect(decided.map(\.actor) == ["bea", "bea"])
            #expect(decided.map(\.subject) == ["template:\(sheet.id)", "review:\(review)"])
        }
    }

    private static func reviewCount(_ scene: EnforcementScene, _ slug: String) async throws -> Int {
        let answer = try await scene.http.get("\(Paths.template(slug))/reviews")
        let list = try answer.json(ReviewList.self)
        return list.reviews.count
    }

    /// Opens a case on something and decides it; the case is given back when that is refused. The answer's status.
    private static func atDesk(
        _ scene: EnforcementScene, _ subject: ReportSubject, _ decision: DecisionKind, as moderator: TestHTTP
    ) async throws -> Int {
        scene.clock.advance(by: 1)
        let opened = try await moderator.send(
            .POST, "\(Paths.base)/moderation/cases", json: NewCaseRequest(subject: subject, note: "Look at it."))
        try #require(opened.status == 201, "\(opened.text)")
        let path = Paths.moderationCase("\(try opened.json(CaseSummary.self).id)")
        let claim = try await moderator.send(.POST, "\(path)/claim")
        try #require(claim.status == 200, "\(claim.text)")
        let answer = try await moderator.send(
            .POST, "\(path)/decision",
            json: DecisionRequest(decision: decision, reasonCode: "other", message: "By the desk."))
        if answer.status != 200 { _ = try await moderator.send(.POST, "\(path)/release") }
        return answer.status
    }

    @Test("Taking down all of a person's takes their templates and reviews, and nobody else's")
    func person() async throws {
        try await EnforcementScene.run { scene in
            let ada = try await scene.person("ada")
            let bob = try await scene.person("bob")
            let hers = try await scene.template("Hers", by: ada.id)
            let his = try await scene.template("His", by: bob.id)
            let other = try await scene.template("Other", by: bob.id)
            let reviews = [
                try await scene.review(his, by: ada.id), try await scene.review(other, by: ada.id, stars: 5),
                try await scene.review(hers, by: bob.id),
            ]
            func counts() async throws -> [Int] {
                try await scene.features.database.all("SELECT rating_count FROM templates ORDER BY name") {
                    try $0.get(0)
                }
            }
            #expect(try await counts() == [1, 1, 1])
            try await scene.takeDown(.review(reviews[0]), reasonCode: "offensive", message: "Insults.")
            #expect(try await counts() == [1, 0, 1])
            try await scene.takeDown(.user(ada.id), reasonCode: "spam", message: "Spam.")
            #expect(try await scene.states(hers) == ["1.0.0 taken_down Spam."])
            #expect(try await scene.states(his) == ["1.0.0 published"])
            #expect(try await counts() == [1, 0, 0])
            #expect(
                try await scene.http.get("\(Paths.template("other"))/reviews").json(ReviewList.self).reviews.isEmpty)
            try await scene.restore(.user(ada.id))
            #expect(try await scene.states(hers) == ["1.0.0 published"])
            #expect(try await counts() == [1, 0, 1], "the review that went down alone stays down")
            try await scene.restore(.review(reviews[0]))
            #expect(try await counts() == [1, 1, 1])
        }
    }

    @Test("Bytes that another version still offers stay available; re-published bytes are free again")
    func sharedBytes() async throws {
        try await EnforcementScene.run { scene in
            let ada = try await scene.person("ada")
            let one = try await scene.template("One", by: ada.id)
            let two = try await scene.template("Two", by: ada.id)
            let bytes = Array("%PDF-1.7 the same".utf8)
            try await scene.publish("1.1.0", of: one, bytes: bytes)
            try await scene.publish("1.1.0", of: two, bytes: bytes)
            let address = try await scene.address(one)
            try await scene.takeDown(.template(one.id))
            #expect(try await scene.http.get(address).status == 200)
            try await scene.takeDown(.template(two.id))
            #expect(try await scene.http.get(address).status == 410)
            let three = try await scene.template("Three", by: ada.id)
            try await scene.publish("1.1.0", of: three, bytes: bytes)
            let isFree = try await eventually { try await scene.http.get(address).status == 200 }
            #expect(isFree)
        }
    }

    @Test("Without the database the list of blocked files counts for its grace, then files are refused")
    func closedWhenCutOff() async throws {
        try await EnforcementScene.run { scene in
            let ada = try await scene.person("ada")
            let sheet = try await scene.template("Sheet", by: ada.id)
            let hash = try await scene.features.database.scalar(
                "SELECT artifact_sha256 FROM versions", as: ContentHash.self)
            let database = PostgresClient(
                configuration: .calm(connectionString: try await TestCluster.shared.makeDatabase()),
                logger: TestLog.logger)
            let lasting = BlockedArtifacts(database: database, freshness: .zero, grace: .seconds(600))
            let brief = BlockedArtifacts(database: database, freshness: .zero, grace: .milliseconds(1))
            let never = BlockedArtifacts(database: database)
            try await lasting.check(hash.hex)
            await database.shutdown()
            try await lasting.check(hash.hex)
            for list in [brief, never] {
                let error = await #expect(throws: CatalogError.self) { try await list.check(hash.hex) }
                #expect(error?.apiError.code == .unavailable)
            }
            _ = sheet
        }
    }
}
