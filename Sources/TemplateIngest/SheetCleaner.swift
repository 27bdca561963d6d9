// SPDX-License-Identifier: Apache-2.0
import IngestWire
import SheetCore
import SystemPackage

/// Makes clean copies of sheets that are refused only for what can be taken out, and proves that a copy is the same
/// sheet. The copy is made in the sandbox, and then read by another reader as a stranger's.
package struct SheetCleaner: Sendable {
    private let reader: SheetReader
    private let request: ReaderRequest

    /// Reads with `reader`; copies are inspected by `request`.
    package init(reader: SheetReader, request: ReaderRequest = ReaderRequest()) {
        self.reader = reader
        self.request = request
    }

    /// A copy that nobody has looked at yet, and what it is to be compared with.
    package struct Copy: Sendable {
        package var bytes: [UInt8]
        package var removed: [Removal]
        /// How the original looks, for `inspect`.
        package var original: CopyProof.Side

        package init(bytes: [UInt8], removed: [Removal], original: CopyProof.Side) {
            self.bytes = bytes
            self.removed = removed
            self.original = original
        }
    }

    /// What came of the attempt to make a copy.
    package enum Attempt: Sendable {
        /// Here it is.
        case copy(Copy)
        /// Why there is none: a sentence.
        case failure(String)
    }

    /// What came of looking at a copy.
    package struct Judgement: Sendable {
        /// What the reader says of it.
        package var report: ReaderReport
        /// Why it cannot stand in for the original: sentences; empty when it can.
        package var objections: [String]

        package init(report: ReaderReport, objections: [String]) {
            self.report = report
            self.objections = objections
        }
    }

    /// Whether a copy is worth trying: every page could be read, and all that stands against the file can be taken out.
    package static func canHelp(_ report: ReaderReport) -> Bool {
        let blockers = report.findings.filter { $0.severity == .blocker }
        return !blockers.isEmpty && blockers.allSatisfy(\.removable)
            && (1...CopyProof.maximumPages).contains(report.pageCount) && report.pages.count == report.pageCount
    }

    /// Makes a copy of a file without what can be taken out.
    package func copy(of file: FilePath, sha256: ContentHash) async throws -> Attempt {
        var wish = request
        wish.wantsText = false
        wish.previewWidths = []
        wish.clean = true
        wish.wantsProof = true
        let answer = try await reader.examine(
            file, sha256: sha256, request: wish, onProgress: { _ in }, onPreview: { _ in })
        guard let bytes = answer.copy, let cleaning = answer.cleaning else {
            let last = answer.report.value.findings.last { $0.severity == .blocker && !$0.removable }
            return .failure(answer.cleaning?.failure ?? last?.message ?? "The file could not be written anew.")
        }
        return .copy(
            Copy(
                bytes: bytes, removed: cleaning.removed,
                original: CopyProof.Side(report: answer.report.value, looks: answer.looks)))
    }

    /// Reads a copy as if it came from a stranger, and compares it with the original.
    package func inspect(
        _ file: FilePath, sha256: ContentHash, against original: CopyProof.Side, observer: ImportObserver
    ) async throws -> Judgement {
        var wish = request
        wish.wantsProof = true
        let answer = try await reader.examine(
            file, sha256: sha256, request: wish, onProgress: observer.onProgress, onPreview: observer.onPreview)
        var report = answer.report.value
        let stays = report.findings.filter { $0.severity == .blocker }.map(\.message)
        let differences = CopyProof.differences(original, CopyProof.Side(report: report, looks: answer.looks))
        // Only the proof needed them.
        for index in report.pages.indices { report.pages[index].fields = nil }
        return Judgement(report: report, objections: stays + differences)
    }
}
