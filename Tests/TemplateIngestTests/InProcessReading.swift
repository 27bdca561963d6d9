// SPDX-License-Identifier: Apache-2.0
import Testing

/// Suites that call `PDFObjects` within the tests' own process. What poppler remembers is the whole process's, and
/// `pdf_forget` drops it: only one test of all of them may run at a time.
@Suite("Pages read within this process", .serialized)
enum InProcessReading {
    @Suite("Ink is drawn as poppler draws it") struct InkDrawingTests {}
    @Suite("Words and ink are read in one pass as in two") struct OnePassTests {}
}
