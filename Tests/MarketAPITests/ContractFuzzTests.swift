// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketWire
import NIOHTTP1
import SheetCore
import TestSupport
import Testing

@Suite("The contract, tried out by schemathesis")
struct ContractFuzzTests {
    enum Caller: String, CaseIterable, Sendable {
        case nobody, user, moderator
    }

    @Test("What the contract allows is answered as it says, and what it forbids is refused", arguments: Caller.allCases)
    func everyCall(caller: Caller) async throws {
        let program = BuildProducts.root.appendingPathComponent(".venv/bin/schemathesis")
        try #require(
            FileManager.default.isExecutableFile(atPath: program.path), "\(program.path) is missing: run 'make setup'")
        try await withMarket(workers: 1) { market in
            let scene = try await Scene.set(in: market)
            let folder = try ScratchFolder("contract")
            let configuration = folder.url.appendingPathComponent("schemathesis.toml")
            try Data(try scene.configuration(for: caller).utf8).write(to: configuration)
            // It leaves notes in the folder it runs in.
            let outcome = try await Command.run(
                URL(fileURLWithPath: "/usr/bin/env"),
                [
                    "--chdir", folder.url.path, program.path, "--config-file", configuration.path, "run",
                    "\(market.http.base)/openapi.json", "--checks", "all", "--no-color",
                ])
            #expect(outcome.status == 0, "\(outcome.output.suffix(20_000))\n\(outcome.errors.suffix(2000))")
            #expect(outcome.output.contains("Tested: "), "\(outcome.output.suffix(2000))")
            let alive = try await market.http.get("/readyz")
            #expect(alive.status == 200)
        }
    }

    /// Something of everything, so that calls find what they are about.
    private struct Scene {
        let values: [String: String]
        let user: String
        let moderator: String
        /// Of somebody with nothing to lose: whoever tries to revoke all tokens there are does it with this one.
        let spare: String

        static func set(in market: TestMarket) async throws -> Scene {
            let user = try await market.person("nadia")
            let moderator = try await market.person("moritz", role: .moderator)
            let spare = try await market.person("karl")
            let published = try await upload("Fuzzed sheet", by: user)
            let decision = try await moderator.decide(published)
            #expect(decision.status == 200, "\(decision.text)")
            let waiting = try await upload("Waiting sheet", by: user)
            let key = Paths.template(published.templateSlug)
            let review = try await spare.send(
                .PUT, "\(key)/reviews/mine", json: ReviewRequest(stars: 4, text: "Good."))
            let invitation = try await user.send(
                .POST, "\(key)/invitations", json: InvitationRequest(handle: "karl", role: .contributor))
            let collection = try await moderator.send(
                .PUT, "\(Paths.base)/collections/first-night",
                json: CollectionEdit(title: "For the first night", items: [.init(templateId: published.templateId)]))
            let webhook = try await user.send(
                .POST, "\(Paths.base)/webhooks",
                json: WebhookRequest(url: "https://example.org/hook", events: [.versionPublished]))
            #expect(review.status == 201 && invitation.status == 201 && collection.status == 201)
            return Scene(
                values: [
                    "TEMPLATE": published.templateSlug, "SUBMISSION": waiting.id.description,
                    "CASE": try #require(waiting.caseId).description,
                    "REVIEW": try review.json(Review.self).id.description,
                    "INVITATION": try invitation.json(Invitation.self).id.description,
                    "WEBHOOK": try webhook.json(NewWebhook.self).webhook.id.description,
                ],
                user: try #require(user.token), moderator: try #require(moderator.token),
                spare: try #require(spare.token))
        }

        private static func upload(_ name: String, by author: TestHTTP) async throws -> SubmissionStatus {
            var builder = PDFDocumentBuilder()
            builder.addPage(headings: ["Skills", "Combat", name])
            let answer = try await author.upload(
                metadata: UploadMetadata(
                    name: name, summary: "For a test.", gameSystem: "dnd5e", license: "CC0-1.0", language: "en",
                    version: "1.0.0"),
                file: builder.build())
            return try await author.submission(
                try answer.json(SubmissionStatus.self).id, reaches: [.awaitingReview, .rejected])
        }

        func configuration(for caller: Caller) throws -> String {
            let file = BuildProducts.root.appendingPathComponent("Tests/Contract/schemathesis.toml")
            var text = try String(contentsOf: file, encoding: .utf8)
            for (name, value) in values { text = text.replacing("@\(name)@", with: value) }
            let token =
                switch caller {
                case .nobody: ""
                case .user: user
                case .moderator: moderator
                }
            guard !token.isEmpty else { return text }
            return text + """

                [[operations]]
                include-operation-id = ["listTokens", "revokeToken"]
                headers = { Authorization = "Bearer \(spare)" }

                [headers]
                Authorization = "Bearer \(token)"
                """
        }
    }
}
