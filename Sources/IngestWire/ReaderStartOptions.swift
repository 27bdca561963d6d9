// SPDX-License-Identifier: Apache-2.0

/// What a standing reader is started with, its only argument, as JSON. Requests (`ReaderRequest`) then come one at a
/// time over its standard input, a socket that keeps messages apart, each with the file's descriptor; the reader says
/// `ready` once, and answers each request in frames up to `end`.
package struct ReaderStartOptions: Sendable, Codable, Equatable {
    /// What it may use up on each file; a request's own limits are these.
    package var limits: ReaderLimits
    /// How many files it reads before it ends.
    package var files: Int

    package init(limits: ReaderLimits, files: Int) {
        self.limits = limits
        self.files = files
    }

    /// CPU seconds that drawing pictures may take on top, in sum over all pages, as a multiple of the limit.
    package static let drawingCPUFactor = 12
    /// Further steps, each with the limit anew: looks, a clean copy, an overlay.
    private static let furtherSteps = 3

    /// CPU seconds that one file may take with everything that can be asked for.
    package static func cpuSecondsAtMost(_ limits: ReaderLimits) -> Int {
        limits.cpuSeconds * (1 + drawingCPUFactor + furtherSteps) + 1
    }
    /// Largest request, in bytes.
    package static let maximumRequestBytes = 16 << 10
}
