// SPDX-License-Identifier: Apache-2.0
import MarketPlatform
import MarketWire
import Postgres
import SheetCore

/// An author's change of what is said of a published template.
package struct TemplateEdit: Sendable {
    package var template: TemplateID
    package var before: UploadMetadata
    package var after: UploadDraft
    /// The new slug, where there is one.
    package var slug: Slug?
}

/// Puts corrected zoom regions in the place of those of a version's pages, which belong to the submission that the version
/// was published from.
package typealias ReplaceRegionsHook =
    @Sendable (_ submission: SubmissionID, _ regions: RegionList, _ connection: PostgresConnection) async throws -> Void

/// Told of each edit of a published template by its author, in the edit's transaction. The composition fills it: the
/// catalog knows of nobody who looks at edits.
package typealias TemplateEditHook =
    @Sendable (_ edit: TemplateEdit, _ author: UserID, _ connection: PostgresConnection) async throws -> Void

/// Told of each download: whose address it was, and whether a program asked and no browser.
package typealias DownloadHook =
    @Sendable (_ purpose: DownloadPurpose, _ address: String, _ isByProgram: Bool) async -> Void
