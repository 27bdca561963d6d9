// SPDX-License-Identifier: Apache-2.0
import Dispatch
import IngestWire

/// A reader's time: the wall limit until its report, then anew for each further step, and a bound on the sum.
/// Time that the supervisor itself takes with a frame does not count.
struct ReaderClock {
    private let limit: Double
    private let limitOfAll: Double
    private var stretch = 0.0
    private var all = 0.0
    private var last = ReaderClock.now

    /// How often a picture may take the whole wall time; together they bound a reading.
    private static let drawingFactor = 12
    /// Grace after the reader's own alarm, which tells more than being killed.
    private static let graceSeconds = 1.0

    init(wallSeconds: Int) {
        limit = Double(wallSeconds) + Self.graceSeconds
        limitOfAll = Double(wallSeconds * Self.drawingFactor) + Self.graceSeconds
    }

    private static var now: Double { Double(DispatchTime.now().uptimeNanoseconds) / 1e9 }

    var hasTime: Bool { stretch < limit && all < limitOfAll }

    mutating func tick() {
        let now = Self.now
        stretch += now - last
        all += now - last
        last = now
    }

    mutating func handedOver(_ kind: ReaderFrame.Kind) {
        last = Self.now
        switch kind {
        case .report, .preview, .look, .cleaning: stretch = 0
        case .ready, .progress, .cleaned, .overlay, .difference, .portrait, .portraitRefused, .end: break
        }
    }
}
