// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketWire
import NIOCore
import Postgres
import SheetCore
import TestSupport
import Testing

@Suite("What an operator meets")
struct OperatorTests {
    private let program = BuildProducts.executable("sheetmarket")

    @Test("up keeps its secrets to its owner, refuses a second start and a taken port in plain words, and ends with 0")
    func up() async throws {
        let folder = try ScratchFolder("operator")
        let data = folder.url.appendingPathComponent("data")
        let market = try await RunningMarket(data: data, isFirstStart: true)
        for (name, mode) in [("", 0o700), ("admin-token", 0o600), ("download-keys", 0o600)] {
            let attributes = try FileManager.default.attributesOfItem(atPath: data.appendingPathComponent(name).path)
            #expect((attributes[.posixPermissions] as? Int).map { $0 & 0o777 } == mode, "\(name)")
        }
        let again = try await Command.run(program, ["up", "--data", data.path, "--listen", "127.0.0.1:0"])
        #expect(again.status == 1)
        #expect(again.errors.contains("already runs the database in \(data.path)"))

        let other = folder.url.appendingPathComponent("other")
        let address = String(market.base.dropFirst("http://".count))
        let taken = try await Command.run(program, ["up", "--data", other.path, "--listen", address])
        #expect(taken.status == 1)
        #expect(taken.errors.contains("Cannot listen on \(address): Address already in use."))
        #expect(!FileManager.default.fileExists(atPath: other.path), "nothing was begun")
        #expect(await market.stop() == 0)
    }

    @Test("up says what it does without settings: e-mails go into files, and moderators need no second factor")
    func unset() async throws {
        let folder = try ScratchFolder("operator")
        let data = folder.url.appendingPathComponent("data")
        let market = try await RunningMarket(data: data)
        let emails = data.appendingPathComponent("mail")
        let isSaid = try await eventually {
            market.log.contains("mail: e-mails are not sent but written to \(emails.path)")
                && market.log.contains("moderators and administrators need no second factor here")
        }
        #expect(isSaid, "\(market.log)")
        _ = try await market.person("nadia")
        let isThere = try await eventually {
            let names = (try? FileManager.default.contentsOfDirectory(atPath: emails.path)) ?? []
            return try names.contains { name in
                guard name.hasSuffix(".eml"), !name.hasPrefix(".") else { return false }
                let text = try String(contentsOf: emails.appendingPathComponent(name), encoding: .utf8)
                SuiteLog.note(message: text)
                return text.contains("To: nadia@example.org")
            }
        }
        #expect(isThere, "no e-mail in a file")
        #expect(await market.stop() == 0)
    }

    @Test(
        "a signal ends up at any moment of its first start, and the next start completes", arguments: [150, 500, 900])
    func interruptedStart(milliseconds: Int) async throws {
        let folder = try ScratchFolder("operator")
        let data = folder.url.appendingPathComponent("data")
        let first = try ChildProgram(
            program, ["up", "--data", data.path, "--listen", "127.0.0.1:0", "--no-examples"])
        try await Task.sleep(for: .milliseconds(milliseconds))
        first.signal(SIGTERM)
        let status = await first.waitForExit()
        // So early that the program was not yet listening to signals, the signal's own effect is as good.
        #expect(status == 0 || status == 128 + SIGTERM, "\(first.errors)")
        let market = try await RunningMarket(data: data, isFirstStart: true)
        #expect(try await market.http.get("/readyz").status == 200)
        #expect(await market.stop() == 0)
    }

    @Test("admin works on a folder that runs and on one that does not")
    func admin() async throws {
        let folder = try ScratchFolder("operator")
        let data = folder.url.appendingPathComponent("data")
        let none = try await Command.run(program, ["admin", "user", "list", "--data", data.path])
        #expect(none.status == 1 && none.errors.contains("No market was ever started in \(data.path)"))

        let market = try await RunningMarket(data: data)
        let list = ["admin", "user", "list", "--data", data.path]
        let running = try await Command.run(program, list)
        #expect(running.status == 0 && running.output.contains("admin  administrator"), "\(running.errors)")
        await market.stop()
        #expect(try await Command.run(program, list).output == running.output)
        let unknown = try await Command.run(program, ["admin", "user", "role", "nobody", "user", "--data", data.path])
        #expect(unknown.status == 1 && unknown.errors.contains("The account 'nobody' does not exist."))
        let audit = try await Command.run(program, ["admin", "audit", "verify", "--data", data.path])
        #expect(audit.status == 0 && audit.output.hasPrefix("The audit log holds: "), "\(audit.errors)")
    }

    @Test("serve and work refuse bad and missing settings by name, and a schema that is behind, and tell no secret")
    func refusals() async throws {
        let folder = try ScratchFolder("operator")
        let secret = Data(repeating: 9, count: 32).base64EncodedString()
        var environment = [
            "DATABASE_URL": try await TestCluster.shared.makeEmptyDatabase(), "SHEETMARKET_LISTEN": "127.0.0.1:0",
            "SHEETMARKET_STORAGE": folder.url.appendingPathComponent("storage").path,
        ]
        let keyless = try await Command.run(program, ["serve"], environment: environment)
        #expect(keyless.status == 1 && keyless.errors.contains("SHEETMARKET_DOWNLOAD_KEYS must be set"))
        environment["SHEETMARKET_DOWNLOAD_KEYS"] = "k1:\(secret)"
        let unsealed = try await Command.run(program, ["serve"], environment: environment)
        #expect(unsealed.status == 1 && unsealed.errors.contains("SHEETMARKET_SECRET_KEYS must be set"))
        environment["SHEETMARKET_SECRET_KEYS"] = "s1:\(secret)"
        for role in ["serve", "work"] {
            let behind = try await Command.run(program, [role], environment: environment)
            #expect(behind.status == 1 && behind.errors.contains("run `sheetmarket migrate` first"), "\(behind.errors)")
            #expect(!behind.errors.contains(secret))
        }
        let pending = try await Command.run(program, ["migrate", "--status"], environment: environment)
        #expect(pending.status == 2 && pending.output.contains("platform  pending"))
        #expect(try await Command.run(program, ["migrate"], environment: environment).status == 0)
        let applied = try await Command.run(program, ["migrate", "--status"], environment: environment)
        #expect(applied.status == 0 && applied.output.contains("platform  applied"))

        environment["SHEETMARKET_WORKERS"] = "some"
        let bad = try await Command.run(program, ["work"], environment: environment)
        #expect(
            bad.status == 1 && bad.errors.contains("SHEETMARKET_WORKERS=some (environment): must be a whole number"))
        let help = try await Command.run(program, ["serve", "--help"])
        #expect(help.status == 0 && help.output.contains("SHEETMARKET_TRUSTED_PROXIES"))
    }

    @Test("rules of the risk score are checked and tried before they are used; a node with broken ones does not start")
    func rules() async throws {
        let folder = try ScratchFolder("operator")
        let rules = folder.url.appendingPathComponent("rules")
        try FileManager.default.createDirectory(at: rules, withIntermediateDirectories: true)
        let file = rules.appendingPathComponent("risk.json")
        let rule = #"{"code": "a", "check": "account_age", "days": 7, "weight": 30, "mode": "on"}"#
        try Data(#"{"format": "sheetmarket.risk.1", "version": "mine", "rules": [\#(rule)]}"#.utf8).write(to: file)
        let check = try await Command.run(program, ["admin", "rules", "check", rules.path])
        #expect(check.status == 0 && check.output.contains("The rules mine will do: 1 on"), "\(check.errors)")

        let data = folder.url.appendingPathComponent("data")
        let market = try await RunningMarket(data: data)
        #expect(await market.stop() == 0)
        let compare = try await Command.run(
            program, ["admin", "rules", "compare", rules.path, "--data", data.path])
        #expect(compare.status == 0, "\(compare.errors)")

        try Data(#"{"format": "sheetmarket.risk.1", "version": "mine", "rules": [{"code": "a"}]}"#.utf8).write(to: file)
        let broken = try await Command.run(program, ["admin", "rules", "check", rules.path])
        #expect(broken.status == 1 && broken.errors.contains("rule a: 'weight' must be"), "\(broken.errors)")
        let up = try await Command.run(
            program, ["up", "--data", data.path, "--listen", "127.0.0.1:0"],
            environment: ["SHEETMARKET_RULES": rules.path])
        #expect(up.status == 1 && up.errors.contains("The rules of the risk score will not do"), "\(up.errors)")
    }

    @Test("reasons of the operator's own join those that come along; rules that are tried judge beside those in force")
    func ownFolders() async throws {
        let folder = try ScratchFolder("operator")
        func file(_ path: String, _ text: String) throws {
            let file = folder.url.appendingPathComponent(path)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
        }
        try file(
            "reasons/en/house_style.md",
            "---\ntitle: House style\ndecisions: reject, request_changes\n---\nWe like serifs.\n")
        try file("reasons/de/house_style.md", "---\ntitle: Hausstil\ndecisions: reject\n---\nMit Serifen.\n")
        try file("reasons/en/spam.md", "---\ntitle: Selling\ndecisions: reject\n---\nNothing is sold here.\n")
        try file("reasons/en/broken.md", "House style")
        let rule = #"{"code": "account_new", "check": "account_age", "days": 7, "weight": 77, "mode": "on"}"#
        try file("next/risk.json", #"{"format": "sheetmarket.risk.1", "version": "next", "rules": [\#(rule)]}"#)
        let data = folder.url.appendingPathComponent("data")
        let market = try await RunningMarket(
            data: data,
            environment: [
                "SHEETMARKET_REASONS": folder.url.appendingPathComponent("reasons").path,
                "SHEETMARKET_SHADOW_RULES": folder.url.appendingPathComponent("next").path,
            ])
        let ada = try await market.person("ada")
        let moritz = try await market.person("moritz", role: .moderator)
        try await Self.checkReasons(as: moritz, nobody: ada)
        #expect(market.log.contains("a reason cannot be used") && market.log.contains("broken.md"))

        var builder = PDFDocumentBuilder()
        builder.addPage(headings: ["Skills", "Combat", "Notes"])
        let sent = try await ada.upload(metadata: Scene.metadata("Hero Sheet"), file: builder.build())
        let waiting = try await ada.submission(
            sent.json(SubmissionStatus.self).id, reaches: [.awaitingReview, .rejected])
        let path = Paths.moderationCase(try #require(waiting.caseId).description)
        let detail = try await moritz.get(path).json(CaseDetail.self)
        #expect(detail.risk?.shadow == .init(score: 77, rulesVersion: "next"))
        #expect(detail.risk?.rulesVersion != "next" && detail.risk?.score != 77, "they decide nothing")
        #expect(detail.summary.risk == detail.risk?.score)
        let rules = try await moritz.get("\(Paths.base)/moderation/rules").json(RiskRuleList.self)
        #expect(rules.shadow?.version == "next" && rules.shadow?.rules.map(\.code) == ["account_new"])

        let misused = try await moritz.decide(waiting, .approve, reasonCode: "house_style", message: "Fine.")
        #expect(misused.status == 422, "\(misused.text)")
        let refused = try await moritz.decide(waiting, .reject, reasonCode: "house_style", message: "More serifs.")
        #expect(refused.status == 200, "\(refused.text)")
        #expect(try await ada.submission(waiting.id, reaches: [.rejected]).decision?.reasonCode == "house_style")
        #expect(await market.stop() == 0)
    }

    /// The operator's own, in the language asked for or the nearest, beside the shipped ones.
    private static func checkReasons(as moderator: TestHTTP, nobody: TestHTTP) async throws {
        let path = "\(Paths.base)/moderation/reasons"
        #expect(try await nobody.get(path).status == 403)
        let list = try await moderator.get(path).json(ReasonList.self)
        #expect(list.languages == ["de", "en"])
        func reason(_ code: String, in list: ReasonList) -> ModerationReason? { list.reasons.first { $0.code == code } }
        let own = try #require(reason("house_style", in: list))
        #expect(own.title == "House style" && own.text == "We like serifs." && own.language == "en")
        #expect(own.decisions == [.reject, .requestChanges])
        let taken = try #require(reason("spam", in: list))
        #expect(taken.text == "Nothing is sold here." && taken.decisions == [.reject], "in the shipped one's place")
        #expect(reason("copyright", in: list) != nil && reason("broken", in: list) == nil)
        let german = try await moderator.get("\(path)?language=de-AT").json(ReasonList.self)
        #expect(reason("house_style", in: german)?.text == "Mit Serifen.")
        #expect(reason("spam", in: german)?.language == "de", "nobody wrote another in German")
        #expect(german.reasons.count == list.reasons.count)
    }

    @Test("admin dump writes the catalog into a file that the market serves, with the checksum it prints")
    func dump() async throws {
        let folder = try ScratchFolder("operator")
        let data = folder.url.appendingPathComponent("data")
        let market = try await RunningMarket(data: data)
        let outcome = try await Command.run(program, ["admin", "dump", "--data", data.path])
        #expect(outcome.status == 0, "\(outcome.errors)")
        let list = try await market.http.get("\(Paths.base)/dumps").json(CatalogDumpList.self)
        let dump = try #require(list.dumps.first)
        #expect(outcome.output.contains(dump.name) && outcome.output.contains("sha256 \(dump.sha256.hex)"))
        let file = try await market.http.get("\(Paths.base)/dumps/\(dump.name)")
        #expect(file.status == 200 && file.body.readableBytes == dump.sizeBytes)
        #expect(ContentHash(hashing: file.body.readableBytesView) == dump.sha256)
        #expect(await market.stop() == 0)
    }
}
