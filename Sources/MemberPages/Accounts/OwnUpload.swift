// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketPages
import MarketPlatform
import MarketWire
import SheetCore

/// An upload as its uploader's lists show it: a line of `own-uploads.mustache`.
struct OwnUpload: Sendable {
    let address: String
    let templateName: String
    let version: String
    let state: StateLabel
    let created: DisplayTime

    /// `fate` is where the version that came of it stands, unless that is on offer.
    init(_ status: SubmissionStatus, fate: VersionState?, now: Date) {
        address = "/submissions/\(status.id)"
        templateName = status.templateName
        version = status.version.description
        state =
            switch fate {
            case .takenDown: StateLabel("Taken down", "bad")
            case .yanked: StateLabel("Withdrawn", "quiet")
            case .published, nil: StateLabel(status.state)
            }
        created = DisplayTime(status.createdAt, now: now)
    }
}
