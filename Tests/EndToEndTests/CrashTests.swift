// SPDX-License-Identifier: Apache-2.0
import AsyncHTTPClient
import Foundation
import Glibc
import MarketWire
import NIOCore
import NIOHTTP1
import Postgres
import SheetCore
import TestSupport
import Testing

@testable import MarketPlatform

@Suite("kill -9 loses nothing and leaves nothing half-visible")
struct CrashTests {
    @Test("during the upload: no submission, no template, no stray object; the same upload works afterwards")
    func duringUpload() async throws {
        let folder = try ScratchFolder("crash")
        let data = folder.url.appendingPathComponent("data")
        var market = try await RunningMarket(data: data)
        var author = try await market.person("nadia")
        let token = author.token
        var form = MultipartForm()
        form.add("metadata", contentType: "application/json", try WireJSON.encoder().encode(Scene.metadata("Half")))
        form.add("file", fileName: "half.pdf", contentType: "application/pdf", try Scene.bigSheet())
        let body = form.finished
        let (pieces, sink) = AsyncStream<ByteBuffer>.makeStream()
        sink.yield(body.getSlice(at: 0, length: body.readableBytes / 2) ?? body)
        let uploader = author
        async let attempt = uploader.execute(
            .POST, "\(Paths.base)/templates", headers: [("Content-Type", form.contentType)],
            body: .stream(pieces, length: .known(Int64(body.readableBytes))))
        try await Task.sleep(for: .milliseconds(500))
        await market.kill(database: true)
        sink.finish()
        _ = try? await attempt

        market = try await RunningMarket(data: data)
        author = market.http.signedIn(token)
        let own = try await author.get("\(Paths.base)/submissions").json(SubmissionList.self)
        #expect(own.submissions.isEmpty)
        #expect(try await market.http.get("\(Paths.base)/templates").json(TemplateList.self).templates.isEmpty)
        let again = try await author.upload(metadata: Scene.metadata("Half"), file: try Scene.bigSheet())
        #expect(again.status == 202, "\(again.text)")
        await market.stop()
    }

    @Test("during the inspection: the job is taken up again and the submission reaches review once")
    func duringInspection() async throws {
        let folder = try ScratchFolder("crash")
        let data = folder.url.appendingPathComponent("data")
        var market = try await RunningMarket(data: data, environment: ["SHEETMARKET_JOB_LEASE": "2"])
        var author = try await market.person("nadia")
        let token = author.token
        try await Self.holdInspections(in: market)
        let answer = try await author.upload(metadata: Scene.metadata("Long"), file: try Scene.bigSheet())
        let id = try answer.json(SubmissionStatus.self).id
        _ = try await author.submission(id, reaches: [.inspecting])
        await market.kill(database: true)

        market = try await RunningMarket(data: data, environment: ["SHEETMARKET_JOB_LEASE": "2"])
        author = market.http.signedIn(token)
        let read = try await author.submission(id, reaches: [.awaitingReview, .rejected])
        #expect(read.state == .awaitingReview, "\(read.findings)")
        #expect(read.pageCount == Scene.bigSheetPages)
        let queue = try await market.administrator.get("\(Paths.base)/moderation/queue").json(CaseList.self)
        #expect(queue.cases.map(\.submissionId) == [id])
        await market.stop()
    }

    /// No inspection comes to its end while this PostgreSQL lives, so that the crash does not come too late.
    private static func holdInspections(in market: RunningMarket) async throws {
        try await market.withDatabase { client in
            try await client.execute("CREATE TABLE first_start AS SELECT pg_postmaster_start_time() AS began")
            try await client.execute(
                """
                CREATE FUNCTION wait_for_the_end() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN
                    IF pg_postmaster_start_time() = (SELECT began FROM first_start) THEN PERFORM pg_sleep(600); END IF;
                    RETURN NEW;
                END $$
                """)
            try await client.execute(
                """
                CREATE TRIGGER wait_for_the_end BEFORE INSERT ON submission_pages
                FOR EACH ROW EXECUTE FUNCTION wait_for_the_end()
                """)
        }
    }

    @Test("between the job and the publication, and right after the decision: the decision stands, whole")
    func aroundPublication() async throws {
        let folder = try ScratchFolder("crash")
        let data = folder.url.appendingPathComponent("data")
        var market = try await RunningMarket(data: data)
        let author = try await market.person("nadia")
        let answer = try await author.upload(
            metadata: Scene.metadata("Safe"), file: try Data(contentsOf: try Scene.anySheet()))
        let id = try answer.json(SubmissionStatus.self).id
        _ = try await author.submission(id, reaches: [.awaitingReview])
        await market.kill(database: true)

        market = try await RunningMarket(data: data)
        let waiting = try await market.administrator.submission(id, reaches: [.awaitingReview])
        #expect(try await market.http.get("\(Paths.base)/templates").json(TemplateList.self).templates.isEmpty)
        let decision = try await market.administrator.decide(waiting)
        #expect(decision.status == 200, "\(decision.text)")
        await market.kill(database: true)

        market = try await RunningMarket(data: data)
        let detail = try await market.http.get(Paths.template(waiting.templateSlug))
        #expect(detail.status == 200)
        let player = try Player(server: market.base)
        #expect(try await player.sheets("install", waiting.templateSlug).status == 0)
        let audit = try await Command.run(
            BuildProducts.executable("sheetmarket"), ["admin", "audit", "verify", "--data", data.path])
        #expect(audit.status == 0, "\(audit.output)\(audit.errors)")
        await market.stop()
    }

    @Test("during an install: nothing is installed by half, and the next install completes")
    func duringInstall() async throws {
        let folder = try ScratchFolder("crash")
        let market = try await RunningMarket(data: folder.url.appendingPathComponent("data"))
        let author = try await market.person("nadia")
        let file = try Scene.bigSheet()
        let published = try await Scene.publish("Heavy", file: file, as: author, approvedBy: market.administrator)
        let player = try Player(server: market.base)
        for delay in [5, 15, 25, 40, 60, 90] {
            let install = try ChildProgram(
                BuildProducts.executable("sheets"), ["install", published.templateSlug],
                environment: player.environment)
            try await Task.sleep(for: .milliseconds(delay))
            install.signal(SIGKILL)
            await install.waitForExit()
            let verify = try await player.sheets("verify", "--json")
            #expect(verify.status == 0, "after \(delay) ms: \(verify.output)\(verify.errors)")
        }
        #expect(try await player.sheets("install", published.templateSlug).status == 0)
        let opened = try await player.sheets("open", published.templateSlug, "--path")
        let path = opened.output.trimmingCharacters(in: .whitespacesAndNewlines)
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == file)
        await market.stop()
    }

    @Test("of PostgreSQL itself: the server says 503, and goes on when the database is back")
    func databaseKilled() async throws {
        let folder = try ScratchFolder("crash")
        let market = try await RunningMarket(data: folder.url.appendingPathComponent("data"))
        let author = try await market.person("nadia")
        let published = try await Scene.publish(
            "Steady", file: try Data(contentsOf: try Scene.anySheet()), as: author, approvedBy: market.administrator)
        let postmaster = try #require(market.postmasterID)
        _ = Glibc.kill(postmaster, SIGKILL)
        var statuses: Set<Int> = []
        let isBack = try await eventually {
            let status = try await market.http.get(Paths.template(published.templateSlug)).status
            statuses.insert(status)
            let ready = try await market.http.get("/readyz").status
            return status == 200 && ready == 200 && market.postmasterID != postmaster
        }
        #expect(isBack)
        #expect(statuses.isSubset(of: [200, 503]), "\(statuses)")
        let next = try await Scene.publish(
            "Steadier", file: try Scene.bigSheet(), as: author, approvedBy: market.administrator)
        #expect(next.state == .published)
        await market.stop()
    }

    @Test("of nothing, while PostgreSQL stands still: readiness says so within seconds, and goes back when it is over")
    func databaseStopped() async throws {
        let folder = try ScratchFolder("stopped")
        let market = try await RunningMarket(data: folder.url.appendingPathComponent("data"))
        let postmaster = try #require(market.postmasterID)
        let sessions = try String(contentsOfFile: "/proc/\(postmaster)/task/\(postmaster)/children", encoding: .utf8)
            .split(separator: " ").compactMap { Int32($0) }
        for process in [postmaster] + sessions { _ = Glibc.kill(process, SIGSTOP) }
        let began = ContinuousClock.now
        let ready = try await market.http.get("/readyz")
        // Statements wait for half a minute.
        #expect(ContinuousClock.now - began < .seconds(20))
        #expect(ready.status == 503)
        for process in [postmaster] + sessions { _ = Glibc.kill(process, SIGCONT) }
        #expect(try await eventually { try await market.http.get("/readyz").status == 200 })
        await market.stop()
    }

    @Test("of a disk: a file that cannot be read is refused before anything is sent")
    func unreadableFile() async throws {
        let folder = try ScratchFolder("unreadable")
        let data = folder.url.appendingPathComponent("data")
        let market = try await RunningMarket(data: data)
        let author = try await market.person("nadia")
        let published = try await Scene.publish(
            "Worn", file: try Scene.sheet("oathbound-journal"), as: author, approvedBy: market.administrator)
        let ticket: DownloadTicket = try await market.http.get(
            "\(Paths.template(published.templateSlug))/versions/latest/download?redirect=false"
        ).json()
        let file = data.appendingPathComponent("storage/objects/\(DiskLayout.place(of: ticket.sha256))")
        let kept = folder.url.appendingPathComponent("kept")
        try FileManager.default.moveItem(at: file, to: kept)
        // What opens, has a size, and cannot be read: a folder.
        try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
        let refused = try await market.http.get(ticket.url)
        #expect(refused.status == 503, "\(refused.status)")
        #expect(refused.headers.first(name: "Retry-After") != nil)
        try FileManager.default.removeItem(at: file)
        try FileManager.default.moveItem(at: kept, to: file)
        #expect(try await market.http.get(ticket.url).status == 200)
        await market.stop()
    }
}
