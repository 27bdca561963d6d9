// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketPlatform
import SheetCore
import TestSupport
import Testing

@testable import MarketAccounts
@testable import MarketCommunity

/// What `scripts/check-logs` holds: `make test` ends with it, over the logs of all tests.
@Suite("Secrets in the logs of a run are found")
struct LogSecretsTests {
    /// A folder as a run leaves it: a secret of each kind, and logs that hold none.
    private static func run(_ kinds: [SuiteLog.Kind] = SuiteLog.Kind.allCases, lines: Int = 1200) throws
        -> ScratchFolder
    {
        let folder = try ScratchFolder("logs")
        let secrets = kinds.map { "\($0.rawValue)\t\(secret($0))\n" }.joined()
        try Data(secrets.utf8).write(to: folder.url.appendingPathComponent("secrets"))
        let line = #"{"level":"info","message":"answered","path":"/api/v1/me","token_id":"0192"}"# + "\n"
        let own = String(repeating: line, count: lines)
        try Data(own.utf8).write(to: folder.url.appendingPathComponent("in-process.log"))
        for (name, count) in [("sheetmarket", 12), ("postgres", 2)] {
            for number in 0..<count {
                try Data(line.utf8).write(to: folder.url.appendingPathComponent("\(name)-\(number).log"))
            }
        }
        return folder
    }

    private static func secret(_ kind: SuiteLog.Kind) -> String {
        kind == .key ? Data(repeating: 9, count: 32).base64EncodedString() : "horse \"& ü\" of \(kind.rawValue)"
    }

    private static func check(_ folder: ScratchFolder, plant: String? = nil) async throws -> Command.Outcome {
        if let plant {
            let log = folder.url.appendingPathComponent("sheetmarket-3.log")
            try Data("{\"message\":\"before \(plant) behind\"}\n".utf8).write(to: log)
        }
        return try await Command.run(
            BuildProducts.root.appendingPathComponent("scripts/check-logs"), [folder.url.path])
    }

    @Test("a secret that a test made is found in any log, in plain and encoded", arguments: SuiteLog.Kind.allCases)
    func noted(kind: SuiteLog.Kind) async throws {
        let folder = try Self.run()
        let clean = try await Self.check(folder)
        #expect(clean.status == 0 && clean.output.contains("none of 13 secrets"), "\(clean.output)\(clean.errors)")
        let secret = Self.secret(kind)
        let quoted = try #require(secret.addingPercentEncoding(withAllowedCharacters: .unreserved))
        for spelling in [secret, secret.replacing("\"", with: "\\\""), quoted, Data(secret.utf8).base64EncodedString()]
        {
            let found = try await Self.check(folder, plant: spelling)
            #expect(found.status == 1, "\(spelling)")
            #expect(found.output.contains("sheetmarket-3.log:1: \(kind.rawValue) stands in a log"), "\(found.output)")
            #expect(!found.output.contains(spelling), "what was found is not shown")
        }
    }

    @Test(
        "what has the form of a secret is found, though nobody noted it",
        arguments: [
            ("a token", TokenSecret().text), ("a bearer token", "Bearer abcdefgh12345678"),
            ("a field with a credential", "Cookie: a=b"), ("a field with a credential", "authorization: Basic YTpi"),
            ("a private key", "-----BEGIN EC PRIVATE KEY-----"), ("a webhook's secret", WebhookSecret().text),
            ("a second factor", "otpauth://totp/Sheetmarket:ada?secret=A"),
            ("a password in an address", "postgresql://app:hunter2@db/market"),
            ("a password in a connection string", "host=db password=hunter2"),
        ])
    func formed(form: String, plant: String) async throws {
        let found = try await Self.check(try Self.run(), plant: plant)
        #expect(found.status == 1 && found.output.contains("what has the form of \(form) stands in a log"), "\(found)")
        #expect(!found.output.contains(plant))
    }

    @Test("what was taken out of a line, and words that only look like a token, are nothing")
    func harmless() async throws {
        let word = "smk_" + String(repeating: "a", count: 48)
        for plant in ["Bearer [redacted] \(word)", "Cookie: [redacted]", "postgresql://app:[redacted]@db/market"] {
            let outcome = try await Self.check(try Self.run(), plant: plant)
            #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
        }
    }

    @Test("a run that left too little fails, whatever it holds")
    func tooLittle() async throws {
        for kind in SuiteLog.Kind.allCases {
            let outcome = try await Self.check(try Self.run(SuiteLog.Kind.allCases.filter { $0 != kind }))
            #expect(outcome.status == 1 && outcome.output.contains("no secret of the kind \(kind.rawValue) was noted"))
        }
        let quiet = try await Self.check(try Self.run(lines: 3))
        #expect(quiet.status == 1 && quiet.output.contains("logged 3 lines"))
        let folder = try Self.run()
        try FileManager.default.removeItem(at: folder.url.appendingPathComponent("postgres-0.log"))
        #expect(try await Self.check(folder).output.contains("there are 1 logs postgres-*.log"))
        #expect(try await Self.check(try ScratchFolder("empty")).status == 1)
    }

    @Test("`run` fails when the command fails, and when what it logged holds a secret")
    func run() async throws {
        let folder = try Self.run()
        let script = BuildProducts.root.appendingPathComponent("scripts/check-logs")
        func outcome(_ more: String) async throws -> Command.Outcome {
            let command = "cp '\(folder.url.path)'/* \"$SHEETMARKET_TEST_LOGS\"; \(more)"
            return try await Command.run(script, ["run", "/bin/sh", "-c", command])
        }
        #expect(try await outcome("true").status == 0)
        #expect(try await outcome("exit 3").status == 3)
        let leak = try await outcome(
            "printf 'x %s\\n' \"$(cut -f 2 \"$SHEETMARKET_TEST_LOGS/secrets\" | head -n 1)\" >> \"$SHEETMARKET_TEST_LOGS/in-process.log\""
        )
        #expect(leak.status == 1 && leak.output.contains("in-process.log:1201: password stands in a log"))
        let kept = try #require(leak.output.firstMatch(of: /kept in (\/\S*\/sm-logs-\w+)/))
        try FileManager.default.removeItem(atPath: String(kept.1))
    }
}
