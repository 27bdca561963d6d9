// SPDX-License-Identifier: Apache-2.0
import Foundation
import Hummingbird
import MarketClient
import MarketWire
import SheetCore
import Synchronization
import Testing

@Suite("Withdrawn versions, and what their market signed to be used instead")
struct ReplacementTests {
    private let sheet = SampleSheet()
    private let first = SemanticVersion(1, 0, 0)
    private let second = SemanticVersion(1, 1, 0)
    private let other = SampleSheet(
        slug: "other-sheet", files: [(SemanticVersion(2, 0, 0), SampleSheet.bytes(100, seed: 3))])

    private var own: String { TargetPath.of(sheet.id, second, .sheet) }
    private var others: String { TargetPath.of(other.id, SemanticVersion(2, 0, 0), .sheet) }

    /// The market once `first` is in that state; of what is installed `update` is told.
    private func market(
        _ repository: SignedRepository, _ state: String, instead: String?, isOtherGone: Bool = false,
        newer: SemanticVersion? = nil, signedAs number: Int64 = 2
    ) throws -> StubServer.Handler {
        let targets = [
            sheet.target(first, state: state, replacement: instead), sheet.target(second),
            other.target(SemanticVersion(2, 0, 0), state: isOtherGone ? "yanked" : nil),
        ]
        try repository.publish(number, targets)
        let told = state == "yanked" ? VersionState.yanked : .takenDown
        return repository.market(sheet.market(offered: newer ?? first)) {
            .init(
                templateId: $0.templateId, state: $0.version < second ? told : .published, genuine: true, newer: newer,
                reason: "Page 2 is upside down", slug: "quest-sheet")
        }
    }

    @Test(
        "a version can be had by its number though nothing is on offer any more, but of older markets",
        arguments: [true, false])
    func onlyOne(_ isKnown: Bool) async throws {
        let scratch = try Scratch()
        let plain = sheet.market()
        try await withStub({ request, server in
            let isOfTemplate = request.uri.path == "\(Paths.base)/templates/quest-sheet"
            let isWithdrawn = request.uri.queryParameters["offered"] == "false"
            if isWithdrawn, !isKnown { return try .problem(400, .unknownParameter, "There is no parameter 'offered'.") }
            if isOfTemplate, !isWithdrawn {
                return try .problem(404, .notFound, "This template has no version on offer.")
            }
            return try await plain(request, server)
        }) { server in
            for command in ["show", "install"] {
                let offered = try await CommandLineRun.sheets(command, "quest-sheet", in: scratch, server: server.url)
                #expect(offered.status == 1 && offered.errors.contains("no version on offer"), "\(offered)")
                let named = try await CommandLineRun.sheets(
                    command, "quest-sheet@1.0.0", in: scratch, server: server.url)
                #expect(named.status == (isKnown ? 0 : 1), "\(named)")
                #expect(isKnown || named.errors.contains("no version on offer"), "\(named)")
            }
        }
    }

    @Test("whoever installs a withdrawn version by its number is told of the newer one")
    func installing() async throws {
        let scratch = try Scratch()
        try await withStub(try market(SignedRepository(start: Date()), "yanked", instead: own)) { server in
            let run = try await CommandLineRun.sheets("install", "quest-sheet@1.0.0", in: scratch, server: server.url)
            #expect(run.status == 0, "\(run)")
            #expect(
                run.errors.contains(
                    """
                    quest-sheet 1.0.0 was withdrawn: Page 2 is upside down.
                    Use quest-sheet 1.1.0 instead: `sheets install quest-sheet`.
                    """), "\(run.errors)")
        }
    }

    @Test("what was taken down is refused, with the template that took its place")
    func takenDown() async throws {
        let scratch = try Scratch()
        try await withStub(try market(SignedRepository(start: Date()), "taken_down", instead: others)) { server in
            let run = try await CommandLineRun.sheets("install", "quest-sheet", in: scratch, server: server.url)
            #expect(run.status == 3, "\(run)")
            #expect(run.errors.contains("taken down by a moderator: Page 2 is upside down. Nothing was installed. "))
            #expect(run.errors.contains("Use other-sheet 2.0.0 instead: `sheets install other-sheet`."), "\(run)")
            #expect(try scratch.library.contents().records == [])
        }
    }

    @Test(
        "an update check names what is to be used instead, in JSON, too; what is newer of the same template is named once",
        arguments: ["yanked", "taken_down"])
    func updating(_ state: String) async throws {
        let scratch = try Scratch()
        let repository = try SignedRepository(start: Date())
        try repository.publish(2, [sheet.target(first), sheet.target(second)])
        let ready = repository.market(sheet.market()) {
            .init(templateId: $0.templateId, state: .published, genuine: true, newer: nil)
        }
        let present = Mutex<StubServer.Handler>(ready)
        try await withStub { request, server in
            try await present.withLock { $0 }(request, server)
        } _: { server in
            func sheets(_ words: String...) async throws -> CommandLineRun {
                try await CommandLineRun.start(words, in: scratch, server: server.url).end()
            }
            #expect(try await sheets("install", "quest-sheet").status == 0)
            let gone = try market(repository, state, instead: others, signedAs: 3)
            present.withLock { $0 = gone }
            let told = try await sheets("update")
            #expect(told.errors.contains("Use other-sheet 2.0.0 instead: `sheets install other-sheet`."), "\(told)")
            let line = try #require((try await sheets("update", "--json").json()["updates"] as? [[String: Any]])?.first)
            let replacement = try #require(line["replacement"] as? [String: String])
            #expect(replacement == ["id": other.id.description, "slug": "other-sheet", "version": "2.0.0"])
            let alone = try market(repository, state, instead: nil, signedAs: 4)
            present.withLock { $0 = alone }
            let nothing = try await sheets("update")
            #expect(!nothing.errors.contains("instead"), "\(nothing)")
            let fixed = try market(repository, state, instead: own, newer: second, signedAs: 5)
            present.withLock { $0 = fixed }
            let newer = try await sheets("update")
            #expect(newer.status == 0 && newer.output.contains("Installed quest-sheet 1.1.0 in the place of 1.0.0."))
            #expect(!newer.errors.contains("instead"), "\(newer)")
        }
    }

    @Test(
        "what was withdrawn itself, is not signed, or is no path of a file is no advice",
        arguments: ["others", "unsigned", "nonsense", "../1.0.0.pdf"])
    func badAdvice(_ kind: String) async throws {
        let scratch = try Scratch()
        let path =
            switch kind {
            case "others": others
            case "unsigned": TargetPath.of(.make(), first, .sheet)
            default: kind
            }
        let handler = try market(SignedRepository(start: Date()), "yanked", instead: path, isOtherGone: true)
        try await withStub(handler) { server in
            let run = try await CommandLineRun.sheets("install", "quest-sheet@1.0.0", in: scratch, server: server.url)
            #expect(run.status == 0 && run.errors.contains("was withdrawn"), "\(run)")
            #expect(!run.errors.contains("instead"), "\(run)")
        }
    }
}
