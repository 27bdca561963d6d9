// SPDX-License-Identifier: Apache-2.0
import Foundation
import SheetCore

/// Whose points are counted.
package struct RateLimitSubject: Hashable, Sendable {
    package enum Kind: UInt8, Sendable {
        /// Calls without a credential from an address, and all from it that hash a password.
        case address
        /// Calls of an account, with any of its credentials.
        case account
        /// Calls with one token; they count for its account, too.
        case token
        /// Invalid credentials from an address.
        case invalidCredential

        /// As metrics and the common store name it.
        package var name: String {
            switch self {
            case .address: "address"
            case .account: "account"
            case .token: "token"
            case .invalidCredential: "invalid_credential"
            }
        }
    }

    package let kind: Kind
    /// The same for all buckets that one call may take from.
    package let owner: UInt64
    private let isIPv4: Bool
    private let high: UInt64
    private let low: UInt64

    /// The buckets of an authenticated caller: the account's and, for a token, the token's.
    static func buckets(of identity: Identity) -> [RateLimitSubject] {
        guard case .token(let token) = identity.credential else { return [.account(identity.userID)] }
        return [.account(identity.userID), .token(token, of: identity.userID)]
    }

    /// An account. All its sessions and tokens share one bucket: otherwise more of them would mean more calls.
    package static func account(_ user: UserID) -> RateLimitSubject {
        let (high, low) = numbers(user.rawValue)
        return RateLimitSubject(kind: .account, owner: low, isIPv4: false, high: high, low: low)
    }

    /// A token: its bucket is smaller than the account's, so that one runaway program does not lock its holder out.
    package static func token(_ token: TokenID, of user: UserID) -> RateLimitSubject {
        let (high, low) = numbers(token.rawValue)
        return RateLimitSubject(kind: .token, owner: numbers(user.rawValue).low, isIPv4: false, high: high, low: low)
    }

    /// An address: all of it for IPv4, the /64 network for IPv6, since one household has all of the addresses in it.
    package static func address(_ text: String, kind: Kind = .address) -> RateLimitSubject {
        var v4 = in_addr()
        if inet_pton(AF_INET, text, &v4) == 1 {
            return RateLimitSubject(kind: kind, isIPv4: true, network: 0, number: UInt64(UInt32(bigEndian: v4.s_addr)))
        }
        var v6 = in6_addr()
        guard inet_pton(AF_INET6, text.contains("%") ? String(text.prefix { $0 != "%" }) : text, &v6) == 1 else {
            // Connections without an address share one bucket.
            return RateLimitSubject(kind: kind, isIPv4: false, network: 0, number: 0)
        }
        let bytes = withUnsafeBytes(of: &v6) { [UInt8]($0) }
        // ::ffff:192.0.2.1 is an IPv4 address.
        if bytes.prefix(10).allSatisfy({ $0 == 0 }), bytes[10] == 0xFF, bytes[11] == 0xFF {
            return RateLimitSubject(kind: kind, isIPv4: true, network: 0, number: number(bytes.suffix(4)))
        }
        return RateLimitSubject(kind: kind, isIPv4: false, network: number(bytes.prefix(8)), number: 0)
    }

    private init(kind: Kind, owner: UInt64, isIPv4: Bool, high: UInt64, low: UInt64) {
        self.kind = kind
        self.owner = owner
        self.isIPv4 = isIPv4
        self.high = high
        self.low = low
    }

    private init(kind: Kind, isIPv4: Bool, network: UInt64, number: UInt64) {
        self.init(kind: kind, owner: network ^ number, isIPv4: isIPv4, high: network, low: number)
    }

    private static func numbers(_ id: UUID) -> (high: UInt64, low: UInt64) {
        let bytes = withUnsafeBytes(of: id.uuid) { [UInt8]($0) }
        return (number(bytes.prefix(8)), number(bytes.dropFirst(8)))
    }

    private static func number(_ bytes: some Sequence<UInt8>) -> UInt64 {
        bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Names the bucket in the nodes' common store.
    package var text: String {
        "\(kind.name) \(isIPv4 ? "4" : "6") \(String(high, radix: 16)) \(String(low, radix: 16))"
    }
}

/// What a call takes out of one bucket.
package struct RateLimitCharge: Sendable {
    package let subject: RateLimitSubject
    package let quota: RateLimitQuota
    /// How long the bucket takes to fill it again, in nanoseconds.
    package let time: Int64
}

/// What is left in somebody's bucket.
package struct RateLimitStatus: Sendable, Equatable {
    package var kind: RateLimitSubject.Kind
    package var quota: RateLimitQuota
    /// Points that can be spent at once.
    var remaining: Int
    /// Until the bucket is full, in nanoseconds.
    var fullIn: Int64
}

/// One bucket as a node sees it, by the generic cell rate algorithm: all there is to know is when it will be full.
final class RateLimitBucket {
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
        // What this node has seen filled up again stays unreported: others may have spent from it meanwhile.
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
    func update(debt: Int64, now: Int64) {
        fullAt = now + max(0, debt) + unreported
    }

    func status(_ kind: RateLimitSubject.Kind, _ quota: RateLimitQuota, now: Int64) -> RateLimitStatus {
        let debt = max(0, fullAt - now)
        return RateLimitStatus(
            kind: kind, quota: quota, remaining: quota.points(in: quota.window - debt), fullIn: debt)
    }
}
