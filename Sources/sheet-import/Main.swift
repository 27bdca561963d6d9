// SPDX-License-Identifier: Apache-2.0
import CPluginWalls
import Foundation
import IngestWire
import SheetCore

/// The importers that are built in, in a process of their own; and the door through which outside importers are run.
@main
struct SheetImport {
    static let version = "1.0.0"

    private static let usage = """
        usage: sheet-import --supervised < REQUEST 3< FILE 4> ARTIFACT
               sheet-import --confine MEMORY CPU SCRATCH PROCESSES FOLDER COMMAND…
               sheet-import --help | --version

        Reads one file of a foreign format (.sheetbundle, .ttrpg, .fstemplate, zoom-region preset, vocabulary
        pack) in a sandbox and answers in the protocol of docs/plugins.md.

          --supervised  what a supervisor uses: one JSON request on standard input, the file as descriptor 3,
                        the artifact to descriptor 4, JSON lines on standard output
          --confine     runs an outside importer's COMMAND behind walls, with FOLDER as its own: bytes of memory,
                        seconds of CPU time, bytes of scratch space, number of processes

        """

    static func main() {
        exit(run(Array(CommandLine.arguments.dropFirst())))
    }

    private static func run(_ arguments: [String]) -> Int32 {
        switch arguments.first {
        case "--supervised": return SupervisedImport().run()
        case "--confine": return confine(Array(arguments.dropFirst()))
        case "--help", "-h":
            Lines.write(Array(usage.utf8), to: STDOUT_FILENO)
            return 0
        case "--version":
            Lines.write(Array("sheet-import \(version)\n".utf8), to: STDOUT_FILENO)
            return 0
        default:
            Lines.write(Array(usage.utf8), to: STDERR_FILENO)
            return ReaderEnd.usageExitCode
        }
    }

    private static func confine(_ arguments: [String]) -> Int32 {
        guard arguments.count > 5, let memory = UInt64(arguments[0]), let cpu = UInt32(arguments[1]),
            let scratch = UInt64(arguments[2]), let processes = UInt32(arguments[3])
        else {
            Lines.write(Array(usage.utf8), to: STDERR_FILENO)
            return ReaderEnd.usageExitCode
        }
        var limits = plugin_limits(
            memory_bytes: memory, cpu_seconds: cpu, scratch_bytes: scratch, processes: processes)
        var command: [UnsafeMutablePointer<CChar>?] = arguments.dropFirst(5).map { strdup($0) }
        command.append(nil)
        let failed = plugin_walls_enter(&limits, arguments[4], command)
        let step = failed.map { String(cString: $0) } ?? "running the command"
        Lines.write(Array("sheet-import: no walls: \(step)\n".utf8), to: STDERR_FILENO)
        return ReaderEnd.unavailableExitCode
    }
}

/// Writes an importer's lines.
enum Lines {
    static func send(_ line: ImportLine) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let bytes = try? encoder.encode(line) else { return }
        write(Array(bytes) + [UInt8(ascii: "\n")], to: STDOUT_FILENO)
    }

    /// Writes all of it; whoever reads may be gone, and then there is nobody to tell.
    @discardableResult static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        bytes.withUnsafeBytes { buffer in
            var start = 0
            while start < buffer.count {
                let count = Foundation.write(descriptor, buffer.baseAddress.map { $0 + start }, buffer.count - start)
                if count < 0 {
                    if errno == EINTR { continue }
                    return false
                }
                start += count
            }
            return true
        }
    }
}
