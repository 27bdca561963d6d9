// SPDX-License-Identifier: Apache-2.0
import MarketPlatform
import MarketWire

/// The disc that stands for a person: their picture, or their initials on a colour that they chose.
package struct PersonDisc: Sendable {
    package let initials: String
    /// Names the class of its colour.
    package let colour: Int
    /// The picture's address, and what it is said to be.
    package let face: String?
    package let faceText: Phrase

    package init(_ profile: Profile) {
        initials = Self.initials(of: profile.displayName, or: profile.handle)
        colour = profile.colour
        face = profile.smallPictureURL
        faceText = "Picture of \(profile.displayName)"
    }

    /// The first letters of the first and the last word.
    static func initials(of name: String, or handle: String) -> String {
        let words = name.split { !$0.isLetter && !$0.isNumber }
        let letters = [words.first, words.count > 1 ? words.last : nil].compactMap { $0?.first.map(String.init) }
        return (letters.isEmpty ? String(handle.prefix(1)) : letters.joined()).uppercased()
    }
}
