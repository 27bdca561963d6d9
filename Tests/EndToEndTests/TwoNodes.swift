// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketWire
import NIOHTTP1
import TestSupport
import Testing

/// Two servers and a worker on one database and one storage folder, replaced one by one as behind a proxy.
actor TwoNodes {
    static let program = BuildProducts.executable("sheetmarket")

    private let common: [String: String]
    private var servers: [ChildProgram?] = [nil, nil]
    private var worker: ChildProgram?
    private(set) var doors: [TestHTTP] = [TestHTTP(base: ""), TestHTTP(base: "")]

    /// Nothing runs yet; `environment` is what never changes.
    init(environment: [String: String]) {
        // Whatever else the machine has to do is no fault of theirs.
        let calm = [
            "SHEETMARKET_DB_POOL_TIMEOUT": "60s", "SHEETMARKET_READER_CPU": "120", "SHEETMARKET_READER_TIMEOUT": "300",
        ]
        common = calm.merging(environment) { $1 }
    }

    /// The doors behind which somebody is.
    var open: [TestHTTP] { zip(doors, servers).compactMap { $1 == nil ? nil : $0 } }

    /// Ends the server and starts it with these keys. The proxy hears of it first.
    func restart(server index: Int, keys: [String: String]) async throws {
        if let old = servers[index] {
            servers[index] = nil
            try await end(old)
        }
        let server = try ChildProgram(Self.program, ["serve"], environment: common.merging(keys) { $1 })
        let line = try #require(await server.line(within: 600) { $0.hasPrefix("ready ") }, "\(server.errors)")
        doors[index] = TestHTTP(base: String(line.dropFirst("ready ".count)))
        servers[index] = server
    }

    /// The same with the worker.
    func restartWorker(keys: [String: String]) async throws {
        if let worker { try await end(worker) }
        worker = try ChildProgram(Self.program, ["work"], environment: common.merging(keys) { $1 })
    }

    /// Runs a command of the operator's.
    func operate(_ arguments: [String], keys: [String: String] = [:]) async throws -> Command.Outcome {
        try await Command.run(Self.program, arguments, environment: common.merging(keys) { $1 })
    }

    private func end(_ child: ChildProgram) async throws {
        child.signal(SIGTERM)
        let status = await child.waitForExit()
        try #require(status == 0, "\(child.errors.suffix(2000))")
    }

    func stop() async throws {
        for child in servers.compactMap({ $0 }) + [worker].compactMap({ $0 }) { try await end(child) }
        servers = [nil, nil]
        worker = nil
    }

    /// Asks one question after the other until it is cancelled, of whichever door is open; a door that closes on it is
    /// no failure, for the proxy asks the next. Returns how many were answered, and what went wrong.
    nonisolated func askOn(_ path: String, headers: [(String, String)]) async -> (answered: Int, faults: [String]) {
        var answered = 0
        var faults: [String] = []
        while !Task.isCancelled {
            var status: Int?
            for door in await open.shuffled() where status == nil {
                status = try? await door.get(path, headers: headers).status
            }
            if Task.isCancelled { break }
            if status == 200 { answered += 1 } else { faults.append(status.map { "\($0)" } ?? "nobody answered") }
            try? await Task.sleep(for: .milliseconds(10))
        }
        return (answered, faults)
    }
}
