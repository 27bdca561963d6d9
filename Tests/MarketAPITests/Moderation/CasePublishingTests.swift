// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import MarketPlatform
import MarketWire
import Moderation
import Postgres
import SheetCore
import TestSupport
import Testing

@testable import MarketAccounts
@testable import MarketCatalog
@testable import ModerationService

@Suite("What a template offers")
struct CasePublishingTests {
    @Test("releases, mended old lines, pre-releases and withdrawn versions leave the right one on offer")
    func latest() async throws {
        try await AccountsScene.run { scene in
            let ada = try await scene.person("ada")
            let mod = try await scene.person("mod", role: .moderator)
            let database = scene.features.database
            let first = try await scene.waiting(by: ada.id, version: "1.0.0-beta.1")
            let template = first.template
            func name() async throws -> String {
                try await database.scalar("SELECT name FROM templates WHERE id = \(template)")
            }
            func publish(_ version: String) async throws {
                scene.clock.advance(by: 10)
                try await scene.approve(
                    try await scene.waiting(by: ada.id, version: version, of: template), as: mod.caller)
            }
            func set(_ state: VersionState, _ version: String) async throws {
                try await database.withTransaction { connection in
                    try await connection.execute(
                        "UPDATE versions SET state = \(state) WHERE template_id = \(template) AND number = \(version)")
                    try await Publishing.recomputeLatest(connection, templateID: template)
                }
            }
            try await scene.approve(first, as: mod.caller)
            #expect(try await scene.offered(template) == "1.0.0-beta.1")
            try await publish("1.9.0")
            try await publish("1.10.0")
            #expect(try await scene.offered(template) == "1.10.0")
            // The entry goes on saying what the offered version says.
            for version in ["1.9.1", "2.0.0-rc.1"] {
                try await publish(version)
                #expect(try await scene.offered(template) == "1.10.0")
                #expect(try await name() == "Sheet 1.10.0")
            }
            try await set(.yanked, "1.10.0")
            #expect(try await scene.offered(template) == "1.9.1")
            for version in ["1.9.1", "1.9.0"] { try await set(.takenDown, version) }
            #expect(try await scene.offered(template) == "2.0.0-rc.1")
            for version in ["2.0.0-rc.1", "1.0.0-beta.1"] { try await set(.yanked, version) }
            #expect(try await scene.offered(template) == nil)
            #expect(try await database.scalar("SELECT page_count FROM templates", as: Int.self) == 0)
            try await set(.published, "1.10.0")
            #expect(try await scene.offered(template) == "1.10.0")
            let published = try await database.scalar("SELECT published_at FROM templates", as: Date.self)
            #expect(published < scene.clock.now)
        }
    }

    @Test("approvals of many versions at once leave the highest on offer")
    func concurrentApprovals() async throws {
        try await AccountsScene.run { scene in
            let ada = try await scene.person("ada")
            let mod = try await scene.person("mod", role: .moderator)
            let first = try await scene.waiting(by: ada.id, version: "1.0.0")
            var waiting = [first]
            for minor in 1..<10 {
                waiting.append(try await scene.waiting(by: ada.id, version: "1.\(minor).0", of: first.template))
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for submission in waiting.shuffled() {
                    group.addTask { try await scene.approve(submission, as: mod.caller) }
                }
                try await group.waitForAll()
            }
            #expect(try await scene.offered(first.template) == "1.9.0")
            let verified = try await AuditLog.verify(scene.features.database)
            // One entry for the role, a claim and a decision for each.
            #expect(verified.count == 21)
        }
    }

    @Test("a submission has one case, and taking it back closes it")
    func oneCase() async throws {
        try await AccountsScene.run { scene in
            let ada = try await scene.person("ada")
            let waiting = try await scene.waiting(by: ada.id)
            try await scene.features.database.withTransaction { connection in
                #expect(try await CaseLifecycle.open(connection, submission: waiting.submission) == waiting.caseID)
                try await CaseLifecycle.close(connection, submission: waiting.submission)
            }
            let state = try await scene.features.database.scalar("SELECT state FROM cases", as: String.self)
            #expect(state == "closed")
        }
    }
}
