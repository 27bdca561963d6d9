// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Hummingbird
import MarketClient
import MarketWire
import SheetCore
import Testing

@Suite("Lists that a program narrows or puts in order")
struct FilterTests {
    private static let submissions = "\(Paths.base)/submissions"

    /// What a market answers that knows the sample sheet, an account without uploads, and no reviews.
    private static func market(_ sheet: SampleSheet) -> StubServer.Handler {
        let plain = sheet.market()
        let account = Account(
            id: .make(), handle: "ada", displayName: "Ada", email: "ada@example.org", role: .user,
            createdAt: SampleSheet.time)
        return { request, server in
            switch request.uri.path {
            case "\(Paths.base)/me": return try .json(account)
            case Self.submissions: return try .json(SubmissionList(submissions: [], nextCursor: nil))
            case "\(Paths.template(sheet.slug))/reviews":
                let rating = RatingSummary(
                    rating: 0, lowerBound: 0, count: 0, histogram: [0, 0, 0, 0, 0], weight: 0, asOf: nil, prior: nil)
                return try .json(ReviewList(reviews: [], nextCursor: nil, rating: rating))
            case "\(Paths.template(sheet.id.description))/versions" where request.uri.query?.contains("yanked") == true:
                return try .json(VersionList(versions: []))
            default: return try await plain(request, server)
            }
        }
    }

    /// The queries with which an address was asked, in order.
    private static func queries(_ server: StubServer, _ path: String) -> [String] {
        server.seen(path).map { String($0.target.dropFirst(path.count)) }
    }

    @Test("the client asks for versions and submissions in a state, on every page, and for all when it is told nothing")
    func client() async throws {
        let sheet = SampleSheet()
        let versions = "\(Paths.template(sheet.slug))/versions"
        let handler: StubServer.Handler = { request, server in
            guard request.uri.path == versions else { return try await Self.market(sheet)(request, server) }
            let isSecond = request.uri.query?.contains("cursor=") == true
            let version = sheet.detail(SemanticVersion(1, isSecond ? 0 : 1, 0))
            return try .json(VersionList(versions: [version], nextCursor: isSecond ? nil : "more"))
        }
        try await withStub(handler) { server in
            let client = try server.client()
            let beta = try await client.versions(of: sheet.slug, state: .yanked, channel: .beta)
            #expect(beta.map(\.version) == [SemanticVersion(1, 1, 0), SemanticVersion(1, 0, 0)])
            _ = try await client.versions(of: sheet.slug)
            #expect(
                Self.queries(server, versions) == [
                    "?state=yanked&channel=beta", "?state=yanked&channel=beta&cursor=more", "", "?cursor=more",
                ])
            _ = try await client.submissions(state: .awaitingReview, limit: 5).collect(upTo: 5)
            _ = try await client.submissions().collect(upTo: 5)
            #expect(Self.queries(server, Self.submissions) == ["?state=awaiting_review&limit=5", ""])
        }
    }

    @Test("the commands pass on what to narrow a list to, and refuse words that mean nothing")
    func commands() async throws {
        let scratch = try Scratch()
        let sheet = SampleSheet()
        try await withStub(Self.market(sheet)) { server in
            let status = try await CommandLineRun.sheets(
                "status", "--state", "changes_requested", in: scratch, server: server.url)
            #expect(status.status == 0 && status.output.contains("No uploads in this state."), "\(status.errors)")
            #expect(Self.queries(server, Self.submissions) == ["?state=changes_requested&limit=20"])

            let show = try await CommandLineRun.sheets(
                "show", sheet.slug, "--state", "yanked", "--channel", "beta", in: scratch, server: server.url)
            #expect(show.status == 0 && show.output.contains("No version is like that."), "\(show.errors)")
            let versions = "\(Paths.template(sheet.id.description))/versions"
            #expect(Self.queries(server, versions) == ["?state=yanked&channel=beta"])
            let all = try await CommandLineRun.sheets("show", sheet.slug, in: scratch, server: server.url)
            #expect(all.status == 0 && !all.output.contains("No version is like that."))

            let review = try await CommandLineRun.sheets(
                "review", sheet.slug, "--sort", "helpful", in: scratch, server: server.url)
            #expect(review.status == 0, "\(review.errors)")
            let reviews = "\(Paths.template(sheet.slug))/reviews"
            #expect(Self.queries(server, reviews) == ["?sort=helpful&limit=10"])

            let id = SubmissionID.make().description
            let wrong = [
                ["status", "--state", "lost"], ["status", id, "--state", "published"],
                ["show", sheet.slug, "--state", "taken_down"], ["show", sheet.slug, "--channel", "nightly"],
                ["review", sheet.slug, "--sort", "oldest"],
            ]
            for arguments in wrong {
                let run = try await CommandLineRun.start(arguments, in: scratch, server: server.url).end()
                #expect(run.status == 2, "\(arguments): \(run.errors)")
            }
        }
    }

    @Test("what stands in the library is narrowed without a network, too")
    func offline() async throws {
        let scratch = try Scratch()
        let sheet = SampleSheet()
        try await withStub(sheet.market()) { server in
            let install = try await CommandLineRun.sheets("install", sheet.slug, in: scratch, server: server.url)
            #expect(install.status == 0, "\(install.errors)")
        }
        let expected = [("--state", "published", 1), ("--state", "yanked", 0), ("--channel", "beta", 0)]
        for (option, word, count) in expected {
            let run = try await CommandLineRun.start(
                ["show", "--offline", "--json", sheet.slug, option, word], in: scratch, server: CommandTests.nowhere
            ).end()
            #expect(run.status == 0, "\(option) \(word): \(run.errors)")
            let versions = try run.json()["versions"] as? [Any]
            #expect(versions?.count == count, "\(option) \(word)")
        }
    }

    @Test("the help of each command names what its lists can be narrowed to")
    func help() async throws {
        let scratch = try Scratch()
        let expected = [
            ("status", ["--state <state>", "awaiting_review"]),
            ("review", ["--sort <order>", "newest, helpful"]),
            ("show", ["--state <state>", "published, yanked", "--channel <channel>", "stable, beta"]),
        ]
        for (command, words) in expected {
            let run = try await CommandLineRun.sheets(command, "--help", in: scratch, server: CommandTests.nowhere)
            let text = run.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            for word in words { #expect(text.contains(word), "\(command): \(text)") }
        }
    }
}
