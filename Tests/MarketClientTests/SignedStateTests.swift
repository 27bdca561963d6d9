// SPDX-License-Identifier: Apache-2.0
import Foundation
import Hummingbird
import MarketClient
import MarketWire
import NIOCore
import SheetCore
import Synchronization
import Testing

@Suite("What is told of installed versions is what is signed of them")
struct SignedStateTests {
    private let sheet = SampleSheet()
    private let first = SemanticVersion(1, 0, 0)

    /// A market that signs, and answers each question for updates with `answer`; nothing else in it changes.
    private func market(
        _ repository: SignedRepository, answer: @escaping @Sendable () -> UpdateReport.Entry?
    ) -> StubServer.Handler {
        let plain = sheet.market()
        let signed = repository.market({ request, server in
            guard request.uri.path == "\(Paths.base)/changes" else { return try await plain(request, server) }
            return try .json(ChangeList(changes: [], nextCursor: "0"))
        }) { .init(templateId: $0.templateId, state: .published, genuine: true, newer: nil) }
        return { request, server in
            guard request.uri.path == "\(Paths.base)/updates" else { return try await signed(request, server) }
            return try .json(UpdateReport(updates: [answer()].compactMap { $0 }))
        }
    }

    private func published(genuine: Bool = true) -> UpdateReport.Entry {
        .init(templateId: sheet.id, state: .published, genuine: genuine, newer: nil, slug: sheet.slug)
    }

    @Test(
        "a take-down that is signed is told where the market calls the version published, or tells nothing of it",
        arguments: [true, false])
    func hidden(_ isAnswered: Bool) async throws {
        let scratch = try Scratch()
        let repository = try SignedRepository(start: Date())
        try repository.publish(2, [sheet.target(first)])
        let answer = isAnswered ? published() : nil
        try await withStub(market(repository) { answer }) { server in
            let outcome = try await server.installer(scratch).install(.quest)
            #expect(outcome.verified)
            let before = try await server.installer(scratch).checkForUpdates()
            #expect(before.allSatisfy { $0.entry.state == .published && $0.entry.genuine })
            try repository.publish(3, [sheet.target(first, state: "taken_down")])
            let update = try #require(try await server.installer(scratch).checkForUpdates().first)
            #expect(update.entry.state == .takenDown && update.entry.genuine)
            #expect(update.entry.reason == "Page 2 is upside down")
            #expect(try scratch.library.find(sheet.slug).current?.detail.state == .takenDown)
            let run = try await CommandLineRun.sheets("update", in: scratch, server: server.url)
            let told = "quest-sheet 1.0.0 was taken down by a moderator: Page 2 is upside down."
            #expect(run.errors.contains(told), "\(run)")
        }
    }

    @Test(
        "whether a file is what was published is what is signed, whatever the market says of it",
        arguments: [true, false])
    func genuine(_ isSame: Bool) async throws {
        let scratch = try Scratch()
        let repository = try SignedRepository(start: Date())
        try repository.publish(2, [sheet.target(first)])
        let answer = published(genuine: !isSame)
        try await withStub(market(repository) { answer }) { server in
            _ = try await server.installer(scratch).install(.quest)
            var target = sheet.target(first)
            if !isSame { target.info = SignedRepository.file.info }
            try repository.publish(3, [target])
            let run = try await CommandLineRun.sheets("update", in: scratch, server: server.url)
            #expect(run.status == (isSame ? 0 : 3), "\(run)")
            #expect(run.errors.contains("is NOT what was published") == !isSame, "\(run)")
        }
    }

    @Test("a market in which nothing changes is asked about each template again once a withdrawal is signed")
    func quiet() async throws {
        let scratch = try Scratch()
        let repository = try SignedRepository(start: Date())
        try repository.publish(2, [sheet.target(first)])
        let answer = published()
        let asked = Mutex(0)
        let handler = market(repository) {
            asked.withLock { $0 += 1 }
            return answer
        }
        try await withStub(handler) { server in
            _ = try await server.installer(scratch).install(.quest)
            // Each run asks for what is signed.
            func check() async throws -> (state: VersionState?, asked: Int) {
                let updates = try await server.installer(scratch).checkForUpdates()
                return (updates.first?.entry.state, asked.withLock { $0 })
            }
            #expect(try await check() == (.published, 1))
            #expect(try await check() == (.published, 1))
            try repository.publish(3, [sheet.target(first)])
            #expect(try await check() == (.published, 1), "what is signed anew tells nothing, either")
            try repository.publish(4, [sheet.target(first, state: "taken_down")])
            #expect(try await check() == (.takenDown, 2))
            #expect(try await check() == (.takenDown, 3), "what there is to tell is told again")
        }
    }

    /// What is signed of a version, what its mirror says, and what is to be told.
    struct Case: Sendable, CustomTestStringConvertible {
        let signed: String?
        let said: VersionState?
        let told: VersionState

        var testDescription: String { "\(signed ?? "nothing") signed, \(said?.rawValue ?? "nothing") said" }
    }

    @Test(
        "a mirror's own word of a withdrawal counts for nothing",
        arguments: [
            Case(signed: nil, said: .takenDown, told: .published), Case(signed: nil, said: .yanked, told: .published),
            Case(signed: "taken_down", said: nil, told: .takenDown),
            Case(signed: "yanked", said: .takenDown, told: .yanked),
        ])
    func mirrored(_ withdrawal: Case) async throws {
        let scratch = try Scratch()
        let repository = try SignedRepository(start: Date())
        try repository.publish(2, [sheet.target(first)])
        let mirror = try StubMirror(in: scratch, of: sheet, signedBy: repository)
        let nowhere = try #require(ServerAddress("http://127.0.0.1:1"))
        let root = try #require(repository.files.withLock { $0["1.root.json"] })
        try await TrustSession(library: scratch.library, client: mirror.client(of: nowhere))
            .pinFirst(fingerprint: ContentHash(hashing: root).hex)
        _ = try await Installer(client: mirror.client(of: nowhere), library: scratch.library).install(.quest)
        try mirror.put(sheet, withdrawn: withdrawal.said)
        try repository.publish(3, [sheet.target(first, state: withdrawal.signed)])
        try mirror.take(repository)
        let later = Installer(client: mirror.client(of: nowhere), library: scratch.library)
        let update = try #require(try await later.checkForUpdates().first)
        #expect(update.entry.state == withdrawal.told && update.entry.genuine)
        #expect(update.entry.reason == (withdrawal.signed == nil ? nil : "Page 2 is upside down"))
    }

    @Test("a market that signs nothing: it is told so once, and what comes from it does not pass for verified")
    func unsigned() async throws {
        let scratch = try Scratch()
        let notices = Mutex<[InstallEvent]>([])
        try await withStub(sheet.market()) { server in
            let installer = try server.installer(scratch)
            for version in sheet.files.map(\.version) {
                let outcome = try await installer.install(.init(key: sheet.slug, version: version)) { event in
                    if case .notice = event { notices.withLock { $0.append(event) } }
                }
                #expect(outcome.downloaded && !outcome.verified)
            }
            let notice = "\(server.url) does not sign its catalog: its own word is all that vouches for what comes."
            #expect(notices.withLock { $0 } == [.notice(notice)])
            let run = try await CommandLineRun.sheets("install", "quest-sheet", in: try Scratch(), server: server.url)
            let told = "Installed quest-sheet 1.0.0; its bytes are as the market said, which signs nothing.\n"
            #expect(run.output == told && run.errors.contains(notice), "\(run)")
        }
    }
}
