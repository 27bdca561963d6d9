// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import MarketPages
import MarketPlatform
import MarketWire
import Moderation
import NIOHTTP1
import Postgres
import SheetCore
import TestSupport
import Testing

@testable import MarketAccounts
@testable import MarketHTTP

@Suite("Every act of the team is in the audit log")
struct AuditTrailTests {
    private static func entries(_ scene: EnforcementScene) async throws -> [String] {
        try await scene.features.database.all(
            """
            SELECT concat_ws(' ', action, actor, token_id IS NOT NULL, request_id IS NOT NULL) FROM audit_entries
            ORDER BY sequence
            """
        ) { try $0.get(0) }
    }

    @Test("calls that write their own entries leave one; one that forgot leaves the call itself")
    func auditHook() async throws {
        try await EnforcementScene.run { scene in
            let ada = try await scene.person("ada")
            let mod = try await scene.person("mod", role: .moderator)
            let sheet = try await scene.template("Sheet", by: ada.id)
            let collection = CollectionEdit(title: "Night", summary: "", items: [.init(templateId: sheet.id, note: "")])
            let put = try await mod.http.send(.PUT, "\(Paths.base)/collections/night", json: collection)
            #expect(put.status == 201, "\(put.text)")
            let warning = SanctionRequest(kind: "warn", reasonCode: "spam", message: "Mind the rules.")
            let path = "\(Paths.base)/moderation/users/ada/sanctions"
            #expect(try await mod.http.send(.POST, path, json: warning).status == 201)
            let bad = SanctionRequest(kind: "x", reasonCode: "", message: "")
            #expect(try await mod.http.send(.POST, path, json: bad).status == 422)
            let whole = ["collection.put mod t t", "user.sanctioned mod t t"]
            #expect(try await Self.entries(scene) == whole, "what was refused is no act")

            let identity = Identity(
                userID: mod.id, handle: "mod", role: .moderator, credential: .token(.make()), scopes: [])
            let trail = AuditTrail(platform: scene.features.platform)
            let forgetful = RouteDescription(
                method: .post, path: "/api/v1/moderation/forgetful", access: .moderator, isWebPage: false,
                cost: .write, acceptsIdempotencyKey: false, isConditional: false, deprecation: nil)
            let request = "/api/v1/moderation/forgetful"
            await trail.record(identity, forgetful, request, "r-forgotten")
            await trail.record(identity, forgetful, request, "r-forgotten")
            let safe = RouteDescription(
                method: .get, path: "/api/v1/moderation/forgetful", access: .moderator, isWebPage: false,
                cost: .write, acceptsIdempotencyKey: false, isConditional: false, deprecation: nil)
            await trail.record(identity, safe, request, "r-read")
            let open = RouteDescription(
                method: .post, path: "/api/v1/reports", access: .user(.read), isWebPage: false, cost: .write,
                acceptsIdempotencyKey: false, isConditional: false, deprecation: nil)
            await trail.record(identity, open, request, "r-open")
            #expect(try await Self.entries(scene) == whole + ["api.called mod t t"])
            _ = try await AuditLog.verify(scene.features.database)
        }
    }

    @Test("a running market has that second line: a moderator's call that went well and did nothing is in the log")
    func wired() async throws {
        try await EnforcementScene.run { scene in
            let mod = try await scene.person("mod", role: .moderator)
            let ada = try await scene.person("ada")
            let path = "\(Paths.base)/moderation/queue/next"
            let refused = try await ada.http.send(.POST, path)
            #expect(refused.status == 403)
            let nothing = try await mod.http.send(.POST, path)
            #expect(nothing.status == 204, "\(nothing.text)")
            let entries = try await AuditLog.entries(before: nil, limit: 9, in: scene.features.database)
            let entry = try #require(entries.first)
            #expect(entries.count == 1 && entry.action == "api.called" && entry.actor == "mod")
            #expect(entry.subject == "route:POST \(path)" && entry.tokenID != nil)
            #expect(entry.requestID == nothing.headers.first(name: "x-request-id"))
        }
    }
}
