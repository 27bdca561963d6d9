// SPDX-License-Identifier: Apache-2.0
import Foundation
import SheetCore

/// Whose points are counted.
struct RateSubject: Hashable, Sendable {
    enum Kind: UInt8, Sendable {
        /// Calls without a credential from an address.
        case address
        /// Calls of an account, whatever it shows.
        case caller
        /// Credentials from an address that are none.
        case guesses

        var name: String {
            switch self {
            case .address: "address"
            case .caller: "caller"
            case .guesses: "guesses"
            }
        }
    }

    let kind: Kind
    private let isIPv4: Bool
    private let high: UInt64
    private let low: UInt64

    /// An account; all of its sessions and tokens share one bucket, or more of them would mean more calls.
    static func caller(_ user: UserID) -> RateSubject {
        let bytes = withUnsafeBytes(of: user.rawValue.uuid) { [UInt8]($0) }
        return RateSubject(
            kind: .caller, isIPv4: false, high: number(bytes.prefix(8)), low: number(bytes.dropFirst(8)))
    }

    /// An address: all of it for IPv4, the /64 network for IPv6, since one household has all of the addresses in it.
    static func address(_ text: String, kind: Kind = .address) -> RateSubject {
        var v4 = in_addr()
        if inet_pton(AF_INET, text, &v4) == 1 {
            return RateSubject(kind: kind, isIPv4: true, high: 0, low: UInt64(UInt32(bigEndian: v4.s_addr)))
        }
        var v6 = in6_addr()
        guard inet_pton(AF_INET6, text.contains("%") ? String(text.prefix { $0 != "%" }) : text, &v6) == 1 else {
            // A socket without an address: all of them are one.
            return RateSubject(kind: kind, isIPv4: false, high: 0, low: 0)
        }
        let bytes = withUnsafeBytes(of: &v6) { [UInt8]($0) }
        // ::ffff:192.0.2.1 is an IPv4 address.
        if bytes.prefix(10).allSatisfy({ $0 == 0 }), bytes[10] == 0xFF, bytes[11] == 0xFF {
            return RateSubject(kind: kind, isIPv4: true, high: 0, low: number(bytes.suffix(4)))
        }
        return RateSubject(kind: kind, isIPv4: false, high: number(bytes.prefix(8)), low: 0)
    }

    private static func number(_ bytes: some Sequence<UInt8>) -> UInt64 {
        bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Names the bucket in the nodes' common store.
    var text: String {
        "\(kind.name) \(isIPv4 ? "4" : "6") \(String(high, radix: 16)) \(String(low, radix: 16))"
    }
}

/// What is left in somebody's bucket.
struct RateStanding: Sendable, Equatable {
    /// Points that can be spent at once.
    var remaining: Int
    /// Until the bucket is full, in nanoseconds.
    var fullIn: Int64
}

/// One bucket as a node sees it, by the generic cell rate algorithm: all there is to know is when it will be full.
final class RateBucket {
    /// When it will be full, in the node's own nanoseconds.
    private(set) var fullAt: Int64 = 0
    /// What was spent here and the common store does not know yet, in nanoseconds.
    private(set) var unreported: Int64 = 0
    /// Whether it waits to be reported.
    var isDue = false

    /// Nothing, or how long until the points are there.
    func wait(for time: Int64, window: Int64, now: Int64) -> Int64? {
        let over = max(fullAt, now) + time - now - window
        return over > 0 ? over : nil
    }

    /// Takes points out.
    func spend(_ time: Int64, now: Int64) {
        // What has been filled up again need not be told to anybody.
        if fullAt <= now { unreported = 0 }
        fullAt = max(fullAt, now) + time
        unreported += time
    }

    /// Begins a report: what it says.
    func beginReport() -> Int64 {
        isDue = false
        defer { unreported = 0 }
        return unreported
    }

    /// The report came to nothing.
    func failReport(of time: Int64) {
        unreported += time
    }

    /// The common store has said how far from full the bucket is, with all that it was told.
    func learn(debt: Int64, now: Int64) {
        fullAt = now + max(0, debt) + unreported
    }

    func standing(_ quota: RateQuota, now: Int64) -> RateStanding {
        let debt = max(0, fullAt - now)
        return RateStanding(remaining: quota.points(in: quota.window - debt), fullIn: debt)
    }
}
