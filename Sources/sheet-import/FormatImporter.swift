// SPDX-License-Identifier: Apache-2.0
import Foundation
import IngestWire
import SheetCore

/// The file, in memory: it is bounded, and nothing has to be opened behind the walls.
struct ImportInput {
    let bytes: Data
    let name: String
    let limits: ImportLimits

    func hasSuffix(_ suffix: String) -> Bool { name.lowercased().hasSuffix("." + suffix) }

    var looksLikeZip: Bool { bytes.starts(with: [0x50, 0x4b, 3, 4]) || bytes.starts(with: [0x50, 0x4b, 5, 6]) }

    /// The first byte that is neither white space nor a byte order mark.
    var looksLikeJSON: Bool {
        let opening = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes
        return opening.prefix(1024).first { ![9, 10, 13, 32].contains($0) } == UInt8(ascii: "{")
    }
}

/// Why nothing can be made of a file.
struct ImportRefusal: Error {
    let findings: [Finding]

    init(_ code: FindingCode, _ message: String) {
        findings = [Finding(code, .blocker, message: PlainText.cleaned(message, most: 500))]
    }

    init(_ failure: FormatFailure, in place: String = "") {
        findings = failure.problems.map { problem in
            let pointer = PlainText.cleaned(problem.pointer, most: 120)
            let head = [place, pointer].filter { !$0.isEmpty }.joined(separator: " ")
            let message = head.isEmpty ? problem.detail : "\(head): \(problem.detail)"
            return Finding(.invalidFormat, .blocker, message: PlainText.cleaned(message, most: 500))
        }
    }
}

/// What an importer made of a file.
struct FormatDraft {
    var result: ImportLine.Result
    /// The artifact, when it is not the file itself.
    var written: Data?
    var findings: [Finding] = []
}

/// Knows one format.
protocol FormatImporter: Sendable {
    var name: String { get }
    /// How sure it is that the file is of its format: content first, name second.
    func confidence(in input: ImportInput) -> Double
    func draft(of input: ImportInput) throws(ImportRefusal) -> FormatDraft
}
