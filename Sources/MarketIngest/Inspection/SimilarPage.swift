// SPDX-License-Identifier: Apache-2.0
import IngestWire
import SheetCore

/// A page of somebody's published template, or of one that was taken down, that looks like one of a submission.
package struct SimilarPage: Sendable, Equatable {
    /// The submission's page.
    package var page: Int
    package var templateID: TemplateID
    package var templateName: String
    package var version: SemanticVersion
    /// The submission that the version came of: its pages are the version's.
    package var submissionID: SubmissionID
    /// The other page.
    package var otherPage: Int
    package var isTakenDown: Bool

    package init(
        page: Int, templateID: TemplateID, templateName: String, version: SemanticVersion, submissionID: SubmissionID,
        otherPage: Int, isTakenDown: Bool
    ) {
        self.page = page
        self.templateID = templateID
        self.templateName = templateName
        self.version = version
        self.submissionID = submissionID
        self.otherPage = otherPage
        self.isTakenDown = isTakenDown
    }

    /// Most templates that are named.
    static let maximumTemplates = 5

    /// One finding for each template; what of it looks the same is the moderator's to see.
    package static func findings(on nearDuplicates: [SimilarPage]) -> [Finding] {
        var templates: [TemplateID] = []
        for one in nearDuplicates where !templates.contains(one.templateID) { templates.append(one.templateID) }
        return templates.prefix(maximumTemplates).compactMap { template in
            let pages = nearDuplicates.filter { $0.templateID == template }
            guard let first = pages.first else { return nil }
            let others =
                switch pages.count - 1 {
                case ..<1: ""
                case 1: ", and so does one page more"
                case let more: ", and so do \(more) pages more"
                }
            let fate = first.isTakenDown ? "which was taken down" : "which somebody else published"
            return Finding(
                .nearDuplicate, .warning, page: first.page,
                message: "Page \(first.page + 1) looks like page \(first.otherPage + 1) of "
                    + "'\(PlainText.cleaned(first.templateName, most: 120))' \(first.version), \(fate)\(others).")
        }
    }
}
