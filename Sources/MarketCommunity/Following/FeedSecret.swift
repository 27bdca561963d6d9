// SPDX-License-Identifier: Apache-2.0
import Crypto
import Foundation
import MarketPlatform
import SheetCore

/// What the address of a person's own feed holds, which nobody can guess. Only its hash is kept.
package struct FeedSecret: Sendable {
    /// Bytes of randomness.
    private static let length = 24

    /// As it stands in the address.
    package let text: String

    package init() {
        text = SymmetricKey(size: .init(bitCount: Self.length * 8)).withUnsafeBytes { Data($0) }.base64URL
    }

    /// Reads one; `nil` for what never was one.
    package init?(_ text: String) {
        guard Data(base64URL: text)?.count == Self.length else { return nil }
        self.text = text
    }

    /// A plain SHA-256 is enough for 192 random bits.
    var hash: ContentHash { ContentHash(hashing: Data(text.utf8)) }

    /// The feed's address below the site's.
    package var path: String { "\(Self.feed)?key=\(text)" }

    /// Where feeds are read.
    package static let feed = "/feeds/following.atom"
}
