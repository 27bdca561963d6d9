// SPDX-License-Identifier: Apache-2.0
import SheetCore

/// Why an archive is refused, with the code that docs/formats.md has for it.
public struct ArchiveFailure: Error, Hashable, Sendable, CustomStringConvertible {
    public let code: FindingCode
    /// One sentence for people.
    public let description: String

    public init(_ code: FindingCode, _ description: String) {
        self.code = code
        self.description = description
    }

    init(_ failure: FormatFailure, in path: String) {
        self.init(.invalidFormat, "\(path): \(failure)")
    }
}
