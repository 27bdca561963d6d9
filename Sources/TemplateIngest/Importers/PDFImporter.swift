// SPDX-License-Identifier: Apache-2.0
import IngestWire
import SystemPackage

/// The importer for PDF files.
package struct PDFImporter: ImporterPlugin {
    package let name = "pdf"
    private let reader: SheetReader
    private let request: ReaderRequest

    package init(reader: SheetReader, request: ReaderRequest = ReaderRequest()) {
        self.reader = reader
        self.request = request
    }

    /// The header within the first kilobyte; a name alone is a weak hint, whose file the reader will refuse.
    package func confidence(in file: QuarantinedFile) -> Double {
        let header = Array("%PDF-".utf8)
        if file.head.starts(with: header) { return 1 }
        let reach = file.head.prefix(1024 + header.count)
        let isWithin = reach.indices.contains { reach[$0...].starts(with: header) }
        // A sheet in a ZIP without compression has its header near the ZIP's beginning.
        if isWithin { return file.mediaType == "application/octet-stream" ? 0.8 : 0.1 }
        return file.name?.lowercased().hasSuffix(".pdf") == true ? 0.2 : 0
    }

    /// Claims what looks like a PDF.
    package func recognize(_ file: QuarantinedFile) -> Recognition {
        let confidence = confidence(in: file)
        return Recognition(claims: confidence > 0 ? [ImportClaim(importer: name, confidence: confidence)] : [])
    }

    /// Reads the file in its sandbox.
    package func draft(
        from file: QuarantinedFile, claim: String, observer: ImportObserver
    ) async throws -> SubmissionDraft {
        let report = try await reader.read(
            file.path,
            sha256: file.sha256,
            request: request,
            onProgress: observer.onProgress,
            onPreview: observer.onPreview
        )
        return SubmissionDraft(importer: name, report: report, suggestedName: Self.title(from: file.name))
    }

    /// The file's name without its suffix, as far as it can be shown.
    private static func title(from name: String?) -> String? {
        guard let name, let stem = FilePath(name).lastComponent?.stem else { return nil }
        let shown = stem.unicodeScalars.filter { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .surrogate, .privateUse, .unassigned: false
            default: true
            }
        }
        let title = String(String.UnicodeScalarView(shown)).replacing("_", with: " ")
        return title.isEmpty ? nil : String(title.prefix(120))
    }
}
