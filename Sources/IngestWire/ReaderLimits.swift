// SPDX-License-Identifier: Apache-2.0

/// What a reader may use up on one file, and how large an honest sheet may be.
package struct ReaderLimits: Sendable, Codable, Equatable {
    /// Size of the file, in bytes.
    package var fileBytes = 50 << 20
    /// Number of pages.
    package var pages = 500
    /// Longest side of a displayed page, in points (14,400 is the specification's own limit, PDF 1.7 annex C.2).
    package var pageSidePoints = 14_400.0
    /// CPU time, in seconds.
    package var cpuSeconds = 10
    /// Elapsed time, in seconds; kept by the reader (alarm) and by the supervisor (kill).
    package var wallSeconds = 30
    /// Address space, in bytes.
    package var memoryBytes = 512 << 20
    /// Everything the reader writes to its output, in bytes.
    package var outputBytes = 128 << 20
    /// Text kept of one page, in bytes.
    package var textBytesPerPage = 64 << 10
    /// Regions on one page.
    package var regionsPerPage = 64

    package init() {}
}
