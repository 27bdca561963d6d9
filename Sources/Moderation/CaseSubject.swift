// SPDX-License-Identifier: Apache-2.0
import SheetCore

/// What a case is about.
package enum CaseSubject: Hashable, Sendable {
    /// An upload.
    case submission(SubmissionID)
    /// A catalog entry with all its versions.
    case template(TemplateID)
    /// One version of a template.
    case version(TemplateID, SemanticVersion)
    /// What somebody wrote on a template.
    case review(ReviewID)
    /// A person.
    case user(UserID)
}
