// SPDX-License-Identifier: Apache-2.0
import MarketWire
import SheetCore

/// What is inspected.
package struct InspectionSubject: Sendable, Equatable {
    package var id: SubmissionID
    package var templateID: TemplateID
    package var uploader: UserID
    package var sha256: ContentHash
    package var fileName: String
    package var metadata: UploadMetadata

    package init(
        id: SubmissionID, templateID: TemplateID, uploader: UserID, sha256: ContentHash, fileName: String,
        metadata: UploadMetadata
    ) {
        self.id = id
        self.templateID = templateID
        self.uploader = uploader
        self.sha256 = sha256
        self.fileName = fileName
        self.metadata = metadata
    }
}
