// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
import IngestWire

/// What the command line asks for.
enum Invocation {
    case help
    case version
    case checkSandbox
    case serve(ReaderStartOptions)
    case file(FileOptions)
    case wrong(String)
    case dump(PageDump)

    /// How one file is to be read and printed.
    struct FileOptions {
        var path: String
        var isPretty = false
        var withText = false
        /// Where a clean copy is to go.
        var cleanCopy: String?
        /// Where a picture of a page with its regions is to go.
        var overlay: String?
        /// The page of the overlay, from 1.
        var overlayPage = 1
        /// How long each step may take by the clock, in seconds: somebody waits, so less than what a server grants.
        var wallSeconds = 13
    }

    static let usage = """
        usage: sheet-inspect [--json-pretty] [--seconds N] [--text] [--overlay PNG [--page N]] FILE
               sheet-inspect [--json-pretty] [--seconds N] --clean COPY FILE
               sheet-inspect --candidates FILE
               sheet-inspect --chosen-by FOLDER FILE
               sheet-inspect --serve TERMS
               sheet-inspect --check-sandbox | --help | --version

        Reads one PDF in a sandbox (no network, no other file, bounded memory and time) and prints one JSON
        object: verdict, SHA-256, page count, facts, findings, pages with their sizes and zoom regions.
        Exits 0 when it could judge the file; a refusal is a judgement.

          --json-pretty      indented JSON
          --text             with the text of each page
          --overlay PNG      also writes a picture of a page with its regions drawn over it
          --page N           the page of that picture; 1, the first, unless told otherwise
          --clean COPY       writes a copy without scripts, actions that reach outside, attachments and the like,
                             reads it as a stranger's and proves that it looks the same and has the same fields;
                             prints what was taken out and the report of the copy. Exits 0 when the copy is clean
                             and the same sheet; 1 otherwise, and then there is no copy.
          --seconds N        how long each step may take by the clock; 13 unless told otherwise. Of the processor's
                             reading is granted three, besides one for a first try without fonts, and cleaning ten.
          --candidates       prints each page's candidates for regions with their measures, for Training/
          --chosen-by FOLDER prints each page's regions as the scores in FOLDER choose them, for Training/
          --serve TERMS      what a supervisor uses: files come over a socket on standard input, frames go out
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
            case "--serve": self = Self.serve(rest.popFirst()); return
            case "--candidates": self = .dump(PageDump(path: rest.popFirst() ?? "")); return
            case "--chosen-by": self = Self.chosen(by: rest.popFirst(), rest.popFirst()); return
            case "--json-pretty": options.isPretty = true
            case "--text": options.withText = true
            case "--clean", "--overlay", "--page", "--seconds":
                guard let value = rest.popFirst(), Self.take(value, for: argument, into: &options) else {
                    let isNumber = argument == "--page" || argument == "--seconds"
                    self = .wrong("\(argument) needs \(isNumber ? "a number from 1" : "a file name")")
                    return
                }
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
        guard options.cleanCopy == nil || options.overlay == nil else {
            self = .wrong("--clean and --overlay do not go together")
            return
        }
        options.path = path
        self = .file(options)
    }

    private static func take(_ value: String, for option: String, into options: inout FileOptions) -> Bool {
        switch option {
        case "--clean": options.cleanCopy = value
        case "--overlay": options.overlay = value
        case "--seconds":
            guard let seconds = Int(value), (1...3600).contains(seconds) else { return false }
            options.wallSeconds = seconds
        default:
            guard let page = Int(value), (1...1_000_000).contains(page) else { return false }
            options.overlayPage = page
        }
        return !value.isEmpty
    }

    private static func chosen(by folder: String?, _ path: String?) -> Invocation {
        guard let folder, let path else { return .wrong("--chosen-by needs a folder and a file") }
        return .dump(PageDump(path: path, scoresFolder: folder))
    }

    private static func serve(_ text: String?) -> Invocation {
        guard let text, let terms = try? JSONDecoder().decode(ReaderStartOptions.self, from: Data(text.utf8)) else {
            return .wrong("--serve needs its terms as JSON")
        }
        return .serve(terms)
    }
}
