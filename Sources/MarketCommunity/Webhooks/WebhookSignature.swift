// SPDX-License-Identifier: Apache-2.0
import Crypto
import Foundation
import Outgoing

/// What a webhook's deliveries are signed with (Standard Webhooks 1.0.0): 32 random bytes that the receiver knows, too.
struct WebhookSecret: Equatable, Sendable {
    static let mark = "whsec_"

    let bytes: [UInt8]

    init() {
        bytes = SymmetricKey(size: .bits256).withUnsafeBytes { Array($0) }
    }

    init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// As the receiver is given it.
    var text: String { Self.mark + Data(bytes).base64EncodedString() }

    /// The fields that prove where `body` is from, and when it was sent.
    func fields(id: String, body: String, at now: Date) -> [(name: String, value: String)] {
        let timestamp = String(Int64(now.timeIntervalSince1970))
        let code = HMAC<SHA256>.authenticationCode(
            for: Data("\(id).\(timestamp).\(body)".utf8), using: SymmetricKey(data: bytes))
        return [
            ("webhook-id", id), ("webhook-timestamp", timestamp),
            ("webhook-signature", "v1,\(Data(code).base64EncodedString())"),
        ]
    }
}

/// When what did not arrive is sent again.
package struct WebhookSchedule: Sendable {
    /// Seconds after the first attempt, the second, …; with spread they make about three days.
    var pauses: [Double] = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400]
    /// How far either way pauses are spread.
    var spread = 0.1
    /// A webhook to which nothing has arrived for so long is turned off.
    package var disableAfterSeconds = 5.0 * 86_400
    /// How long an attempt may take.
    var attemptSeconds = 15.0
    /// How long nobody else touches a delivery that is being sent; longer than an attempt.
    package var leaseSeconds = 60.0
    /// How often due deliveries are looked for, besides when one is entered.
    package var pollSeconds = 2.0

    /// Seconds until the next attempt; `nil` when this was the last. A receiver may ask for more, up to a day.
    package func pause(afterTry number: Int, asked: Double? = nil) -> Double? {
        guard pauses.indices.contains(number - 1) else { return nil }
        let pause = pauses[number - 1] * Double.random(in: (1 - spread)...(1 + spread))
        return max(pause, min(asked ?? 0, 86_400))
    }
}

/// Where events may be sent.
enum WebhookAddress {
    /// What is wrong with an address; `nil` when nothing is. Where its name leads is looked at with every attempt.
    static func problem(of text: String, takesPlainHTTP: Bool) -> String? {
        guard text.utf8.count <= 2048, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }),
            let parts = URLComponents(string: text), let scheme = parts.scheme?.lowercased(),
            let host = parts.host, !host.isEmpty
        else { return "A whole address, such as https://example.org/hook, of at most 2048 characters." }
        guard scheme == "https" || (takesPlainHTTP && scheme == "http") else { return "It begins with https://." }
        guard parts.user == nil, parts.password == nil else { return "Without a name or password in it." }
        guard parts.fragment == nil else { return "Without a fragment ('#…')." }
        return nil
    }
}
