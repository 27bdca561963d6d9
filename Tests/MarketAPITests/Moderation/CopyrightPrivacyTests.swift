// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketPages
import MarketPlatform
import MarketWire
import NIOHTTP1
import Postgres
import SheetCore
import TestSupport
import Testing

@testable import MarketAccounts
@testable import MarketCommunity
@testable import MarketContract

@Suite("What a copyright notice tells whom, and for how long")
struct CopyrightPrivacyTests {
    private static let notices = "\(Paths.base)/copyright/notices"

    /// A notice of Cora's on Ada's sheet, as far as `decisions` have brought it.
    private static func notice(
        on slug: String, by claimant: TestHTTP, _ decisions: [String], as moderator: TestHTTP
    ) async throws -> CopyrightNotice {
        let sent = try await claimant.send(.POST, notices, json: CopyrightFlowTests.notice(on: slug))
        try #require(sent.status == 201, "\(sent.text)")
        let notice = try sent.json(CopyrightNotice.self)
        for decision in decisions { try await decide(notice, decision, as: moderator) }
        return notice
    }

    private static func decide(_ notice: CopyrightNotice, _ decision: String, as moderator: TestHTTP) async throws {
        let answer = try await moderator.send(
            .POST, "\(notices)/\(notice.id)/decision",
            json: CopyrightDecisionRequest(decision: decision, message: "Looked at it."))
        try #require(answer.status == 200, "\(answer.text)")
    }

    @Test("each side takes along its own words and what the other sent it, and no more")
    func export() async throws {
        try await EnforcementScene.run { scene in
            let (ada, cora) = (try await scene.person("ada"), try await scene.person("cora"))
            let mod = try await scene.person("mod", role: .moderator)
            _ = try await scene.template("Sheet", by: ada.id)
            let notice = try await Self.notice(on: "sheet", by: cora.http, ["accept"], as: mod.http)
            let countered = try await ada.http.send(
                .POST, "\(Self.notices)/\(notice.id)/counter-notice", json: CopyrightFlowTests.counter)
            #expect(countered.status == 200, "\(countered.text)")
            func row(of person: TestHTTP) async throws -> JSONValue {
                let answer = try await person.get("\(Paths.base)/me/export")
                #expect(answer.status == 200, "\(answer.text)")
                return try #require(
                    try answer.json(JSONValue.self)["records"]?["copyright_notices"]?.items.first)
            }
            let (authors, claimants) = (try await row(of: ada.http), try await row(of: cora.http))
            for column in ["claimant_id", "email", "address", "phone", "signature"] {
                #expect(authors[column] == nil && claimants[column] != nil, "\(column)")
            }
            #expect(authors["work"]?.text == "My book, page 12." && authors["counter_signature"]?.text == "Ada Author")
            #expect(claimants["counter_signature"] == nil && claimants["counter_address"]?.text == "2 Side Street")
        }
    }

    @Test("a moderator's token that only reads sees no more of a notice than a stranger's")
    func scope() async throws {
        try await EnforcementScene.run { scene in
            let (ada, cora) = (try await scene.person("ada"), try await scene.person("cora"))
            let mod = try await scene.person("mod", role: .moderator)
            _ = try await scene.template("Sheet", by: ada.id)
            let notice = try await Self.notice(on: "sheet", by: cora.http, [], as: mod.http)
            let token = try await AccountService(accounts: scene.features.accounts).makeToken(
                name: "reads", scopes: [.read], for: mod.id)
            let path = "\(Self.notices)/\(notice.id)"
            #expect(try await scene.http.signedIn(token.token).get(path).status == 404)
            #expect(try await mod.http.get(path).json(CopyrightNotice.self).contact?.email == "cora@example.org")
        }
    }

    @Test("who is erased leaves nothing in notices that are over, and in others until they are")
    func erasure() async throws {
        try await EnforcementScene.run { scene in
            let (ada, cora) = (try await scene.person("ada"), try await scene.person("cora"))
            let mod = try await scene.person("mod", role: .moderator)
            for name in ["One", "Two"] { _ = try await scene.template(name, by: ada.id) }
            _ = try await Self.notice(on: "one", by: cora.http, ["reject"], as: mod.http)
            let standing = try await Self.notice(on: "two", by: cora.http, ["accept"], as: mod.http)
            let countered = try await ada.http.send(
                .POST, "\(Self.notices)/\(standing.id)/counter-notice", json: CopyrightFlowTests.counter)
            #expect(countered.status == 200, "\(countered.text)")
            let erasure = Erasure(community: scene.features.community)
            for handle in ["ada", "cora"] { try await erasure.erase(handle: handle, templates: .leave) }

            func rows(with words: [String]) async throws -> Int {
                try await scene.features.database.scalar(
                    """
                    SELECT count(*) FROM copyright_notices AS n
                    WHERE EXISTS (SELECT FROM unnest(\(words)::text[]) AS w WHERE strpos(n::text, w) > 0)
                    """)
            }
            let (coras, adas) = (
                ["Cora", "cora@", "Main Street", "555 0100", "book", "my page"],
                ["Ada", "Side Street", "555 0101", "drew"]
            )
            #expect(try await rows(with: coras) == 1)
            #expect(try await rows(with: adas) == 1)
            try await Self.decide(standing, "withdraw", as: mod.http)
            try await erasure.eraseDue()
            #expect(try await rows(with: coras + adas) == 0)
            let list = try await mod.http.get(Self.notices).json(CopyrightNoticeList.self)
            #expect(list.notices.map(\.name) == ["Former member", "Former member"])
        }
    }
}
