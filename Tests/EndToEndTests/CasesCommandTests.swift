// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketWire
import SheetCore
import TestSupport
import Testing

@Suite("The moderation queue on the command line")
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

    @Test("a suspension ends when the command says, and what takes two is confirmed or declined by another")
    func sentences() async throws {
        let folder = try ScratchFolder("cases")
        let data = folder.url.appendingPathComponent("data")
        let market = try await RunningMarket(data: data)
        func cases(_ arguments: String...) async throws -> Command.Outcome {
            try await Command.run(program, ["admin", "cases"] + arguments + ["--data", data.path])
        }
        let eve = try await market.person("eve")
        let mona = try await market.person("mona", role: .moderator)
        _ = try await market.person("otto", role: .moderator)
        func opened() async throws -> String {
            let request = NewCaseRequest(subject: ReportSubject(kind: .user, id: "eve"), note: "Advertises.")
            let answer = try await mona.send(json: request, to: "/moderation/cases")
            #expect(answer.status == 201, "\(answer.text)")
            return try answer.json(CaseSummary.self).id.description
        }
        func suspend(_ id: String, _ more: String...) async throws -> Command.Outcome {
            let arguments = ["decide", id, "suspend", "--as", "mona", "--reason", "spam"] + more
            return try await Command.run(program, ["admin", "cases"] + arguments + ["--data", data.path])
        }
        let first = try await opened()
        let endless = try await suspend(first, "--message", "Advertising.")
        #expect(endless.status == 1 && endless.errors.contains("A suspension needs an end"), "\(endless.errors)")
        let silent = try await suspend(first, "--until", "3")
        #expect(silent.status == 1 && silent.errors.contains("Tell the uploader why"), "\(silent.errors)")
        for until in ["0", "3661", "tomorrow"] {
            let refused = try await suspend(first, "--message", "Advertising.", "--until", until)
            #expect(refused.status != 0 && refused.errors.contains("--until takes 1 to 3660 days"), "\(until)")
        }
        let before = Date()
        let suspended = try await suspend(first, "--message", "Advertising.", "--until", "3")
        #expect(suspended.status == 0 && suspended.output.contains("decided"), "\(suspended.errors)")
        let imposed = try await eve.get("\(Paths.base)/me/sanctions").json(SanctionList.self)
        let end = try #require(imposed.sanctions.first?.until)
        #expect(end > before.addingTimeInterval(3 * 86_400 - 1))
        let later = try await suspend(try await opened(), "--message", "Again.", "--until", "2034-12-24T12:00:00Z")
        #expect(later.status == 0, "\(later.errors)")
        let list = try await eve.get("\(Paths.base)/me/sanctions").json(SanctionList.self)
        #expect(list.sanctions.contains { $0.until == WireJSON.date("2034-12-24T12:00:00Z") })

        let ban = try await opened()
        func propose() async throws {
            let proposed = try await cases(
                "decide", ban, "ban", "--as", "mona", "--reason", "spam", "--message", "For good.")
            #expect(proposed.status == 0 && proposed.output.hasPrefix("\(ban)  open"), "\(proposed.errors)")
        }
        try await propose()
        let alone = try await cases("confirm", ban, "--as", "mona")
        #expect(alone.status == 1 && alone.errors.contains("Another moderator has to confirm it"), "\(alone.errors)")
        let declined = try await cases("decline", ban, "--as", "otto", "--reason", "Too hard.")
        #expect(declined.status == 0 && declined.output.contains("with otto"), "\(declined.errors)")
        #expect(try await cases("release", ban, "--as", "otto").status == 0)
        try await propose()
        let confirmed = try await cases("confirm", ban, "--as", "otto")
        #expect(confirmed.status == 0 && confirmed.output.hasPrefix("\(ban)  decided"), "\(confirmed.errors)")
        #expect(await market.stop() == 0)
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
        for words in [
            "list", "show", "next", "claim", "release", "decide", "confirm", "decline", "--as ada",
            "docs/moderation.md",
        ] {
            #expect(help.output.contains(words), "\(words)")
        }
        for command in ["list", "show", "next", "claim", "release", "decide", "confirm", "decline"] {
            let text = try await Command.run(program, ["admin", "cases", command, "--help"])
            #expect(text.status == 0 && text.output.contains("OVERVIEW"), "\(command)")
            // What is asked for is named as a newcomer would call it, not as the option is.
            let hasName = ["list", "show"].contains(command) || text.output.contains("--as <handle>")
            let hasCase = ["list", "next"].contains(command) || text.output.contains("<case-id>")
            #expect(hasName && hasCase, "\(text.output)")
        }
    }
}
