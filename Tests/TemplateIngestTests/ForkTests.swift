// SPDX-License-Identifier: Apache-2.0
import CSandbox
import Foundation
import Testing

@Suite("The fork that a reader comes of")
struct ForkTests {
    /// The processors that a process, or this thread, may run on.
    private static func processors(of process: String) throws -> Substring? {
        try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8).split(separator: "\n")
            .first { $0.hasPrefix("Cpus_allowed_list:") }
    }

    @Test("either process may run wherever it might before")
    func affinity() async throws {
        let bench = try Workbench()
        let (before, child, after) = try Self.forked()
        defer {
            kill(child, SIGKILL)
            waitpid(child, nil, 0)
        }
        #expect(before != nil)
        #expect(after == before)
        #expect(try await bench.soon { (try? Self.processors(of: "\(child)")) == before })
    }

    /// On one thread, since each has processors of its own.
    private static func forked() throws -> (before: Substring?, child: pid_t, after: Substring?) {
        let before = try processors(of: "thread-self")
        let child = sandbox_fork()
        if child == 0 { while true { pause() } }
        return (before, child, try processors(of: "thread-self"))
    }
}
