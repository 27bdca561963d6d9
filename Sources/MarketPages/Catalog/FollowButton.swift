// SPDX-License-Identifier: Apache-2.0
import MarketHTTP
import MarketPlatform

/// A button that marks or follows something, or no longer does. Whoever is not signed in is led there first.
package struct FollowButton: Sendable {
    let action: String
    let label: Phrase
    let isOn: Bool
    /// What pressing it asks for.
    let wanted: String
    /// The page to come back to.
    let next: String
    let signInAddress: String?

    private init(_ action: String, _ off: Phrase, _ on: Phrase, _ isOn: Bool?, next: String) {
        self.action = action
        self.isOn = isOn ?? false
        label = self.isOn ? on : off
        wanted = self.isOn ? "no" : "yes"
        self.next = next
        signInAddress = isOn == nil ? PageAddress("/login").with("next", next).text : nil
    }

    /// `isOn` is `nil` where nobody is signed in.
    package static func favorite(_ slug: String, isOn: Bool?) -> FollowButton {
        FollowButton(
            PagePaths.sheet(slug, "favorite"), "Add to favourites", "Remove from favourites", isOn,
            next: PagePaths.sheet(slug))
    }

    package static func author(_ handle: String, named name: Phrase, isOn: Bool?, next: String) -> FollowButton {
        FollowButton("/authors/\(handle)/follow", "Follow \(name)", "Unfollow \(name)", isOn, next: next)
    }

    package static func system(_ slug: String, named name: Phrase, isOn: Bool?, next: String) -> FollowButton {
        FollowButton("/games/\(slug)/follow", "Follow \(name)", "Unfollow \(name)", isOn, next: next)
    }
}
