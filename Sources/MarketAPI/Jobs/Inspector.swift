// SPDX-License-Identifier: Apache-2.0
import Foundation
import IngestWire
import SheetCore
import SystemPackage
import TemplateIngest

/// Judges a file. A seam: the pipeline with its sandboxed reader in the service, what a test needs in a test.
public struct Inspector: Sendable {
    /// The file to be judged.
    public struct File: Sendable {
        /// Where it lies, for as long as it is judged.
        public var location: URL
        /// What it is stored under.
        public var sha256: ContentHash
        /// What its uploader calls it.
        public var name: String
    }

    /// Judges `file`, telling `observer` of progress and of each picture. Throws when the machine is at fault; the
    /// file's own faults are findings.
    public var inspect: @Sendable (_ file: File, _ observer: ImportObserver) async throws -> ReaderReport

    /// Judges by `inspect`.
    public init(inspect: @escaping @Sendable (_ file: File, _ observer: ImportObserver) async throws -> ReaderReport) {
        self.inspect = inspect
    }

    /// Judges by the pipeline.
    public static func pipeline(_ pipeline: IngestPipeline) -> Inspector {
        Inspector { file, observer in
            let quarantined = try QuarantinedFile(
                path: FilePath(file.location.path), sha256: file.sha256, name: file.name)
            return try await pipeline.ingest(quarantined, observer: observer).draft.report.value
        }
    }
}
