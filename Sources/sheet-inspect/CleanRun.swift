// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
import IngestWire
import SheetCore

/// `sheet-inspect --clean COPY FILE`: one child reads the file and makes the copy, another reads the copy as a
/// stranger's, and this process compares what both saw. It never parses a byte of either.
struct CleanRun {
    let options: Invocation.FileOptions
    let file: Int32
    let copy: String

    struct Outcome: Encodable {
        /// Whether the copy is clean and the same sheet.
        var isClean = false
        /// Findings in the file itself.
        var findings: [Finding]
        var removed: [Removal] = []
        /// In what the copy falls short, or why there is none.
        var differences: [String] = []
        /// The report of the copy.
        var report: ReaderReport?
    }

    func run() throws(SandboxedChild.Failure) -> Int32 {
        if let failed = FileCleaning.prepare() { throw SandboxedChild.Failure(message: "no clean copies: \(failed)") }
        let original = try read(file, clean: true)
        var outcome = Outcome(findings: original.report.findings)
        var clean: [UInt8]?
        if let bytes = original.cleaned, let cleaning = original.cleaning, original.isWhole {
            outcome.removed = cleaning.removed
            clean = try prove(bytes, of: original, into: &outcome)
        } else {
            outcome.differences = [Self.reason(original)]
        }
        if let clean, !AtomicCopy.write(clean, to: copy) {
            outcome.isClean = false
            outcome.differences = ["The copy cannot be written to \(copy)."]
        }
        let printed = Output.print(outcome, isPretty: options.isPretty)
        return printed == 0 && !outcome.isClean ? 1 : printed
    }

    private func read(_ descriptor: Int32, clean: Bool) throws(SandboxedChild.Failure) -> SandboxedChild.Answer {
        var request = ReaderRequest(wantsText: false, previewWidths: [], wantsProof: true, wantsLayout: false)
        request.clean = clean
        request.cleansAccepted = clean
        request.limits.wallSeconds = options.wallSeconds
        return try SandboxedChild(request: request, file: descriptor).read()
    }

    /// The bytes, when they are proved to be the same sheet and clean.
    private func prove(
        _ bytes: [UInt8],
        of original: SandboxedChild.Answer,
        into outcome: inout Outcome
    ) throws(SandboxedChild.Failure) -> [UInt8]? {
        let descriptor = AtomicCopy.nameless(holding: bytes)
        guard descriptor >= 0 else { throw SandboxedChild.Failure(message: "there is no room for the copy") }
        defer { close(descriptor) }
        let second = try read(descriptor, clean: false)
        outcome.differences = CopyProof.differences(
            CopyProof.Side(report: original.report, looks: original.looks),
            CopyProof.Side(report: second.report, looks: second.looks),
            removedIcons: original.cleaning?.removedIcons ?? 0
        )
        if second.report.sha256 != ContentHash(hashing: Data(bytes)) {
            outcome.differences.append("The copy could not be read back.")
        }
        if second.report.verdict == .refused { outcome.differences.append("The copy is refused as well.") }
        outcome.report = second.report.withoutFields
        outcome.isClean = outcome.differences.isEmpty && second.isWhole
        return outcome.isClean ? bytes : nil
    }

    private static func reason(_ answer: SandboxedChild.Answer) -> String {
        if let failure = answer.cleaning?.failure { return failure }
        let rest = answer.report.findings.filter { $0.severity == .blocker && !$0.removable }
        let codes = rest.map(\.code.rawValue).joined(separator: ", ")
        return codes.isEmpty ? "No copy could be made." : "This cannot be taken out: \(codes)."
    }
}

extension ReaderReport {
    /// As `sheet-inspect FILE` prints it: fields are for the proof alone.
    fileprivate var withoutFields: ReaderReport {
        var report = self
        for index in report.pages.indices { report.pages[index].fields = nil }
        return report
    }
}
