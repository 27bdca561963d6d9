// SPDX-License-Identifier: Apache-2.0
import Foundation
import Synchronization

/// The time at an S3 server, which takes no signature that is a quarter of an hour away from it. A machine whose clock is wrong
/// learns it from an answer.
final class S3Clock: Sendable {
    /// Less is no reason to refuse a signature.
    private static let negligible = 60.0

    private let ours: @Sendable () -> Date
    private let difference = Mutex<TimeInterval>(0)

    /// `ours` tells this machine's time.
    init(ours: @escaping @Sendable () -> Date = { Date() }) {
        self.ours = ours
    }

    var now: Date { ours().addingTimeInterval(difference.withLock { $0 }) }

    /// Takes over the time in the field `Date` of an answer that refused us; `false` when it is what we took it for.
    func learn(from field: String?) -> Bool {
        guard let theirs = field.flatMap(Self.date) else { return false }
        let late = theirs.timeIntervalSince(now)
        guard abs(late) > Self.negligible else { return false }
        difference.withLock { $0 += late }
        return true
    }

    /// As HTTP writes it (RFC 9110, section 5.6.7).
    private static func date(_ text: String) -> Date? {
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.timeZone = .gmt
        format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return format.date(from: text)
    }
}
