// SPDX-License-Identifier: Apache-2.0
import MarketPlatform

extension ManageView {
    /// What was just done.
    enum Note: String, Sendable {
        case saved, withdrawn, offered, channel, deprecated, undeprecated, changed, removed, invited, uninvited

        /// In words; a sheet of which nothing is on offer has no page that could say anything.
        func text(hasPage: Bool) -> Phrase {
            switch self {
            case .deprecated where !hasPage: "People who have this sheet are now told that it is deprecated."
            case .undeprecated where !hasPage: "The sheet is no longer deprecated."
            case .saved: "Saved."
            case .withdrawn: "The version is withdrawn. People who have it are told when they look for updates."
            case .offered: "The version is on offer again."
            case .channel: "The version is offered to others now."
            case .deprecated: "The sheet's page now says that it is deprecated."
            case .undeprecated: "The sheet is no longer deprecated, and its page says so."
            case .changed: "Their role is changed."
            case .removed: "They no longer work on this sheet."
            case .invited: "Invitation sent. They can answer it on their account page."
            case .uninvited: "The invitation is withdrawn."
            }
        }
    }
}
