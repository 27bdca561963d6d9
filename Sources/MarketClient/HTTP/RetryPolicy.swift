// SPDX-License-Identifier: Apache-2.0
import Foundation

/// How often and after what wait a call that changes nothing twice is made again.
public struct RetryPolicy: Sendable, Equatable {
    /// All tries together, the first among them.
    public var attempts: Int
    /// Wait before the second try when the server names none; doubled for each further one.
    public var firstDelay: Duration
    /// The longest wait that is obeyed; a server that asks for more gets no further try.
    public var longestDelay: Duration

    /// Three tries within seconds.
    public init(attempts: Int = 3, firstDelay: Duration = .milliseconds(250), longestDelay: Duration = .seconds(20)) {
        self.attempts = attempts
        self.firstDelay = firstDelay
        self.longestDelay = longestDelay
    }

    /// The first try only.
    public static let none = RetryPolicy(attempts: 1)

    /// The wait after the given failed try (from 1), or `nil` to give up.
    func delay(after attempt: Int, asked: Duration?) -> Duration? {
        guard attempt < attempts else { return nil }
        if let asked { return asked <= longestDelay ? asked : nil }
        let doubled = firstDelay * (1 << min(attempt - 1, 10))
        // Clients that failed together should not come back together.
        return min(doubled * Double.random(in: 0.75...1.25), longestDelay)
    }

    /// Reads `Retry-After`: seconds or an HTTP date (RFC 9110, section 10.2.3).
    static func retryAfter(_ value: String?, now: Date = Date()) -> Duration? {
        guard let value = value?.trimmingCharacters(in: .whitespaces), !value.isEmpty else { return nil }
        if let seconds = Int(value) { return seconds >= 0 ? .seconds(min(seconds, 86_400 * 366)) : nil }
        guard let date = HTTPDate.parse(value) else { return nil }
        return .seconds(max(0, date.timeIntervalSince(now)))
    }
}

/// Times as HTTP writes them: `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110, section 5.6.7).
enum HTTPDate {
    /// `nil` for anything else.
    static func parse(_ text: String) -> Date? {
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.timeZone = TimeZone(identifier: "GMT")
        format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss zzz"
        return format.date(from: text)
    }
}
