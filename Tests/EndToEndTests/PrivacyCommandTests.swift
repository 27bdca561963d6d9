// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketWire
import SheetCore
import TestSupport
import Testing

@Suite("An operator gives out and erases a person's data")
struct PrivacyCommandTests {
    private let program = BuildProducts.executable("sheetmarket")

    @Test("export writes JSON, erase asks first and leaves nobody, and the audit log holds afterwards")
    func commands() async throws {
        let folder = try ScratchFolder("privacy")
        let data = folder.url.appendingPathComponent("data")
        let market = try await RunningMarket(data: data)
        let ada = try await market.person("ada-export")
        let export = try await Command.run(program, ["admin", "user", "export", "ada-export", "--data", data.path])
        #expect(export.status == 0, "\(export.errors)")
        let document = try JSONSerialization.jsonObject(with: Data(export.output.utf8)) as? [String: Any]
        #expect((document?["account"] as? [String: Any])?["email"] as? String == "ada-export@example.org")
        #expect((document?["records"] as? [String: Any])?["api_tokens"] != nil)
        let log = try await market.administrator.get("\(Paths.base)/moderation/audit").json(AuditList.self)
        #expect(log.entries.contains { $0.action == "user.exported" && $0.actor == "operator" })

        let erase = ["admin", "user", "erase", "ada-export", "--data", data.path]
        let unsure = try await Command.run(program, erase, input: "ada\n")
        #expect(unsure.status == 1 && unsure.errors.contains("Nothing was erased."), "\(unsure.errors)")
        #expect(try await ada.get("\(Paths.base)/me").status == 200)
        let sure = try await Command.run(program, erase, input: "ada-export\n")
        #expect(sure.status == 0 && sure.output.contains("ada-export is erased."), "\(sure.errors)")
        // The running service hears of what another program did.
        #expect(try await eventually { try await ada.get("\(Paths.base)/me").status == 401 })
        let list = try await Command.run(program, ["admin", "user", "list", "--data", data.path])
        #expect(!list.output.contains("ada-export") && list.output.contains("former-"))
        let audit = try await Command.run(program, ["admin", "audit", "verify", "--data", data.path])
        #expect(audit.status == 0, "\(audit.errors)")
        let again = try await Command.run(program, erase + ["--yes"])
        #expect(again.status == 1 && again.errors.contains("The account 'ada-export' does not exist."))
        await market.stop()
    }
}
