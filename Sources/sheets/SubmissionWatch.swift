// SPDX-License-Identifier: Apache-2.0
import MarketClient
import MarketWire
import SheetCore

/// Following a submission with a progress bar, and telling how it stands.
struct SubmissionWatch: Sendable {
    let client: MarketClient
    let progress: ProgressOptions
    let json: Bool

    /// Follows until `enough` says so of the state, or until a final one.
    func follow(
        _ first: SubmissionStatus, until enough: (SubmissionState) -> Bool
    ) async throws -> SubmissionStatus {
        var status = first
        guard !enough(status.state) else { return status }
        let bar = progress.bar("inspecting", quiet: json)
        defer { bar.end() }
        for try await next in client.events(of: first.id) {
            status = next
            if status.state == .awaitingReview {
                bar.show(1, "inspected; waiting for a moderator")
            } else {
                bar.show(status.progress.fraction, status.progress.step)
            }
            if enough(status.state) { break }
        }
        return status
    }

    /// State, findings, and what happens next.
    static func describe(_ status: SubmissionStatus) {
        let pages = status.pageCount.map { ", \(Readable.count($0, "page"))" } ?? ""
        Terminal.out(
            Terminal.printable(
                "\(status.templateName) \(status.version): \(words(status.state))"
                    + " (\(status.fileName), \(Readable.bytes(status.sizeBytes))\(pages))"))
        if !status.findings.isEmpty {
            var table = Table(("SEVERITY", .left), ("FINDING", .left), ("PAGE", .right), ("WHAT IT MEANS", .left))
            for finding in status.findings.sorted(by: { $0.severity > $1.severity }) {
                table.add(
                    finding.severity.rawValue, finding.code.rawValue, finding.page.map { "\($0 + 1)" } ?? "all",
                    finding.message)
            }
            Terminal.out("\n" + table.text + "\n")
        }
        if let cleaned = status.cleaned { describe(cleaned, of: status) }
        if let decision = status.decision {
            Terminal.out(Terminal.printable("The moderator says (\(decision.reasonCode)): \(decision.message)"))
        }
        Terminal.out(Terminal.printable(next(status)))
    }

    private static func describe(_ cleaned: SubmissionStatus.Cleaned, of status: SubmissionStatus) {
        let removed = cleaned.removed.map { "\($0.what) (\($0.count))" }.joined(separator: ", ")
        Terminal.out(
            Terminal.printable(
                cleaned.isDeclined
                    ? "You declined a clean copy without: \(removed)."
                    : "A clean copy goes on in place of your file. Taken out: \(removed)."))
        if status.state == .awaitingReview, !cleaned.isDeclined {
            Terminal.out("If you do not want that: sheets status \(status.id) --decline-cleaning")
        }
    }

    private static func words(_ state: SubmissionState) -> String {
        switch state {
        case .received: "received"
        case .inspecting: "being inspected"
        case .awaitingReview: "waiting for a moderator"
        case .published: "published"
        case .rejected: "rejected"
        case .changesRequested: "changes requested"
        case .withdrawn: "withdrawn"
        }
    }

    private static func next(_ status: SubmissionStatus) -> String {
        switch status.state {
        case .received, .inspecting:
            "Inspection goes on by itself; `sheets status --watch \(status.id)` follows it."
        case .awaitingReview:
            "Next, a moderator decides; `sheets status \(status.id)` shows the outcome."
        case .published:
            "Anybody can install it now: sheets install \(status.templateSlug)@\(status.version)"
        case .rejected:
            "It will not be published. Mend what was found and publish the file again."
        case .changesRequested:
            "Change what was asked for and publish the file again."
        case .withdrawn:
            "Nothing more will happen."
        }
    }
}
