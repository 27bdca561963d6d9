// SPDX-License-Identifier: Apache-2.0
import SheetCore

/// What a reader took out to make a clean copy, or why it could not make one.
package struct CleaningReport: Sendable, Codable, Equatable {
    /// What was taken out; each kind once.
    package var removed: [Removal]
    /// Icons of attachments that pages show no more: `CopyProof` lets pages differ by them.
    package var removedIcons: Int
    /// Why there is no copy; `nil` when a `cleaned` frame follows.
    package var failure: String?

    package init(removed: [Removal], removedIcons: Int = 0, failure: String? = nil) {
        self.removed = removed
        self.removedIcons = removedIcons
        self.failure = failure
    }

    /// Most kinds of things.
    package static let maximumRemovals = 32
    /// Longest text, in bytes.
    package static let maximumTextBytes = 300

    /// Whether it is what an honest reader may say.
    package var isPlausible: Bool {
        removed.count <= Self.maximumRemovals && removedIcons >= 0
            && removed.allSatisfy { $0.count > 0 && Self.isPlain($0.what) && Self.isWord($0.code.rawValue) }
            && failure.map(Self.isPlain) ?? true
    }

    private static func isPlain(_ text: String) -> Bool {
        (1...maximumTextBytes).contains(text.utf8.count) && text.utf8.allSatisfy { (32..<127).contains($0) }
    }

    private static func isWord(_ text: String) -> Bool {
        (1...40).contains(text.utf8.count) && text.utf8.allSatisfy { (97...122).contains($0) || $0 == 95 }
    }
}
