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

    init(_ status: SubmissionStatus, now: Date) {
        address = "/submissions/\(status.id)"
        templateName = status.templateName
        version = status.version.description
        state = StateLabel(status.state)
        created = DisplayTime(status.createdAt, now: now)
    }
}
