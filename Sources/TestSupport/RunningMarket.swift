// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import MarketWire
import NIOHTTP1
import Postgres
import PostgresCluster
import SheetCore

/// A whole marketplace as an operator starts it: `sheetmarket up`, a process of its own on a folder of its own.
package final class RunningMarket: Sendable {
    package let data: URL
    /// `http://127.0.0.1:PORT`.
    package let base: String
    /// The administrator's token.
    package let administratorToken: String
    private let child: ChildProgram

    /// What went wrong at the start.
    package struct StartFailure: Error, CustomStringConvertible {
        /// What the program printed.
        package let description: String
    }

    /// Starts on `data` and waits for the line `ready`. A folder that is not there yet begins as a copy of one where `up`
    /// was started and stopped before, unless the test is about a first start.
    package init(
        data: URL, examples: Bool = false, environment: [String: String] = [:], listen: String = "127.0.0.1:0",
        isFirstStart: Bool = false
    ) async throws {
        if !isFirstStart {
            try await (examples ? PreparedData.withExamples : .shared).copy(to: data) { folder in
                let market = try await RunningMarket(data: folder, examples: examples, isFirstStart: true)
                if examples { try await market.waitForExamples() }
                return await market.stop()
            }
        }
        let arguments = ["up", "--data", data.path, "--listen", listen] + (examples ? [] : ["--no-examples"])
        let child = try ChildProgram(
            BuildProducts.executable("sheetmarket"), arguments,
            // Tests make more calls from one address than anybody should, and read sheets with a debug build beside
            // others, on machines that may be too busy to serve them at once.
            environment: [
                "SHEETMARKET_DB_POOL_TIMEOUT": "60s",
                "SHEETMARKET_READER_CPU": "120", "SHEETMARKET_READER_TIMEOUT": "300",
                "SHEETMARKET_LIMIT_ADDRESS": "1000000/1s", "SHEETMARKET_LIMIT_ACCOUNT": "1000000/1s",
                "SHEETMARKET_LIMIT_INVALID_CREDENTIALS": "1000000/1s",
            ].merging(environment) { _, given in given })
        guard let line = await child.line(within: 600, where: { $0.hasPrefix("ready ") }) else {
            child.signal(SIGKILL)
            await child.waitForExit()
            throw StartFailure(description: "no 'ready': \(child.output)\n\(child.errors)")
        }
        self.child = child
        self.data = data
        base = String(line.dropFirst("ready ".count))
        administratorToken = try String(contentsOf: data.appendingPathComponent("admin-token"), encoding: .utf8)
            .trimmingCharacters(in: .whitespacesAndNewlines)
        SuiteLog.note(data: data, isOver: false)
    }

    /// Until every example is on offer, and whatever is to be drawn of them is drawn.
    private func waitForExamples() async throws {
        let sheets = BuildProducts.root.appendingPathComponent("examples/sheets").path
        let count = try FileManager.default.contentsOfDirectory(atPath: sheets).count { $0.hasSuffix(".pdf") }
        let areOffered = try await eventually {
            guard
                try await http.get("\(Paths.base)/templates?limit=100").json(TemplateList.self).templates.count >= count
            else { return false }
            // Two collections of them come last.
            return try await http.get("\(Paths.base)/collections").json(CollectionList.self).collections.count >= 2
        }
        guard areOffered else { throw StartFailure(description: "the examples do not come: \(log)") }
        try await waitUntilIdle()
    }

    /// Until no job waits or runs.
    private func waitUntilIdle() async throws {
        let isIdle = try await eventually {
            let metrics = try await http.get("/metrics").text
            return ["ready", "running"].allSatisfy { metrics.contains("sheetmarket_queue_jobs{state=\"\($0)\"} 0\n") }
        }
        guard isIdle else { throw StartFailure(description: "jobs do not end: \(log)") }
    }

    /// HTTP towards it, as nobody.
    package var http: TestHTTP { TestHTTP(base: base) }
    /// HTTP towards it, as the administrator.
    package var administrator: TestHTTP { TestHTTP(base: base, token: administratorToken) }
    /// What it logged so far.
    package var log: String { child.errors }
    /// What it printed so far.
    package var output: String { child.output }
    package var processID: Int32 { child.processID }

    /// Ends it as an operator does, and returns the exit status.
    @discardableResult package func stop() async -> Int32 {
        child.signal(SIGTERM)
        let status = await child.waitForExit()
        SuiteLog.note(data: data, isOver: true)
        return status
    }

    /// `kill -9` of the server and of its readers; its PostgreSQL goes on unless `database` is killed too.
    package func kill(database: Bool) async {
        let postmaster = database ? postmasterID : nil
        child.signal(SIGKILL)
        if let postmaster { _ = Glibc.kill(postmaster, SIGKILL) }
        await child.waitForExit()
        SuiteLog.note(data: data, isOver: true)
    }

    /// PostgreSQL's own process.
    package var postmasterID: Int32? {
        let folders = FileManager.default.enumerator(at: data, includingPropertiesForKeys: nil)
        while let file = folders?.nextObject() as? URL {
            // A database that ends meanwhile takes its file away.
            guard file.lastPathComponent == "postmaster.pid",
                let first = try? String(contentsOf: file, encoding: .utf8).split(separator: "\n").first
            else { continue }
            return Int32(first)
        }
        return nil
    }

    /// The password of whom `person` registers.
    package static func password(of handle: String) -> String { "correct horse battery \(handle)" }

    /// Registers a person and gives them a token with every scope of their role.
    package func person(_ handle: String, role: UserRole = .user) async throws -> TestHTTP {
        let password = Self.password(of: handle)
        let account = try await http.send(
            json: RegisterRequest(handle: handle, email: "\(handle)@example.org", password: password),
            to: "/auth/register")
        guard account.status == 201 else { throw StartFailure(description: "register: \(account.text)") }
        if role != .user {
            let outcome = try await Command.run(
                BuildProducts.executable("sheetmarket"),
                ["admin", "user", "role", handle, role.rawValue, "--data", data.path])
            guard outcome.status == 0 else { throw StartFailure(description: outcome.errors) }
        }
        return try await http.tokenHolder(handle: handle, password: password)
    }
}

extension TestHTTP {
    /// `POST` of a JSON body to a path below the API's base.
    package func send(json: some Encodable, to path: String) async throws -> Answer {
        try await send(.POST, Paths.base + path, json: json)
    }

    /// The same server, called with a new token of this account that has every scope.
    package func tokenHolder(handle: String, password: String) async throws -> TestHTTP {
        let answer = try await send(
            json: TokenRequest(name: "test", scopes: TokenScope.all, login: handle, password: password),
            to: "/auth/tokens")
        guard answer.status == 201 else { throw RunningMarket.StartFailure(description: "token: \(answer.text)") }
        return signedIn(try answer.json(NewToken.self).token)
    }

    /// Waits until the submission is in one of `states`; throws when `seconds` pass before.
    package func submission(
        _ id: SubmissionID, reaches states: Set<SubmissionState>, within seconds: Double = 600
    ) async throws -> SubmissionStatus {
        let deadline = ContinuousClock.now + .seconds(seconds)
        while true {
            let answer = try await get(Paths.submission(id.description))
            let status = try answer.json(SubmissionStatus.self)
            if states.contains(status.state) { return status }
            guard ContinuousClock.now < deadline else {
                throw RunningMarket.StartFailure(
                    description: "still \(status.state) after \(seconds) s: \(answer.text)")
            }
            try await Task.sleep(for: .milliseconds(50))
        }
    }

    /// Claims the submission's case and decides it.
    @discardableResult package func decide(
        _ submission: SubmissionStatus, _ decision: DecisionKind = .approve, reasonCode: String = "meets_guidelines",
        message: String = "Thank you."
    ) async throws -> Answer {
        let path = Paths.moderationCase(submission.caseId?.description ?? "none")
        let claim = try await send(.POST, "\(path)/claim")
        guard claim.status == 200 else { return claim }
        return try await send(
            .POST, "\(path)/decision",
            json: DecisionRequest(decision: decision, reasonCode: reasonCode, message: message))
    }
}

extension RunningMarket {
    /// Its database, through the same driver.
    package func withDatabase<T: Sendable>(_ body: (PostgresClient) async throws -> T) async throws -> T {
        guard
            let connection = PostgresCluster.connectionStringOfRunningServer(
                in: data.appendingPathComponent("postgres"))
        else { throw StartFailure(description: "no database runs in \(data.path)") }
        let client = PostgresClient(configuration: .calm(connectionString: connection), logger: TestLog.logger)
        do {
            let result = try await body(client)
            await client.shutdown()
            return result
        } catch {
            await client.shutdown()
            throw error
        }
    }
}

extension RunningMarket {
    /// Resident memory of the server's process, in bytes.
    package func residentBytes() throws -> Int {
        let status = try String(contentsOfFile: "/proc/\(processID)/status", encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        guard let kilobytes = line?.split(whereSeparator: { !$0.isNumber }).first.flatMap({ Int($0) }) else {
            throw StartFailure(description: "no VmRSS of process \(processID)")
        }
        return kilobytes << 10
    }
}
