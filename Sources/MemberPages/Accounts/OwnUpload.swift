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
        state = StateLabel(status.state, fate: fate)
        created = DisplayTime(status.createdAt, now: now)
    }
}

extension StateLabel {
    /// Of an upload; `fate` is where the version that came of it stands, unless that is on offer.
    init(_ state: SubmissionState, fate: VersionState?) {
        switch fate {
        case .takenDown: self.init("Taken down", "bad")
        case .yanked: self.init("Withdrawn", "quiet")
        case .published, nil: self.init(state)
        }
    }
}
