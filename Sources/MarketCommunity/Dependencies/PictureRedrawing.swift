// SPDX-License-Identifier: Apache-2.0
import Foundation

/// A person's picture as it was redrawn.
package struct SquarePicture: Sendable {
    /// In pixels.
    package var side: Int
    package var webp: [UInt8]

    package init(side: Int, webp: [UInt8]) {
        self.side = side
        self.webp = webp
    }
}

/// Redraws a picture as squares of these sides, in a sandbox; throws `ProfilePictureError` for one that is not taken.
package typealias PictureRedrawing = @Sendable (_ picture: Data, _ sides: [Int]) async throws -> [SquarePicture]
