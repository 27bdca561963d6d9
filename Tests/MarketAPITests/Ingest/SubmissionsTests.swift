// SPDX-License-Identifier: Apache-2.0
import AsyncHTTPClient
import Foundation
import HTTPTypes
import MarketIngest
import MarketPages
import MarketWire
import Moderation
import NIOCore
import NIOFoundationCompat
import NIOHTTP1
import Postgres
import SheetCore
import Synchronization
import TestSupport
import Testing

@testable import MarketAPI
@testable import MarketAccounts
@testable import MarketPlatform

/// One server-sent event, or a comment.
private struct ServerEvent: Equatable, Sendable {
    var name: String?
    var id: String?
    var data: String?
    var comment: String?

    init(_ block: Substring) {
        for line in block.split(separator: "\n") {
            if line.hasPrefix("event: ") { name = String(line.dropFirst(7)) }
            if line.hasPrefix("id: ") { id = String(line.dropFirst(4)) }
            if line.hasPrefix("data: ") { data = String(line.dropFirst(6)) }
            if line.hasPrefix(":") { comment = String(line.dropFirst()) }
        }
    }

    var status: SubmissionStatus {
        get throws { try WireJSON.decoder().decode(SubmissionStatus.self, from: Data((data ?? "").utf8)) }
    }
}

extension TestHTTP {
    /// Follows an event stream to its end, calling `each` with every event.
    fileprivate func follow(_ path: String, each: (ServerEvent) async throws -> Void) async throws {
        let response = try await execute(.GET, path)
        guard response.status == .ok else { throw HTTPStatusError(status: Int(response.status.code)) }
        #expect(response.headers.first(name: "Content-Type") == "text/event-stream; charset=utf-8")
        var text = ""
        for try await piece in response.body {
            text += String(buffer: piece)
            while let end = text.firstRange(of: "\n\n") {
                let event = ServerEvent(text[..<end.lowerBound])
                text = String(text[end.upperBound...])
                try await each(event)
            }
        }
    }

    private struct HTTPStatusError: Error { var status: Int }
}

@Suite("Submissions")
struct SubmissionsTests {
    private static func path(_ status: SubmissionStatus) -> String { Paths.submission(status.id.description) }

    @Test("uploader and moderators see a submission; for everybody else there is none")
    func visibility() async throws {
        try await UploadsScene.run { scene in
            let (ada, http) = try await scene.person("ada")
            let (_, eve) = try await scene.person("eve")
            let (_, moderator) = try await scene.person("mo", role: .moderator)
            let (_, narrow) = try await scene.person("nia", role: .moderator, scopes: [.read, .templatesWrite])
            let path = Self.path(try await scene.submit(by: ada))
            #expect(try await http.get(path).status == 200)
            #expect(try await moderator.get(path).status == 200)
            #expect(try await eve.get(path).status == 404)
            #expect(try await narrow.get(path).status == 404)
            #expect(try await scene.http.get(path).status == 401)
            #expect(try await eve.get(path + "/events").status == 404)
            #expect(try await http.get(Paths.submission("nonsense")).status == 404)
            let answer = try await http.get(path)
            let tag = try #require(answer.headers.first(name: "ETag"))
            #expect(try await http.get(path, headers: [("If-None-Match", tag)]).status == 304)
        }
    }

    @Test("a person's own submissions are listed newest first, page by page")
    func list() async throws {
        try await UploadsScene.run { scene in
            let (ada, http) = try await scene.person("ada")
            let (eve, _) = try await scene.person("eve")
            var ids: [SubmissionID] = []
            for seed in 0..<5 {
                ids.append(try await scene.submit("Sheet \(seed)", file: UploadsScene.file(seed), by: ada).id)
                try await Task.sleep(for: .milliseconds(2))
            }
            _ = try await scene.submit("Another's", file: UploadsScene.file(9), by: eve)
            var seen: [SubmissionID] = []
            var cursor = ""
            repeat {
                let answer = try await http.get("/api/v1/submissions?limit=2\(cursor)")
                let page = try answer.json(SubmissionList.self)
                seen += page.submissions.map(\.id)
                cursor = page.nextCursor.map { "&cursor=\($0)" } ?? ""
                #expect((answer.headers.first(name: "Link") != nil) == (page.nextCursor != nil))
            } while !cursor.isEmpty
            #expect(seen == ids.reversed())
            #expect(try await http.get("/api/v1/submissions?cursor=nonsense").problemCode == .badCursor)
        }
    }

    @Test("events tell the present state at once, then each change, and end with the last")
    func events() async throws {
        try await UploadsScene.run { scene in
            let (ada, http) = try await scene.person("ada")
            let status = try await scene.submit(by: ada)
            let gate = AsyncStream<Void>.makeStream()
            let worker = scene.ingestWorker(
                .twoPages(
                    findings: [Finding(.javascript, .blocker, message: "Scripts.")],
                    pause: { for await _ in gate.stream {} }))
            try await scene.working([worker]) {
                let states = Mutex<[SubmissionStatus]>([])
                try await http.follow(Self.path(status) + "/events") { event in
                    guard event.comment == nil else { return }
                    #expect(event.name == "submission")
                    #expect(event.id?.isEmpty == false)
                    let next = try event.status
                    states.withLock { $0.append(next) }
                    if next.state == .inspecting { gate.continuation.finish() }
                }
                let all = states.withLock { $0 }
                #expect(all.first?.state == .received || all.first?.state == .inspecting)
                #expect(all.contains { $0.state == .inspecting && $0.progress.fraction < 1 })
                #expect(all.last?.state == .rejected)
                #expect(all.last?.progress.fraction == 1)
                #expect(all.last?.findings.map(\.code) == [.javascript])
                #expect(all == all.sorted { $0.updatedAt < $1.updatedAt })
            }
            try await scene.expectEventually({ scene.feed.subscriberCount == 0 })
        }
    }

    @Test("with until=review the events end when it is a moderator's turn; without, they go on")
    func untilReview() async throws {
        try await UploadsScene.run { scene in
            let (ada, http) = try await scene.person("ada")
            let status = try await scene.submit(by: ada)
            try await scene.working([scene.ingestWorker(.twoPages())]) {
                let last = Mutex<SubmissionStatus?>(nil)
                try await http.follow(Self.path(status) + "/events?until=review") { event in
                    if event.data != nil {
                        let next = try event.status
                        last.withLock { $0 = next }
                    }
                }
                #expect(last.withLock { $0?.state } == .awaitingReview)
                #expect(last.withLock { $0?.caseId } != nil)
            }
            try await http.follow(Self.path(status) + "/events") { event in
                if event.data != nil, try event.status.state == .awaitingReview {
                    let answer = try await http.send(.POST, Self.path(status) + "/withdraw")
                    #expect(answer.status == 200)
                }
            }
            #expect(try await http.get(Self.path(status) + "/events?until=doomsday").status == 422)
        }
    }

    @Test("whoever stops listening is forgotten")
    func unsubscribe() async throws {
        try await UploadsScene.run { scene in
            let (ada, http) = try await scene.person("ada")
            let status = try await scene.submit(by: ada)
            let listener = Task {
                try await http.follow(Self.path(status) + "/events") { _ in }
            }
            try await scene.expectEventually({ scene.feed.subscriberCount == 1 })
            listener.cancel()
            try await scene.expectEventually({ scene.feed.subscriberCount == 0 })
        }
    }

    @Test("events survive the loss of the LISTEN connection")
    func reconnect() async throws {
        try await UploadsScene.run { scene in
            let (ada, http) = try await scene.person("ada")
            let status = try await scene.submit(by: ada)
            let states = Mutex<[SubmissionState]>([])
            try await http.follow(Self.path(status) + "/events") { event in
                guard event.data != nil else { return }
                let state = try event.status.state
                let isFirst = states.withLock { states in
                    states.append(state)
                    return states.count == 1
                }
                if isFirst {
                    try await scene.features.database.execute(
                        """
                        SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                        WHERE datname = current_database() AND query ILIKE 'LISTEN%' AND pid <> pg_backend_pid()
                        """)
                    try await scene.features.database.execute(
                        "UPDATE submissions SET state = 'rejected', updated_at = now() WHERE id = \(status.id)")
                }
            }
            #expect(states.withLock { $0 } == [.received, .rejected])
        }
    }

    @Test("a server that shuts down lets its listeners go")
    func shutdown() async throws {
        let (ends, ended) = AsyncStream<Void>.makeStream()
        try await UploadsScene.run { scene in
            let (ada, http) = try await scene.person("ada")
            let status = try await scene.submit(by: ada)
            Task {
                try? await http.follow(Self.path(status) + "/events") { _ in }
                ended.finish()
            }
            try await scene.expectEventually({ scene.feed.subscriberCount == 1 })
        }
        for await _ in ends {}
    }

    @Test("a withdrawn submission takes its job and its case with it, once")
    func withdraw() async throws {
        try await UploadsScene.run { scene in
            let (ada, http) = try await scene.person("ada")
            let (_, moderator) = try await scene.person("mo", role: .moderator)
            let queued = try await scene.submit("Queued", file: UploadsScene.file(1), by: ada)
            let foreign = try await moderator.send(.POST, Self.path(queued) + "/withdraw")
            #expect(foreign.status == 403)
            let answer = try await http.send(.POST, Self.path(queued) + "/withdraw")
            #expect(answer.status == 200)
            #expect(try answer.json(SubmissionStatus.self).state == .withdrawn)
            #expect(try await JobQueue(platform: scene.features.platform).statistics().ready == 0)
            let again = try await http.send(.POST, Self.path(queued) + "/withdraw")
            #expect(again.status == 409)
            let log = try await AuditLog.entries(before: nil, limit: 9, in: scene.features.database)
            #expect(log.map(\.action) == ["submission.withdrawn", "submission.received"])
            #expect(again.problemCode == .conflict)

            let inspected = try await scene.submit("Inspected", file: UploadsScene.file(2), by: ada)
            try await scene.working([scene.ingestWorker(.twoPages())]) {
                _ = try await http.submission(inspected.id, reaches: [.awaitingReview])
            }
            #expect(try await http.send(.POST, Self.path(inspected) + "/withdraw").status == 200)
            let open = try await scene.features.database.scalar(
                "SELECT count(*) FROM cases WHERE state <> 'closed'", as: Int.self)
            #expect(open == 0)
            // The number is free again.
            _ = try await scene.submit(
                "Inspected", target: .newVersion("inspected"), file: UploadsScene.file(3), by: ada)
        }
    }

    @Test("a submission withdrawn while it is inspected stays withdrawn")
    func withdrawDuringInspection() async throws {
        var limits = MarketLimits()
        limits.leaseSeconds = 3
        try await UploadsScene.run(limits: limits) { scene in
            let (ada, http) = try await scene.person("ada")
            let status = try await scene.submit(by: ada)
            let cancelled = Mutex(false)
            let worker = scene.ingestWorker(
                .twoPages(pause: {
                    do {
                        try await Task.sleep(for: .seconds(3600))
                    } catch {
                        cancelled.withLock { $0 = true }
                        throw error
                    }
                }))
            try await scene.working([worker]) {
                _ = try await http.submission(status.id, reaches: [.inspecting])
                #expect(try await http.send(.POST, Self.path(status) + "/withdraw").status == 200)
                try await scene.expectEventually({ cancelled.withLock { $0 } })
            }
            let after = try await http.get(Self.path(status)).json(SubmissionStatus.self)
            #expect(after.state == .withdrawn)
            #expect(try await scene.count("submission_pages") == 0)
            #expect(try await scene.count("cases") == 0)
        }
    }
}
