// SPDX-License-Identifier: Apache-2.0
import MarketWire

/// Why something cannot be done with what the market offers.
package enum CatalogError: Error, Equatable, Sendable {
    /// There is no such thing, or none for the caller; the text begins a sentence: "This template".
    case notFound(String)
    /// The template is there, and no version of it is on offer.
    case nothingOffered
    /// The version's kind has pages, and no outline.
    case noOutline
    /// A moderator took it down; why, for people and as a stable word.
    case takenDown(reason: String? = nil, code: String? = nil)
    /// The caller may not do it; the text says who may.
    case forbidden(String)
    /// It contradicts what is there; the text says what.
    case conflict(String)
    /// The slug is, or was, another template's.
    case slugTaken
    /// Values break the rules; what is wrong with each.
    case invalid([ProblemDocument.Detail])
    /// An upload's metadata break the rules.
    case invalidMetadata([MetadataValidationError])
    /// The cursor points to changes that are no longer kept.
    case oldChangesCursor
    /// It cannot be told for the moment; the text says what.
    case unavailable(String)
}

/// One thing that is wrong in an upload's metadata.
package struct MetadataValidationError: Error, Equatable, Sendable {
    /// JSON pointer into the metadata.
    package var pointer: String
    /// What is wrong and what would be right.
    package var detail: String
    /// The word for it, when it has one of its own.
    package var code: ErrorCode = .validationFailed

    package init(pointer: String, detail: String, code: ErrorCode = .validationFailed) {
        self.pointer = pointer
        self.detail = detail
        self.code = code
    }
}
