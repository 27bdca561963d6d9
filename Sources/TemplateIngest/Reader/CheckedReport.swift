// SPDX-License-Identifier: Apache-2.0
import IngestWire
import SheetCore

/// Which file a report is about, from the supervisor's own knowledge.
package struct FileIdentity: Sendable, Equatable {
    package var sha256: ContentHash
    package var bytes: Int
}

/// A reader's report that passed `ReportCheck`, or was made here because the reader gave none.
package struct CheckedReport: Sendable, Equatable {
    package let value: ReaderReport

    /// Only a check makes one.
    init(checked value: ReaderReport) {
        self.value = value
    }

    /// Of bytes that have no pages.
    init(sha256: ContentHash, bytes: Int, _ findings: [Finding]) {
        self.init(
            checked: ReaderReport(
                verdict: findings.contains { $0.severity == .blocker } ? .refused : .accepted, sha256: sha256,
                bytes: bytes, pageCount: 0, findings: findings, pages: []))
    }

    /// What is left to say when the reader ended early: its report as far as it came, and the refusal.
    init(identity: FileIdentity, end: ReaderEnd, partial: CheckedReport?) {
        let base =
            partial?.value
            ?? ReaderReport(
                verdict: .refused,
                sha256: identity.sha256,
                bytes: identity.bytes,
                pageCount: 0,
                findings: [],
                pages: []
            )
        var report = CheckedReport(checked: base).adding(end.finding)
        if end.finding.code == .malformed {
            report = report.adding(
                Finding(.readerFailed, .info, message: "The reader ended without a verdict (\(end.summary)).")
            )
        }
        self = report
    }

    /// With one finding more; a blocker refuses the file.
    func adding(_ finding: Finding) -> CheckedReport {
        var report = value
        report.findings.append(finding)
        if finding.severity == .blocker { report.verdict = .refused }
        return CheckedReport(checked: report)
    }

    /// With findings that came before the reader's own.
    func preceded(by findings: [Finding]) -> CheckedReport {
        guard !findings.isEmpty else { return self }
        var report = value
        report.findings = findings + report.findings
        if findings.contains(where: { $0.severity == .blocker }) { report.verdict = .refused }
        return CheckedReport(checked: report)
    }
}

extension ReaderEnd {
    /// In a word or two.
    var summary: String {
        switch self {
        case .exited(let code): "exit code \(code)"
        case .signalled(let signal): "signal \(signal)"
        case .overdue: "overdue"
        case .flooded: "too much output"
        case .garbled: "an answer that makes no sense"
        }
    }
}
