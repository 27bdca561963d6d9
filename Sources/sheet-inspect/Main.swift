// SPDX-License-Identifier: Apache-2.0
import CSandbox
import Glibc
import IngestWire

/// Reads one hostile PDF in a sandbox and prints what it is.
@main
struct SheetInspect {
    static let version = "1.0.0"

    static func main() {
        // Nothing is buffered, and the libraries' own farewells take a millisecond.
        _exit(run(arguments))
    }

    private static var arguments: [String] {
        var arguments: [String] = []
        while let next = sandbox_argument(Int32(arguments.count + 1)) { arguments.append(String(cString: next)) }
        return arguments
    }

    private static func run(_ arguments: [String]) -> Int32 {
        switch Invocation(arguments) {
        case .help:
            Output.write(Invocation.usage, to: STDOUT_FILENO)
            return 0
        case .version:
            Output.write("sheet-inspect \(version)\n", to: STDOUT_FILENO)
            return 0
        case .checkSandbox:
            return SandboxCheck.run()
        case .serve(let terms):
            return InspectionService(terms: terms).run()
        case .file(let options):
            return DirectRun(options: options).run()
        case .dump(let dump):
            return dump.run()
        case .wrong(let complaint):
            Output.write("sheet-inspect: \(complaint)\n\n\(Invocation.usage)", to: STDERR_FILENO)
            return ReaderEnd.usageExitCode
        }
    }
}
