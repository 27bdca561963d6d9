// SPDX-License-Identifier: Apache-2.0
import Foundation
import IngestWire

/// What the command line asks for.
enum Invocation {
    case help
    case version
    case checkSandbox
    case supervised(ReaderRequest)
    case file(FileOptions)
    case wrong(String)
    case candidates(String)

    /// How one file is to be read and printed.
    struct FileOptions {
        var path: String
        var isPretty = false
        var withText = false
    }

    static let usage = """
        usage: sheet-inspect [--json-pretty] [--text] FILE
               sheet-inspect --supervised REQUEST < FILE
               sheet-inspect --check-sandbox | --help | --version

        Reads one PDF in a sandbox (no network, no other file, bounded memory and time) and prints one JSON
        object: verdict, SHA-256, page count, findings, pages with their sizes and zoom regions.
        Exits 0 when it could judge the file; a refusal is a judgement.

          --json-pretty      indented JSON
          --text             with the text of each page
          --supervised JSON  what a supervisor uses: a ReaderRequest; frames on standard output
          --check-sandbox    tries to get out of the sandbox and says what was possible

        """

    init(_ arguments: [String]) {
        var options = FileOptions(path: "")
        var paths: [String] = []
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "--help", "-h": self = .help; return
            case "--version": self = .version; return
            case "--check-sandbox": self = .checkSandbox; return
            case "--supervised": self = Self.supervised(rest.popFirst()); return
            case "--candidates": self = .candidates(rest.popFirst() ?? ""); return
            case "--json-pretty": options.isPretty = true
            case "--text": options.withText = true
            case "--":
                paths += rest
                rest = []
            case _ where argument.hasPrefix("-") && argument.count > 1:
                self = .wrong("unknown option \(argument)")
                return
            default: paths.append(argument)
            }
        }
        guard let path = paths.first, paths.count == 1 else {
            self = .wrong(paths.isEmpty ? "no file is named" : "one file at a time")
            return
        }
        options.path = path
        self = .file(options)
    }

    private static func supervised(_ text: String?) -> Invocation {
        guard let text, let request = try? JSONDecoder().decode(ReaderRequest.self, from: Data(text.utf8)) else {
            return .wrong("--supervised needs a request as JSON")
        }
        return .supervised(request)
    }
}
