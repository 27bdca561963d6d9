// SPDX-License-Identifier: Apache-2.0
import ChildProcess
import Foundation
import MarketClient
import Testing

/// `Tests/Servers/proxy.py`, as long as the test runs.
///
/// `@unchecked Sendable`: nothing of it changes.
private final class RunningProxy: @unchecked Sendable {
    private let process = Process()
    private let log: URL
    let port: Int

    init(_ scratch: Scratch, user: String? = nil, isSocks: Bool = false) async throws {
        log = URL(fileURLWithPath: "\(scratch.path)/proxy-\(UUID().uuidString).log")
        try Data().write(to: log)
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Servers/proxy.py")
        process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
        process.arguments = [script.path] + (user.map { ["--user", $0] } ?? []) + (isSocks ? ["--socks"] : [])
        process.standardOutput = try FileHandle(forWritingTo: log)
        // Whoever waits for the end of the tests' own output would wait for the proxy's.
        process.standardError = FileHandle.nullDevice
        try process.start()
        var port: Int?
        for _ in 0..<1500 where port == nil {
            try await Task.sleep(for: .milliseconds(20))
            let text = try String(contentsOf: log, encoding: .utf8)
            if text.hasSuffix("\n") { port = text.split(separator: "\n").first.flatMap { Int($0) } }
        }
        self.port = try #require(port)
    }

    deinit { kill(process.processIdentifier, SIGKILL) }

    /// What it was asked for.
    var asked: [String] {
        get throws { try String(contentsOf: log, encoding: .utf8).split(separator: "\n").dropFirst().map(String.init) }
    }
}

@Suite("Proxies")
struct ProxyTests {
    private func sheets(
        _ words: String..., in scratch: Scratch, server: String, _ environment: [String: String]
    ) async throws -> CommandLineRun {
        try await CommandLineRun.start(words, in: scratch, server: server, environment: environment).end()
    }

    @Test("what http_proxy names carries everything, with the credentials that are in it; no_proxy makes exceptions")
    func http() async throws {
        let scratch = try Scratch()
        let proxy = try await RunningProxy(scratch, user: "ada:secret")
        try await withStub(SampleSheet().market()) { server in
            // A name that only the proxy knows.
            let market = "http://market.test:\(server.port)"
            let address = "http://ada:secret@127.0.0.1:\(proxy.port)"
            let run = try await sheets(
                "install", "quest-sheet", in: scratch, server: market, ["http_proxy": address])
            let told = "Installed quest-sheet 1.0.0; its bytes are as the market said, which signs nothing.\n"
            #expect(run.status == 0 && run.output == told, "\(run)")
            let asked = try proxy.asked
            #expect(asked.contains { $0.hasPrefix("CONNECT market.test:\(server.port) Basic ") }, "\(asked)")

            let refused = try await sheets(
                "show", "quest-sheet", in: try Scratch(), server: market,
                ["http_proxy": "http://127.0.0.1:\(proxy.port)"])
            #expect(refused.status != 0)
            let excepted = try await sheets(
                "show", "quest-sheet", in: try Scratch(), server: market,
                ["http_proxy": address, "no_proxy": "example.org,.test"])
            #expect(excepted.status == 4, "\(excepted)")
            let count = try proxy.asked.count
            let local = try await sheets(
                "show", "quest-sheet", in: try Scratch(), server: server.url, ["http_proxy": address])
            #expect(local.status == 0)
            #expect(try proxy.asked.count == count, "this machine is asked directly")
        }
        let away = try await sheets(
            "search", in: scratch, server: "http://market.test", ["http_proxy": "http://127.0.0.1:1"])
        #expect(away.status == 4 && away.errors.contains("through the proxy 127.0.0.1:1"), "\(away)")
    }

    @Test("https goes through it by CONNECT, so that it cannot read along")
    func https() async throws {
        let scratch = try Scratch()
        let proxy = try await RunningProxy(scratch)
        // The server behind it speaks no TLS: what matters is that nothing but the name of the server was told.
        try await withStub(SampleSheet().market()) { server in
            let market = "https://market.test:\(server.port)"
            let run = try await sheets(
                "search", in: scratch, server: market, ["HTTPS_PROXY": "127.0.0.1:\(proxy.port)"])
            #expect(run.status == 4)
            #expect(server.seen().isEmpty)
            let asked = try proxy.asked
            #expect(!asked.isEmpty && asked.allSatisfy { $0 == "CONNECT market.test:\(server.port) -" }, "\(asked)")
        }
    }

    @Test("a proxy of SOCKS is told the server's name and looks that up; what it cannot do is said")
    func socks() async throws {
        let scratch = try Scratch()
        let proxy = try await RunningProxy(scratch, isSocks: true)
        let address = "socks5h://127.0.0.1:\(proxy.port)"
        try await withStub(SampleSheet().market()) { server in
            // A name that only the proxy knows.
            let run = try await sheets(
                "install", "quest-sheet", in: scratch, server: "http://market.test:\(server.port)",
                ["all_proxy": address])
            #expect(run.status == 0 && run.output.hasPrefix("Installed quest-sheet 1.0.0"), "\(run)")
            #expect(try await scratch.library.verify().ok)
            // The server speaks no TLS: what matters is that the proxy gets no more than its name.
            let seen = server.seen().count
            let encrypted = try await sheets(
                "search", in: scratch, server: "https://market.test:\(server.port)", ["ALL_PROXY": address])
            #expect(encrypted.status == 4 && server.seen().count == seen, "\(encrypted)")
            let asked = try proxy.asked
            #expect(asked.allSatisfy { $0 == "SOCKS 1 market.test:\(server.port) by name" }, "\(asked)")
            #expect(asked.count > 1)
        }
        let away = try await sheets(
            "search", in: scratch, server: "http://market.test:1", ["http_proxy": address])
        let told = "the proxy cannot connect to it (through the proxy 127.0.0.1:\(proxy.port))"
        #expect(away.status == 4 && away.errors.contains(told), "\(away)")
        let strict = try await RunningProxy(scratch, user: "ada:secret", isSocks: true)
        let refused = try await sheets(
            "search", in: scratch, server: "http://market.test", ["http_proxy": "socks5://127.0.0.1:\(strict.port)"])
        #expect(refused.status == 4 && refused.errors.contains("the proxy wants a sign-in"), "\(refused)")
    }

    @Test("a proxy that cannot be used is refused with what to do, and nobody is asked past it")
    func unusable() async throws {
        let scratch = try Scratch()
        let proxy = try await RunningProxy(scratch)
        for (name, scheme) in [("ALL_PROXY", "https://"), ("http_proxy", "socks5://ada:secret@")] {
            let run = try await sheets(
                "install", "quest-sheet", in: scratch, server: "http://market.test",
                [name: "\(scheme)127.0.0.1:\(proxy.port)"])
            let told = "\(name) names a proxy that cannot be used. Set it to http://HOST:PORT"
            #expect(run.status == 1 && run.errors.contains(told), "\(run)")
            #expect(run.errors.contains("name the market in no_proxy.") && !run.errors.contains("secret"), "\(run)")
        }
        #expect(try proxy.asked == [])
    }

    @Test("the environment is read as curl reads it")
    func settings() throws {
        func proxy(_ environment: [String: String], _ address: String) throws -> ProxySettings.Proxy? {
            let url = try #require(URL(string: address))
            return try ProxySettings(environment: environment).proxy(for: url)
        }
        let all = ["http_proxy": "p:3128", "https_proxy": "http://u:w@q", "no_proxy": "a.example, .b.example,c:8080"]
        let first = try #require(try proxy(all, "http://m.example"))
        #expect(first.host == "p" && first.port == 3128 && first.user == nil && first.kind == .http)
        let second = try #require(try proxy(all, "https://m.example"))
        #expect(second.host == "q" && second.port == 80 && second.user == "u" && second.password == "w")
        for direct in ["a.example", "x.a.example", "b.example", "x.b.example", "c:8080", "localhost", "127.0.0.9"] {
            #expect(try proxy(all, "http://\(direct)/x") == nil, "\(direct)")
        }
        for carried in ["aa.example", "c", "c:80", "127.example"] {
            #expect(try proxy(all, "http://\(carried)/x") != nil, "\(carried)")
        }
        #expect(try proxy(["all_proxy": "socks5://s"], "https://m.example")?.kind == .socks)
        #expect(try proxy(["all_proxy": "socks5://s"], "https://m.example")?.port == 1080)
        // A web server's CGI takes it from a header.
        #expect(try proxy(["HTTP_PROXY": "p:1"], "http://m.example") == nil)
        #expect(try proxy(["http_proxy": "p:1", "no_proxy": "*"], "http://m.example") == nil)
        for unusable in ["https://p", "ftp://p", "socks4://p", "socks5://u:secret@p", "http://"] {
            let error = #expect(throws: MarketClientError.self) {
                try proxy(["http_proxy": unusable], "http://m.example")
            }
            #expect(error?.isOutage == false && error?.description.contains("secret") == false)
            #expect(try proxy(["http_proxy": unusable, "no_proxy": "m.example"], "http://m.example") == nil)
            #expect(try proxy(["http_proxy": unusable], "http://127.0.0.1") == nil)
            #expect(try proxy(["http_proxy": unusable], "https://m.example") == nil)
        }
    }
}
