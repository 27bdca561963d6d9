// SPDX-License-Identifier: Apache-2.0
import MarketWire
import SheetCore

/// Why an upload is not taken in. Nothing of it remains then.
package enum UploadError: Error, Equatable, Sendable {
    /// The file has more bytes than this.
    case tooLarge(limit: Int)
    /// The file has none.
    case emptyFile
    /// The file's first bytes are of no format that is taken.
    case unknownFormat
    /// There are two files.
    case secondFile
    /// The part `metadata` is not the JSON that it should be.
    case badMetadata(ProblemDocument.Detail)
    /// Neither the part `metadata` nor a field that could stand for it has come.
    case missingMetadata
    /// No file has come.
    case missingFile
    /// The file was finished or abandoned before.
    case hasEnded
    /// Storage is full.
    case storageFull
    /// Garbage collection removed the stored bytes before a row named them.
    case fileRemoved
    /// The version's number is taken.
    case versionExists(SemanticVersion)
    /// The version would change what the template's entry says, and its uploader may not; the members in question.
    case changesEntry([ProblemDocument.Detail])
    /// No slug is left for the name.
    case nameUsedTooOften
    /// Another upload takes the name's slug at the same moment.
    case slugTakenMeanwhile
}
