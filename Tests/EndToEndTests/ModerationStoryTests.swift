// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketWire
import NIOHTTP1
import Postgres
import PostgresCluster
import SheetCore
import TestSupport
import Testing

@Suite("A sheet's way through the moderation queue, over HTTP")
struct ModerationStoryTests {
    private static func sheet(script: Bool, heading: String) -> Data {
        var builder = PDFDocumentBuilder()
        builder.addPage(headings: ["Hero", "Skills", heading])
        if script { builder.catalogEntries = "/OpenAction << /S /JavaScript /JS (app.alert\\(1\\)) >>" }
        return builder.build()
    }

    /// Takes a case and decides it.
    private static func decide(
        _ id: CaseID, _ decision: DecisionKind, _ reasonCode: String, _ message: String, as moderator: TestHTTP
    ) async throws -> TestHTTP.Answer {
        let path = Paths.moderationCase(id.description)
        let claim = try await moderator.send(.POST, "\(path)/claim")
        guard claim.status == 200 else { return claim }
        return try await moderator.send(
            .POST, "\(path)/decision",
            json: DecisionRequest(decision: decision, reasonCode: reasonCode, message: message))
    }

    @Test(
        "A script is refused with advice; mended, sent back, revised, approved; reported, taken down, appealed, restored; all in a log that verifies, and one changed byte is found"
    )
    func story() async throws {
        let folder = try ScratchFolder("story")
        let data = folder.url.appendingPathComponent("data")
        let market = try await RunningMarket(data: data)
        let nadia = try await market.person("nadia")
        let moritz = try await market.person("moritz", role: .moderator)
        let mona = try await market.person("mona", role: .moderator)

        // A file with a script: a clean copy is offered; its author declines, and it is refused with advice.
        let sent = try await nadia.upload(
            metadata: Scene.metadata("Hero Sheet"), file: Self.sheet(script: true, heading: "Combat"))
        let first = try sent.json(SubmissionStatus.self)
        let cleaned = try await nadia.submission(first.id, reaches: [.awaitingReview, .rejected])
        let script = try #require(cleaned.findings.first { $0.code == .javascript })
        #expect(script.removable && !script.message.isEmpty)
        #expect(try await nadia.send(.POST, "\(Paths.submission("\(first.id)"))/decline-cleaning").status == 200)
        #expect(try await nadia.submission(first.id, reaches: [.rejected]).state == .rejected)

        // Mended; changes are asked for; revised and approved.
        let versions = "\(Paths.template(cleaned.templateId.description))/versions"
        let fixed = try await nadia.upload(
            versions, metadata: UploadMetadata(version: "1.0.0", changelog: "No script."),
            file: Self.sheet(script: false, heading: "Combat")
        ).json(SubmissionStatus.self)
        let waiting = try await nadia.submission(fixed.id, reaches: [.awaitingReview])
        let asked = try await Self.decide(
            try #require(waiting.caseId), .requestChanges, "unclear_metadata", "Say what it is for.", as: moritz)
        #expect(asked.status == 200, "\(asked.text)")
        #expect(
            try await nadia.submission(fixed.id, reaches: [.changesRequested]).decision?.message
                == "Say what it is for.")
        let revised = try await nadia.upload(
            versions, metadata: UploadMetadata(summary: "For one hero.", version: "1.0.0", changelog: "Says it."),
            file: Self.sheet(script: false, heading: "Fight")
        ).json(SubmissionStatus.self)
        let ready = try await nadia.submission(revised.id, reaches: [.awaitingReview])
        let approved = try await Self.decide(
            try #require(ready.caseId), .approve, "meets_guidelines", "Thank you.", as: moritz)
        #expect(approved.status == 200, "\(approved.text)")
        let slug = try await nadia.submission(revised.id, reaches: [.published]).templateSlug
        let player = try Player(server: market.base)
        #expect(try await player.sheets("install", slug).status == 0)

        // Three people report it: one case. It is taken down.
        let address = try await market.http.get("\(Paths.download(slug, "1.0.0"))?redirect=false")
            .json(DownloadTicket.self).url
        #expect(try await market.http.get(address).status == 200)
        for handle in ["ann", "bert", "cleo"] {
            let reporter = try await market.person(handle)
            let report = ReportRequest(subject: .init(kind: .template, id: slug), reason: .copyright, text: "Mine.")
            #expect(try await reporter.send(json: report, to: "/reports").status == 201)
        }
        #expect(try await market.http.get(Paths.template(slug)).status == 200)
        let queue = try await moritz.get("\(Paths.base)/moderation/queue?kind=report").json(CaseList.self)
        let gathered = try #require(queue.cases.first)
        #expect(queue.cases.count == 1 && gathered.reportCount == 3)
        let down = try await Self.decide(gathered.id, .takeDown, "copyright", "It is somebody else's.", as: moritz)
        #expect(down.status == 200, "\(down.text)")
        #expect(try await market.http.get(address).status == 410)
        #expect(try await market.http.get(Paths.template(slug)).problemCode == .takenDown)
        let update = try await player.sheets("update", "--check")
        #expect(
            (update.output + update.errors).contains("was taken down by a moderator"),
            "\(update.output)\(update.errors)")
        #expect(try await player.sheets("list").output.contains("taken down"))

        // She appeals; whoever decided cannot decide again; it is restored.
        let lodged = try await nadia.send(
            json: AppealRequest(subject: .template, id: cleaned.templateId.description, text: "I drew it."),
            to: "/appeals")
        #expect(lodged.status == 201, "\(lodged.text)")
        let appeals = try await mona.get("\(Paths.base)/moderation/queue?kind=appeal").json(CaseList.self)
        let appeal = try #require(appeals.cases.first)
        #expect(try await moritz.send(.POST, "\(Paths.moderationCase("\(appeal.id)"))/claim").status == 403)
        let overturned = try await Self.decide(
            appeal.id, .overturn, "decision_wrong", "The drawing is yours.", as: mona)
        #expect(overturned.status == 200, "\(overturned.text)")
        #expect(try await market.http.get(address).status == 200)
        #expect(try await market.http.get(Paths.template(slug)).status == 200)

        try await Self.checkLog(market, data)
        #expect(await market.stop() == 0)
    }

    /// Every step is there, the log verifies, and one byte that a superuser changes is found.
    private static func checkLog(_ market: RunningMarket, _ data: URL) async throws {
        let log = try await market.administrator.get("\(Paths.base)/moderation/audit?limit=100").json(AuditList.self)
        // What came before is the market's first start and the moderators' roles.
        let actions = log.entries.reversed().map(\.action)
        let start = try #require(actions.lastIndex(of: "user.role_changed"))
        #expect(
            Array(actions[(start + 1)...]) == [
                "submission.received", "submission.cleaning_declined", "submission.received", "case.claimed",
                "case.decided", "submission.received", "case.claimed", "case.decided", "report.filed", "report.filed",
                "report.filed", "case.claimed", "case.decided", "case.appealed", "case.claimed", "case.decided",
            ], "\(actions)")
        let decisions = log.entries.reversed().filter { $0.action == "case.decided" }.compactMap { entry in
            (try? JSONDecoder().decode([String: String].self, from: Data(entry.details.utf8)))?["decision"]
        }
        #expect(decisions == ["request_changes", "approve", "take_down", "overturn"], "\(decisions)")
        #expect(log.entries.contains { $0.action == "case.claimed" && $0.actor == "mona" && $0.tokenId != nil })

        let program = BuildProducts.executable("sheetmarket")
        let arguments = ["admin", "audit", "verify", "--data", data.path]
        let whole = try await Command.run(program, arguments)
        #expect(whole.status == 0 && whole.output.hasPrefix("The audit log holds: "), "\(whole.errors)")
        let service = try #require(
            PostgresCluster.connectionStringOfRunningServer(in: data.appendingPathComponent("postgres")))
        let superuser = PostgresClient(
            configuration: .calm(connectionString: service.replacing("user=sheetmarket", with: "user=postgres")),
            logger: TestLog.logger)
        let target = log.entries[log.entries.count / 2].sequence
        try await superuser.withConnection { connection in
            try await connection.execute("ALTER TABLE audit_entries DISABLE TRIGGER ALL")
            try await connection.execute(
                """
                UPDATE audit_entries SET words_salt = set_byte(words_salt, 7, get_byte(words_salt, 7) # 1)
                WHERE sequence = \(target)
                """)
        }
        await superuser.shutdown()
        let broken = try await Command.run(program, arguments)
        #expect(broken.status == 1 && broken.errors.contains("changed at entry \(target)."), "\(broken.errors)")
    }
}
