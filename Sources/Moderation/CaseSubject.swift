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
    /// What somebody made of sheets.
    case collection(MemberCollectionID)
    /// What a person says of themselves.
    case profile(UserID)

    /// Whether it is somebody's alone, and no sheet's.
    package var isPersonal: Bool {
        switch self {
        case .review, .user, .collection, .profile: true
        case .submission, .template, .version: false
        }
    }
}
