// SPDX-License-Identifier: Apache-2.0
import SheetCore

/// Why something cannot be done with a submission.
package enum SubmissionError: Error, Equatable, Sendable {
    /// There is none, or none for the caller.
    case notFound
    /// Only its uploader can do that.
    case notUploader
    /// It stands where that cannot be done; the verb as a participle: "withdrawn".
    case wrongState(SubmissionState, verb: String)
    /// Nothing was taken out of its file.
    case notCleaned
    /// Too many watch submissions in this process.
    case tooManyWatchers
}
