// SPDX-License-Identifier: Apache-2.0
import IngestWire
import MarketCommunity
import Synchronization
import TemplateIngest

extension PortraitRenderer {
    /// As the community asks for it; whoever comes while so many are redrawn is asked to come again.
    package func redrawing(atOnce most: Int) -> PictureRedrawing {
        let running = RunningCount()
        return { picture, sides in
            guard running.begin(atMost: most) else { throw ProfilePictureError.busy }
            defer { running.end() }
            do {
                return try await redraw(picture, sides: sides).map { SquarePicture(side: $0.side, webp: $0.webp) }
            } catch let refusal as PortraitRefusal {
                throw ProfilePictureError(refusal)
            }
        }
    }
}

extension ProfilePictureError {
    fileprivate init(_ refusal: PortraitRefusal) {
        self =
            switch refusal {
            case .notAPicture: .notAPicture
            case .animated: .animated
            case .tooLarge: .tooManyPixels
            case .damaged: .damaged
            }
    }
}

/// How many are at it.
private final class RunningCount: Sendable {
    private let count = Mutex(0)

    func begin(atMost most: Int) -> Bool {
        count.withLock { count in
            guard count < most else { return false }
            count += 1
            return true
        }
    }

    func end() {
        count.withLock { $0 -= 1 }
    }
}
