// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc

/// The collector of `Tests/Servers/collector.py`, in a process of its own.
package final class TraceCollector: Sendable {
    /// A span that came.
    package struct Span: Decodable, Sendable {
        package let service: String
        /// Which process it is of.
        package let instance: String?
        package let name: String
        package let kind: String
        package let traceID: String
        package let spanID: String
        package let parent: String?
        package let failed: Bool
        package let attributes: [String: String]
    }

    private struct Start: Decodable {
        let port: Int
    }

    private struct Request: Decodable {
        let spans: [Span]?
        let fault: String?
    }

    private let child: ChildProgram
    package let port: Int
    /// What `OTEL_EXPORTER_OTLP_ENDPOINT` is set to.
    package var endpoint: String { "http://127.0.0.1:\(port)" }

    /// Starts it with arguments of the script's.
    package init(_ arguments: [String] = []) async throws {
        child = try ChildProgram(
            BuildProducts.root.appendingPathComponent(".venv/bin/python"),
            [BuildProducts.root.appendingPathComponent("Tests/Servers/collector.py").path] + arguments)
        guard let line = await child.line(within: 600, where: { $0.contains("\"port\"") }) else {
            throw RunningMarket.StartFailure(description: "\(child.errors): run 'make setup' first")
        }
        port = try JSONDecoder().decode(Start.self, from: Data(line.utf8)).port
    }

    deinit { child.signal(SIGKILL) }

    private var requests: [Request] {
        // The last line may not be whole yet.
        child.output.split(separator: "\n").compactMap { try? JSONDecoder().decode(Request.self, from: Data($0.utf8)) }
    }

    /// Every span that came so far.
    package var spans: [Span] { requests.flatMap { $0.spans ?? [] } }
    /// What came and is not as the protocol says.
    package var faults: [String] { requests.compactMap(\.fault) }
    /// All that came so far, as text.
    package var text: String { child.output }

    /// Ends it.
    package func stop() async {
        child.signal(SIGKILL)
        await child.waitForExit()
    }
}
