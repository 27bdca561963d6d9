// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketAPI
import SheetCore
import TestSupport
import Testing

@testable import MarketContract

/// What clients of some day were told must go on holding: `Tests/Fixtures/contract` has the contract as servers told it then.
/// The files are never edited, only added.
@Suite("Contracts of other days")
struct ContractHistoryTests {
    private static let folder = BuildProducts.root.appendingPathComponent("Tests/Fixtures/contract")

    /// Lists of words that were told to be open in words alone, before contracts had a mark for that.
    private static let toldOpen = ["2026-11-22.json": ["TokenScope"]]

    private static func contract(_ file: String) throws -> JSONValue {
        let data = try Data(contentsOf: folder.appendingPathComponent(file))
        let told = try JSONDecoder().decode(JSONValue.self, from: data)
        return (toldOpen[file] ?? []).reduce(told) { $0.with(true, at: schema($1, "x-open")[...]) }
    }

    @Test("Today's contract keeps what each of them told")
    func kept() async throws {
        let files = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path).sorted()
        #expect(files.contains("2026-11-22.json"))
        try await withMarket { market in
            let now = try await market.http.get("/openapi.json").json(JSONValue.self)
            for file in files {
                let then = try Self.contract(file)
                #expect((then["paths"]?.members ?? [:]).count > 50, "\(file)")
                #expect(ContractHistory(then: then, now: now).faults() == [], "\(file)")
            }
        }
    }

    private static let systems = "/api/v1/game-systems"
    private static let login = "/api/v1/auth/login"

    private static func schema(_ name: String, _ rest: String...) -> [String] {
        ["components", "schemas", name] + rest
    }

    @Test("What would break a client of that day is noticed")
    func broken() throws {
        let then = try Self.contract("2026-11-22.json")
        let text: JSONValue = ["type": "string"]
        let answer = ["paths", Self.systems, "get", "responses", "200"]
        let changes: [(at: [String], to: JSONValue?, fault: String)] = [
            (["paths", Self.systems], nil, "get \(Self.systems): is gone"),
            (["paths", Self.systems, "get"], nil, "get \(Self.systems): is gone"),
            (answer, nil, "get \(Self.systems) 200: is gone"),
            (answer + ["content", "application/json"], nil, "get \(Self.systems) 200 application/json: is gone"),
            (["components", "headers", "ETag", "required"], false, "get \(Self.systems) 200 ETag: may be absent now"),
            (
                Self.schema("GameSystem", "required"), ["slug", "aliases", "templateCount"],
                "get \(Self.systems) 200/gameSystems/[]/name: may be absent now"
            ),
            (
                Self.schema("GameSystem", "properties", "publisher"), nil,
                "get \(Self.systems) 200/gameSystems/[]/publisher: is gone"
            ),
            (
                Self.schema("GameSystem", "properties", "aliases", "items"), ["type": "integer"],
                "get \(Self.systems) 200/gameSystems/[]/aliases/[]: was [\"string\"], is [\"integer\"]"
            ),
            (
                Self.schema("GameSystem", "properties", "name", "type"), ["string", "null"],
                "get \(Self.systems) 200/gameSystems/[]/name: was [\"string\"], is [\"null\", \"string\"]"
            ),
            (
                Self.schema("LoginRequest", "required"), ["login", "password", "device"],
                "post \(Self.login) body/device: is required now"
            ),
            (
                Self.schema("LoginRequest", "properties", "login", "type"), "integer",
                "post \(Self.login) body/login: was [\"string\"], is [\"integer\"]"
            ),
            (
                Self.schema("LoginRequest", "properties", "login", "enum"), ["ada"],
                "post \(Self.login) body/login: words that were taken are not"
            ),
            (
                ["paths", Self.systems, "get", "parameters"],
                [["in": "query", "name": "page", "required": true, "schema": text]],
                "get \(Self.systems) query page: is required now"
            ),
            (["paths", Self.login, "post", "parameters"], [], "post \(Self.login) header Idempotency-Key: is gone"),
            (
                ["paths", Self.systems, "get", "security"], [["session": []]],
                "get \(Self.systems): takes [\"bearer\"] no more as it did"
            ),
        ]
        for change in changes {
            let now = then.with(change.to, at: change.at[...])
            let faults = ContractHistory(then: then, now: now).faults()
            #expect(faults.contains(change.fault), "\(change.at): \(faults.prefix(3))")
        }
    }

    @Test("Words are kept in requests and in answers, and only open lists of answers get more")
    func words() throws {
        let then = try Self.contract("2026-11-22.json")
        let role = Self.schema("Account", "properties", "role", "enum")
        let state = Self.schema("VersionDetail", "properties", "state")
        let scopes = Self.schema("TokenScope", "enum")
        let known = then["components"]?["schemas"]?["TokenScope"]?["enum"]?.items ?? []
        #expect(known.count > 5)
        let account = "get /api/v1/me 200/role"
        let version = "get /api/v1/templates/{id}/versions/{v} 200/state"
        let replayed = ["components", "headers", "Idempotency-Replayed", "schema", "enum"]
        let changes: [(at: [String], to: JSONValue?, fault: String?)] = [
            (role, ["user", "moderator", "administrator", "curator"], "\(account): new words [\"curator\"]"),
            (role, ["user", "moderator"], "\(account): no more words [\"administrator\"]"),
            (role, nil, "\(account): any word may come now"),
            (state + ["enum"], nil, "\(version): any word may come now"),
            (replayed, ["true", "false"], "post \(Self.login) 200 Idempotency-Replayed: new words [\"false\"]"),
            // What a request takes and an answer tells is bound from both sides.
            (
                Self.schema("ReleaseChannel", "enum"), ["stable", "beta", "alpha"],
                "get /api/v1/templates/{id}/versions/{v} 200/channel: new words [\"alpha\"]"
            ),
            (
                Self.schema("ReleaseChannel", "enum"), ["stable"],
                "put /api/v1/templates/{id}/versions/{v}/channel body/channel: words that were taken are not"
            ),
            // Scopes are open.
            (scopes, .array(known + ["of_tomorrow"]), nil),
            (
                scopes, .array(Array(known.dropLast())),
                "post /api/v1/auth/tokens body/scopes/[]: words that were taken are not"
            ),
            // A request may take more.
            (Self.schema("SanctionRequest", "properties", "kind", "enum"), ["warn", "suspend", "ban", "mute"], nil),
        ]
        for change in changes {
            let now = then.with(change.to, at: change.at[...])
            let faults = ContractHistory(then: then, now: now).faults()
            if let fault = change.fault {
                #expect(faults.contains(fault), "\(change.at): \(faults.prefix(3))")
            } else {
                #expect(now != then && faults == [], "\(change.at)")
            }
        }
    }

    @Test("What is only added is not")
    func added() throws {
        let then = try Self.contract("2026-11-22.json")
        let text: JSONValue = ["type": "string"]
        var now = then.with(then["paths"]?[Self.systems], at: ["paths", "/api/v1/new"])
        now = now.with(text, at: Self.schema("GameSystem", "properties", "motto")[...])
        let required: JSONValue = ["slug", "name", "aliases", "templateCount", "motto"]
        now = now.with(required, at: Self.schema("GameSystem", "required")[...])
        now = now.with(text, at: Self.schema("LoginRequest", "properties", "device")[...])
        now = now.with(["string", "null"], at: Self.schema("LoginRequest", "properties", "login", "type")[...])
        now = now.with(["login"], at: Self.schema("LoginRequest", "required")[...])
        now = now.with([[:], ["bearer": []], ["session": []]], at: ["paths", Self.systems, "get", "security"])
        #expect(now != then && ContractHistory(then: then, now: now).faults() == [])
    }
}

extension JSONValue {
    /// The same with another value at a place, or with none.
    fileprivate func with(_ value: JSONValue?, at place: ArraySlice<String>) -> JSONValue {
        guard let name = place.first else { return self }
        var copy = self
        copy[name] = place.count == 1 ? value : (self[name] ?? [:]).with(value, at: place.dropFirst())
        return copy
    }
}
