// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Hummingbird
import MarketClient
import MarketWire
import NIOCore
import SheetCore
import Synchronization
import Testing

@Suite("Channels, deprecation, new names and old programs, as clients see them")
struct ChannelTests {
    private let sheet = SampleSheet()
    private let first = SemanticVersion(1, 0, 0)
    private let second = SemanticVersion(1, 1, 0)

    /// A market whose stable version is 1.0.0 and whose beta is 1.1.0.
    private func market(
        _ change: @escaping @Sendable (inout TemplateDetail) -> Void = { _ in },
        entry: @escaping @Sendable (UpdateQuery) -> UpdateReport.Entry? = { _ in nil }
    ) -> StubServer.Handler {
        let (sheet, first, second) = (sheet, first, second)
        let plain = sheet.market()
        return { request, server in
            let path = request.uri.path
            if path == "\(Paths.base)/updates" {
                let body = try await request.body.collect(upTo: 1 << 20)
                let query = try WireJSON.decoder().decode(UpdateQuery.self, from: Data(body.readableBytesView))
                return try .json(UpdateReport(updates: [entry(query)].compactMap { $0 }))
            }
            let isTemplate = [sheet.slug, sheet.id.description, "renamed"].contains { path == Paths.template($0) }
            guard isTemplate else { return try await plain(request, server) }
            let isBeta = request.uri.query?.contains("channel=beta") ?? false
            let offered = isBeta ? second : first
            var detail = TemplateDetail(
                summary: sheet.summary(offered), description: "Long.", createdAt: SampleSheet.time,
                latest: sheet.detail(offered))
            change(&detail)
            return try .json(detail)
        }
    }

    @Test("the channel that was asked for is remembered and asked for again")
    func remembered() async throws {
        let scratch = try Scratch()
        let asked = Mutex<[ReleaseChannel?]>([])
        let id = sheet.id
        let handler = market(entry: { query in
            asked.withLock { $0.append(query.channel) }
            return UpdateReport.Entry(templateId: id, state: .published, genuine: true, newer: nil)
        })
        try await withStub(handler) { server in
            let installer = try server.installer(scratch)
            #expect(try await installer.install(.quest).version == first)
            #expect(try await installer.install(.quest, channel: .beta).version == second)
            #expect(try scratch.library.find(sheet.slug).channel == .beta)
            #expect(try await installer.install(.quest).version == second)
            _ = try await installer.checkForUpdates()
            _ = try await installer.checkForUpdates(channel: .stable)
            #expect(try await installer.install(.quest, channel: .stable).version == first)
            #expect(try scratch.library.find(sheet.slug).channel == nil)
            _ = try await installer.checkForUpdates()
        }
        #expect(asked.withLock { $0 } == [.beta, nil, nil])
    }

    @Test("the latest version of a mirror is the one that it has for the channel")
    func mirrored() async throws {
        let scratch = try Scratch()
        let mirror = try StubMirror(in: scratch, of: sheet, signedBy: try SignedRepository())
        try mirror.put(sheet, beta: second)
        let client = mirror.client(of: try #require(ServerAddress("http://127.0.0.1:1")))
        let key = sheet.id.description
        #expect(try await client.version("latest", of: key).version == first)
        #expect(try await client.version("latest", of: key, channel: .beta).version == second)
        #expect(try await client.downloadTicket(for: key, version: "latest", channel: .beta).version == second)
    }

    @Test("a version for later programs is not installed, and says what it needs")
    func programTooOld() async throws {
        let scratch = try Scratch()
        let minimum = SemanticVersion(99, 0, 0)
        try await withStub(market { $0.latest.minimumClientVersion = minimum }) { server in
            let run = try await CommandLineRun.sheets("install", "quest-sheet", in: scratch, server: server.url)
            #expect(run.status == 1)
            #expect(run.errors.contains("needs version 99.0.0 or later of this program"), "\(run.errors)")
            let installer = try server.installer(scratch)
            await #expect(
                throws: LibraryError.programTooOld(name: sheet.slug, version: first, needs: minimum)
            ) { try await installer.install(.quest) }
        }
        #expect(try scratch.library.contents().records.isEmpty)
        try await withStub(market { $0.latest.minimumClientVersion = SemanticVersion(0, 0, 1) }) { server in
            let outcome = try await server.installer(scratch).install(.quest)
            #expect(outcome.version == first)
        }
    }

    @Test("an update for later programs is told of and left alone")
    func updateTooNew() async throws {
        let scratch = try Scratch()
        let (id, second) = (sheet.id, second)
        let handler = market(entry: { _ in
            UpdateReport.Entry(
                templateId: id, state: .published, genuine: true, newer: second,
                minimumClientVersion: SemanticVersion(99, 0, 0))
        })
        try await withStub(handler) { server in
            _ = try await server.installer(scratch).install(.quest)
            let run = try await CommandLineRun.sheets("update", in: scratch, server: server.url)
            #expect(run.status == 0)
            #expect(run.errors.contains("quest-sheet 1.1.0 needs version 99.0.0"), "\(run.errors)")
        }
        #expect(try scratch.library.find(sheet.slug).installed?.version == first)
    }

    @Test("an update says what is new")
    func news() async throws {
        let scratch = try Scratch()
        try await withStub(market()) { server in
            _ = try await server.installer(scratch).install(.quest)
            let run = try await CommandLineRun.sheets(
                "install", "--channel", "beta", "quest-sheet", in: scratch, server: server.url)
            #expect(
                run.output == "Installed quest-sheet 1.1.0 in the place of 1.0.0.\nWhat is new:\n  News.\n"
                    + "Whether ink drawn on 1.0.0 still fits is not known: compare the pages before you draw on.\n",
                "\(run.output)")
        }
    }

    @Test("deprecation and a new name are noted by an update, and listed without a network")
    func noted() async throws {
        let scratch = try Scratch()
        let id = sheet.id
        let deprecation = Deprecation(
            message: "Too small.", since: SampleSheet.time,
            successor: .init(id: .make(), slug: "better-sheet", name: "Better"))
        let handler = market(entry: { _ in
            UpdateReport.Entry(
                templateId: id, state: .published, genuine: true, newer: nil, slug: "renamed",
                deprecation: deprecation)
        })
        try await withStub(handler) { server in
            _ = try await server.installer(scratch).install(.quest)
            let run = try await CommandLineRun.sheets("update", in: scratch, server: server.url)
            #expect(run.errors.contains("Too small. Use better-sheet instead."), "\(run.errors)")
        }
        let list = try await CommandLineRun.sheets("list", in: scratch, server: CommandTests.nowhere)
        #expect(list.output.contains("renamed") && list.output.contains("deprecated"))
        #expect(try scratch.library.find("renamed").deprecation == deprecation)
    }

    @Test("a slug from before a rename leads to the template")
    func redirect() async throws {
        let scratch = try Scratch()
        let plain = market { $0.summary.slug = "renamed" }
        let handler: StubServer.Handler = { request, server in
            guard request.uri.path == Paths.template("quest-sheet") else { return try await plain(request, server) }
            let query = request.uri.query.map { "?\($0)" } ?? ""
            return Response(
                status: .permanentRedirect, headers: [.location: "\(Paths.template("renamed"))\(query)"])
        }
        try await withStub(handler) { server in
            let outcome = try await server.installer(scratch).install(.quest, channel: .beta)
            #expect(outcome.record.template.slug == "renamed" && outcome.version == second)
        }
        #expect(try scratch.library.find("renamed").channel == .beta)
    }
}
