// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketAPI
import MarketAccounts
import MarketWire
import ModerationService
import SheetCore
import TestSupport
import Testing

@testable import MarketContract

/// As whom schemathesis calls.
enum ContractCaller: String, CaseIterable, Sendable {
    case nobody, user, moderator
}

@Suite("The contract, tried out by schemathesis")
struct ContractFuzzTests {
    /// Nothing is refused for having been tried too often.
    private static let limits: MarketLimits = {
        var limits = MarketLimits()
        limits.accounts.signInFailures = 1_000_000
        limits.moderation.reportsPerDay = 1_000_000
        return limits
    }()

    @Test(
        "What the contract allows is answered as it says, and what it forbids is refused",
        arguments: ContractCaller.allCases)
    func everyCall(caller: ContractCaller) async throws {
        let program = BuildProducts.root.appendingPathComponent(".venv/bin/schemathesis")
        try #require(
            FileManager.default.isExecutableFile(atPath: program.path), "\(program.path) is missing: run 'make setup'")
        try await withMarket(workers: 1, limits: Self.limits) { market in
            let calls = ContractCall.all(in: try await market.http.get("/openapi.json").json(JSONValue.self))
            let fromSessions = caller == .nobody ? [] : calls.filter(\.isForSessions)
            let scene = try await ContractScene.set(in: market, for: caller, sessionCalls: fromSessions.map(\.name))
            // Sessions first: what they ask to be confirmed was confirmed when they were made.
            for isInBrowser in caller == .nobody ? [false] : [true, false] {
                let folder = try ScratchFolder("contract")
                let made = calls.filter { caller == .nobody || $0.isForSessions == isInBrowser }
                let configuration = try scene.configuration(for: caller, calls, making: made, in: folder.url)
                // It leaves notes in the folder it runs in.
                let outcome = try await Command.run(
                    URL(fileURLWithPath: "/usr/bin/env"),
                    [
                        "--chdir", folder.url.path, program.path, "--config-file", configuration.path, "run",
                        "\(market.http.base)/openapi.json", "--checks", "all", "--no-color",
                        // How long an answer takes says how busy this machine is.
                        "--max-response-time", "600",
                    ])
                #expect(outcome.status == 0, "\(outcome.output.suffix(20_000))\n\(outcome.errors.suffix(2000))")
                #expect(outcome.output.contains("Tested: \(made.count)\n"), "\(outcome.output.suffix(2000))")
            }
            let alive = try await market.http.get("/readyz")
            #expect(alive.status == 200)
        }
    }

    @Test("What may be answered to what the contract allows is told for each call, and is not much")
    func narrow() async throws {
        try await withMarket { market in
            let calls = ContractCall.all(in: try await market.http.get("/openapi.json").json(JSONValue.self))
            #expect(calls.filter(\.isForSessions).count > 15 && calls.count > 100)
            for name in ContractCall.exceptions.values.flatMap({ $0 }) {
                #expect(calls.contains { $0.name == name }, "\(name) is no call")
            }
            for call in calls {
                for caller in ContractCaller.allCases {
                    let taken = call.accepted(from: caller)
                    #expect(!taken.contains { $0.hasPrefix("\"5") || $0.hasPrefix("5") }, "\(call.name)")
                    if caller == .moderator { #expect(taken.contains("\"2xx\""), "\(call.name)") }
                }
            }
            let edit = try #require(calls.first { $0.name == "editTemplate" })
            #expect(edit.accepted(from: .nobody) == ["401"] && !edit.accepted(from: .user).contains("403"))
            let queue = try #require(calls.first { $0.name == "listCases" })
            #expect(queue.accepted(from: .user) == ["403"])
        }
    }
}

/// A call as the contract tells of it.
struct ContractCall: Sendable {
    let name: String
    /// The lowest role that may make it.
    let role: String
    /// Whether no token will do, or it does more in a browser.
    let isForSessions: Bool
    private let hasScope: Bool
    private let hasCursor: Bool
    private let statuses: Set<Int>
    /// Why it may be forbidden.
    private let forbidden: Set<String>

    static func all(in document: JSONValue) -> [ContractCall] {
        (document["paths"]?.members ?? [:]).values.flatMap { $0.members.values.map(ContractCall.init) }
            .sorted { $0.name < $1.name }
    }

    private init(_ operation: JSONValue) {
        name = operation["operationId"]?.text ?? ""
        role = operation["x-roles"]?.texts.first ?? ""
        let ways = operation["security"]?.items ?? []
        let sessionOnly = !ways.isEmpty && ways.allSatisfy { $0.members["session"] != nil }
        isForSessions = sessionOnly || name == "makeToken" || name == "signOut"
        hasScope = operation["x-scope"] != nil
        hasCursor = operation["parameters"]?.items.contains { $0["$ref"]?.text?.hasSuffix("/cursor") == true } ?? false
        let answers = operation["responses"]?.members ?? [:]
        statuses = Set(answers.keys.compactMap { Int($0) })
        let schema = answers["403"]?["content"]?["application/problem+json"]?["schema"]
        forbidden = Set(schema?["allOf"]?.items.last?["properties"]?["code"]?["enum"]?.texts ?? [])
    }

    /// What a schema cannot say, and a caller who may make the call is told in these ways: whose thing it is, what
    /// became of it meanwhile, what else must hold. Where the contract names them, they may always be answered.
    private static let always = [404, 409, 410, 412, 416, 422]

    /// These only here.
    static let exceptions: [Int: Set<String>] = [
        // A cursor is one of ours or it is none (see `hasCursor`); a multipart body may be ill-formed in its parts'
        // heads.
        400: ["listChanges", "uploadTemplate", "uploadVersion"],
        // Passwords and codes are not guessed; and a token that has revoked itself is none any more.
        401: ["signIn", "makeToken", "confirmSession", "activateSecondFactor", "revokeToken"],
        // The address is not signed; somebody else is invited; authors have no say on their own; somebody else's
        // decision; what covers everybody's is for administrators.
        403: [
            "getFile", "acceptInvitation", "declineInvitation", "voteOnReview", "putReview", "appeal", "createWebhook",
        ],
        // E-mails are counted by account and by address, and no setting lets more of them out.
        429: ["forgotPassword", "changeEmail", "resendVerification"],
    ]

    /// What moderators do not decide: what is about their own work.
    private static let aboutOthers: Set<String> = [
        "decideCopyrightNotice", "claimCase", "releaseCase", "decideCase", "confirmDecision", "declineDecision",
        "sendMessage", "addNote", "imposeSanction", "liftSanction",
    ]

    /// The statuses that may answer a request which fits the schemas, as TOML. None of the server's own faults is among
    /// them; and who may not make the call hears that, and nothing else.
    func accepted(from caller: ContractCaller) -> [String] {
        let mayCall =
            switch role {
            case "anyone": true
            case "user": caller != .nobody
            default: role == caller.rawValue
            }
        guard mayCall else { return [caller == .nobody ? "401" : "403"] }
        var taken = Self.always.filter(statuses.contains)
        for (status, names) in Self.exceptions where names.contains(name) && statuses.contains(status) {
            taken.append(status)
        }
        if hasCursor { taken.append(400) }
        // A moderator finds what belongs to others on moderation, and tries to change it.
        let triesOthers = caller == .moderator && role == "user" && hasScope && forbidden.contains("forbidden")
        if triesOthers || caller == .moderator && Self.aboutOthers.contains(name) { taken.append(403) }
        return ["\"2xx\"", "\"3xx\""] + Set(taken).sorted().map { "\($0)" }
    }
}

extension ContractScene {
    /// Writes down how schemathesis shall make these calls, and leave out the others; returns the file.
    func configuration(
        for caller: ContractCaller, _ calls: [ContractCall], making made: [ContractCall], in folder: URL
    ) throws -> URL {
        let sources = BuildProducts.root.appendingPathComponent("Tests/Contract")
        let hooks = folder.appendingPathComponent("fresh_keys.py")
        try FileManager.default.copyItem(at: sources.appendingPathComponent("fresh_keys.py"), to: hooks)
        var text = try String(contentsOf: sources.appendingPathComponent("schemathesis.toml"), encoding: .utf8)
        for (name, value) in values { text = text.replacing("@\(name)@", with: value) }
        text = text.replacing("@HOOKS@", with: hooks.path)
        let names = Set(made.map(\.name))
        // Beside those of the calls: without them it knows no calls without a credential.
        if caller != .nobody, let call = made.first { text += "\n[headers]\n\(credential(for: call, between: "\n"))\n" }
        for call in calls {
            text += "\n[[operations]]\ninclude-operation-id = \"\(call.name)\"\n"
            guard names.contains(call.name) else {
                text += "enabled = false\n"
                continue
            }
            let accepted = call.accepted(from: caller).joined(separator: ", ")
            text += "checks.positive_data_acceptance.expected-statuses = [\(accepted)]\n"
            guard caller != .nobody else { continue }
            text += "headers = { \(credential(for: call, between: ", ")) }\n"
        }
        let file = folder.appendingPathComponent("schemathesis.toml")
        try Data(text.utf8).write(to: file)
        return file
    }

    /// Within a run all calls have the same header fields: schemathesis sends those that one call has with the others,
    /// too.
    private func credential(for call: ContractCall, between separator: String) -> String {
        guard call.isForSessions, let cookie = cookies[call.name] else {
            return "Authorization = \"Bearer \(call.name == "revokeToken" ? spare : token)\""
        }
        return "Cookie = \"\(cookie)\"\(separator)Sec-Fetch-Site = \"same-origin\""
    }
}
