// SPDX-License-Identifier: Apache-2.0
import IngestWire
import SheetCore

/// An importer's word that a file is of its kind.
package struct ImportClaim: Sendable, Equatable {
    package var importer: String
    /// 0 not at all, 1 beyond doubt.
    package var confidence: Double

    package init(importer: String, confidence: Double) {
        self.importer = importer
        self.confidence = confidence
    }
}

/// Whom an importer tells what comes up while it works. Callbacks come one at a time.
package struct ImportObserver: Sendable {
    /// How far it has come.
    package var onProgress: @Sendable (ReadingProgress) async throws -> Void
    package var onPreview: @Sendable (PagePreview) async throws -> Void
    /// How far an importer's program is.
    package var onImport: @Sendable (ImportLine.Progress) async throws -> Void

    /// By default nobody listens.
    package init(
        onProgress: @escaping @Sendable (ReadingProgress) async throws -> Void = { _ in },
        onPreview: @escaping @Sendable (PagePreview) async throws -> Void = { _ in },
        onImport: @escaping @Sendable (ImportLine.Progress) async throws -> Void = { _ in }
    ) {
        self.onImport = onImport
        self.onProgress = onProgress
        self.onPreview = onPreview
    }
}

/// Code that turns a foreign file into a draft submission. Built in or an outside program: the pipeline sees no
/// difference.
package protocol ImporterPlugin: Sendable {
    /// A stable name, for logs.
    var name: String { get }
    /// Whether the file is of a kind that it knows, the content first, the name second; with findings of what went
    /// wrong while it looked.
    func recognize(_ file: QuarantinedFile) async throws -> Recognition
    /// Turns the file into a draft, as the claim of that name promised. What is wrong with the file becomes a finding;
    /// an error is the machine's fault.
    func draft(from file: QuarantinedFile, claim: String, observer: ImportObserver) async throws -> SubmissionDraft
}

/// What an importer says of a file that it was shown.
package struct Recognition: Sendable, Equatable {
    /// None when the file is not its.
    package var claims: [ImportClaim]
    /// What went wrong; never blockers.
    package var findings: [Finding]

    package init(claims: [ImportClaim] = [], findings: [Finding] = []) {
        self.claims = claims
        self.findings = findings
    }
}
