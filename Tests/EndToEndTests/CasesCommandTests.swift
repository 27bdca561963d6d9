// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketWire
import SheetCore
import TestSupport
import Testing

@Suite("The moderators' desk on the command line")
struct CasesCommandTests {
    private let program = BuildProducts.executable("sheetmarket")

    @Test("a case is listed, shown, claimed, given back, taken as the next, and decided, in a moderator's name")
    func story() async throws {
        let folder = try ScratchFolder("cases")
        let data = folder.url.appendingPathComponent("data")
        let market = try await RunningMarket(data: data)
        func cases(_ arguments: String...) async throws -> Command.Outcome {
            try await Command.run(program, ["admin", "cases"] + arguments + ["--data", data.path])
        }
        func list(_ arguments: String...) async throws -> [CaseSummary] {
            let answer = try await Command.run(
                program, ["admin", "cases", "list", "--json"] + arguments + ["--data", data.path])
            #expect(answer.status == 0, "\(answer.errors)")
            return try WireJSON.decoder().decode(CaseList.self, from: Data(answer.output.utf8)).cases
        }
        let ada = try await market.person("ada")
        _ = try await market.person("mona", role: .moderator)
        _ = try await market.person("otto", role: .moderator)
        #expect(try await cases("list").output.isEmpty)
        #expect(try await cases("next", "--as", "mona").output == "Nothing waits.\n")

        let answer = try await ada.upload(
            metadata: Scene.metadata("Command"), file: try Scene.sheet("oathbound-journal"))
        let upload = try await ada.submission(
            answer.json(SubmissionStatus.self).id, reaches: [.awaitingReview, .rejected])
        let id = try #require(upload.caseId).description
        let listed = try await cases("list")
        #expect(listed.output.hasPrefix("\(id)  open  submission  Command  1.0.0  by ada"), "\(listed.output)")
        #expect(try await list().map(\.id.description) == [id])
        #expect(try await list("--state", "decided").isEmpty)
        let shown = try await cases("show", id)
        let detail = try WireJSON.decoder().decode(CaseDetail.self, from: Data(shown.output.utf8))
        #expect(detail.choices?.contains(.approve) == true && detail.submission?.id == upload.id)

        let claimed = try await cases("claim", id, "--as", "mona")
        #expect(claimed.status == 0 && claimed.output.contains("claimed") && claimed.output.contains("with mona"))
        let held = try await cases("decide", id, "approve", "--as", "otto", "--reason", "meets_guidelines")
        #expect(held.status == 1 && held.errors.contains("Another moderator has this case"), "\(held.errors)")
        let released = try await cases("release", id, "--as", "mona")
        #expect(released.output.contains("open") && !released.output.contains("mona"))
        #expect(try await cases("next", "--as", "otto").output.hasPrefix("\(id)  claimed"))
        #expect(try await cases("next", "--as", "mona").output == "Nothing waits.\n")

        let decided = try await cases("decide", id, "approve", "--as", "otto", "--reason", "meets_guidelines")
        #expect(decided.status == 0 && decided.output.contains("decided"), "\(decided.errors)")
        #expect(try await market.http.get(Paths.template(upload.templateSlug)).status == 200)
        #expect(try await list("--state", "decided").map(\.id.description) == [id])
        let audit = try await Command.run(program, ["admin", "audit", "export", "--data", data.path])
        for act in ["case.claimed", "case.released", "case.decided"] {
            #expect(audit.output.contains(#""action":"\#(act)""#), "\(act)")
        }
        #expect(await market.stop() == 0)
        // The folder is enough: nothing needs to run.
        #expect(try await list("--state", "decided").count == 1)
    }

    @Test("what cannot be done is said in words, and every command explains itself")
    func refusals() async throws {
        let folder = try ScratchFolder("cases")
        let data = folder.url.appendingPathComponent("data")
        let market = try await RunningMarket(data: data)
        _ = try await market.person("ada")
        _ = try await market.person("mona", role: .moderator)
        let none = CaseID.make().description
        let refused: [([String], String)] = [
            (["show", "seven"], "'seven' is no case's id"), (["show", none], "This case does not exist"),
            (["claim", none, "--as", "mona"], "This case does not exist"),
            (["next", "--as", "ada"], "moderator"), (["next", "--as", "nobody"], "moderator"),
            (["decide", none, "applaud", "--as", "mona"], "A decision is one of approve"),
            (["list", "--state", "asleep"], "A state is one of open"),
            (["list", "--limit", "0"], "--limit takes 1 to 1000"),
        ]
        for (arguments, words) in refused {
            let answer = try await Command.run(program, ["admin", "cases"] + arguments + ["--data", data.path])
            #expect(answer.status != 0 && answer.errors.contains(words), "\(arguments): \(answer.errors)")
        }
        #expect(await market.stop() == 0)
        let help = try await Command.run(program, ["admin", "cases", "--help"])
        for words in ["list", "show", "next", "claim", "release", "decide", "--as ada", "docs/moderation.md"] {
            #expect(help.output.contains(words), "\(words)")
        }
        for command in ["list", "show", "next", "claim", "release", "decide"] {
            let text = try await Command.run(program, ["admin", "cases", command, "--help"])
            #expect(text.status == 0 && text.output.contains("OVERVIEW"), "\(command)")
        }
    }
}
