// SPDX-License-Identifier: Apache-2.0
import CPluginSandbox
import Foundation
import IngestWire

/// The importers that are built in, in a process of their own; and the door through which outside importers are run.
@main
struct SheetImport {
    private static let version = "1.0.0"

    private static let usage = """
        usage: sheet-import --supervised < REQUEST 3< FILE 4> ARTIFACT
               sheet-import --confine MEMORY CPU SCRATCH PROCESSES FOLDER COMMAND…
               sheet-import --help | --version

        Reads one file of a foreign format (.sheetbundle, .ttrpg, .fstemplate, zoom-region preset, vocabulary
        pack) in a sandbox and answers in the protocol of plugins/README.md.

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
        case "--supervised": return SupervisedImport(version: version).run()
        case "--confine": return confine(Array(arguments.dropFirst()))
        case "--help", "-h":
            Descriptor.write(Array(usage.utf8), to: STDOUT_FILENO)
            return 0
        case "--version":
            Descriptor.write(Array("sheet-import \(version)\n".utf8), to: STDOUT_FILENO)
            return 0
        default:
            Descriptor.write(Array(usage.utf8), to: STDERR_FILENO)
            return ReaderEnd.usageExitCode
        }
    }

    private static func confine(_ arguments: [String]) -> Int32 {
        guard arguments.count > 5, let memory = UInt64(arguments[0]), let cpu = UInt32(arguments[1]),
            let scratch = UInt64(arguments[2]), let processes = UInt32(arguments[3])
        else {
            Descriptor.write(Array(usage.utf8), to: STDERR_FILENO)
            return ReaderEnd.usageExitCode
        }
        var limits = plugin_limits(
            memory_bytes: memory, cpu_seconds: cpu, scratch_bytes: scratch, processes: processes)
        var command: [UnsafeMutablePointer<CChar>?] = arguments.dropFirst(5).map { strdup($0) }
        command.append(nil)
        let failed = plugin_sandbox_enter(&limits, arguments[4], command)
        let step = failed.map { String(cString: $0) } ?? "running the command"
        Descriptor.write(Array("sheet-import: no walls: \(step)\n".utf8), to: STDERR_FILENO)
        return ReaderEnd.unavailableExitCode
    }
}
