// SPDX-License-Identifier: Apache-2.0
import Foundation
import IngestWire
import SheetCore

/// Runs bytes through one importer, in this process: for the fuzzer, and for the test that replays what it found.
package enum ImportTrial {
    package struct Outcome {
        /// Lines of the answer, as they would be written.
        package var lines: [Data]
        /// A promise that was broken, as a sentence.
        package var complaint: String?
    }

    /// The importers' names.
    package static var importers: [String] { SupervisedImport.importers.map(\.name) }

    /// Tries the importer of this name.
    package static func run(_ name: String, on bytes: Data) -> Outcome {
        guard let importer = SupervisedImport.importers.first(where: { $0.name == name }) else {
            return Outcome(lines: [], complaint: "there is no importer '\(name)'")
        }
        let input = ImportInput(bytes: bytes, name: "file.\(name)", limits: ImportLimits())
        let confidence = importer.confidence(in: input)
        guard confidence.isFinite, (0...1).contains(confidence) else {
            return Outcome(lines: [], complaint: "a confidence of \(confidence)")
        }
        let encoder = JSONEncoder()
        do throws(ImportRefusal) {
            let draft = try importer.draft(of: input)
            let lines = draft.findings.map { ImportLine.finding($0) } + [.result(draft.result)]
            // A line that cannot be encoded is missed by whoever looks for it.
            return Outcome(lines: lines.compactMap { try? encoder.encode($0) }, complaint: nil)
        } catch {
            let isTold =
                !error.findings.isEmpty
                && error.findings.allSatisfy { $0.severity == .blocker && PlainText.isPlain($0.message) }
            return Outcome(
                lines: error.findings.compactMap { try? encoder.encode(ImportLine.finding($0)) },
                complaint: isTold ? nil : "a refusal that cannot be shown")
        }
    }
}
