// SPDX-License-Identifier: Apache-2.0
import SheetCore

/// Two pages laid over each other: what only the older one has in vermilion, what only the newer one has in blue, what both
/// have in grey, with boxes around words and fields that came, went or moved.
public struct DifferencePicture: Sendable, Codable, Equatable {
    /// Where it is, for moderators.
    public var url: String
    /// Pixels.
    public var width: Int
    /// Pixels.
    public var height: Int
    /// SHA-256 of the bytes.
    public var sha256: ContentHash

    public init(url: String, width: Int, height: Int, sha256: ContentHash) {
        self.url = url
        self.width = width
        self.height = height
        self.sha256 = sha256
    }
}
