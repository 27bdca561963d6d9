// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

/// `sheet-export` reads what strangers made: nothing of it may get out, or take everything.
@Suite("Sandbox of sheet-export")
struct ExportSandboxTests {
    private static let exporter = CommandLineRun.executable.deletingLastPathComponent().appending(path: "sheet-export")
        .path

    @Test("no file, socket, process or further memory is to be had inside")
    func walls() async throws {
        let (status, output) = try await ExportWorkbench.run(Self.exporter, ["--check-sandbox"])
        let lines = output.split(separator: "\n")
        #expect(status == 0 && lines.count == 9, "\(output)")
        #expect(lines.allSatisfy { $0.hasPrefix("denied: ") || $0.hasPrefix("killed: ") }, "\(output)")
        #expect(
            lines.contains { $0.hasSuffix("read another file") } && lines.contains { $0.hasSuffix("open a socket") })
    }

    @Test(
        "the walls stand before the first byte is read; what is hostile ends in a PDF or in a sentence"
    )
    func hostile() async throws {
        let (status, output) = try await ExportWorkbench.python(
            Self.exporter, ExportWorkbench.sheet, script: "hostile_exports.py")
        #expect(status == 0 && output.contains("hostile requests"), "\(output)")
    }
}
