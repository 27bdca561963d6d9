// SPDX-License-Identifier: Apache-2.0

/// What a call counts for where it is limited; every route has one.
public enum RouteCost: String, Sendable, CaseIterable {
    /// Files that are the same for all, and signs of life.
    case free
    /// One thing, or a page of a list.
    case read
    /// What ranks or compares.
    case search
    /// A change.
    case write
    /// A file to be read and looked at.
    case upload
    /// What hashes a password, or tells whether a secret is right.
    case signIn = "sign-in"

    /// Whether the call changes something: such a call is refused while the nodes' common store fails.
    var isChange: Bool {
        switch self {
        case .free, .read, .search: false
        case .write, .upload, .signIn: true
        }
    }
}

/// So many points in so many seconds: a bucket of that size that fills evenly.
public struct RateQuota: Sendable, Equatable {
    /// The bucket's size; with 0 nothing is limited.
    public var points: Int
    /// How long an empty bucket takes to fill, in seconds.
    public var seconds: Int

    /// Both parts.
    public init(points: Int, seconds: Int) {
        self.points = points
        self.seconds = seconds
    }

    /// A bucket of half the size that takes as long to fill.
    var half: RateQuota { isOff ? self : RateQuota(points: max(1, points / 2), seconds: seconds) }

    /// Limits nothing.
    public static let off = RateQuota(points: 0, seconds: 60)

    var isOff: Bool { points <= 0 }
    /// How long an empty bucket takes to fill, in nanoseconds.
    var window: Int64 { Int64(seconds) * 1_000_000_000 }

    /// How long the bucket takes to fill what `points` took out, in nanoseconds; never longer than all of it takes.
    func time(of points: Int) -> Int64 {
        isOff ? 0 : min(window, window / Int64(self.points) * Int64(points))
    }

    /// How many points fit in a time.
    func points(in time: Int64) -> Int {
        isOff ? 0 : max(0, Int(time / max(1, window / Int64(points))))
    }
}

/// Which pages of other sites may read answers.
public enum AllowedOrigins: Sendable, Equatable {
    case none
    case any
    case listed(Set<String>)
}

/// What every call goes through; each is a setting.
public struct GateSettings: Sendable {
    /// For calls without a credential, and all that hash a password, by address (IPv6: by /64).
    public var addressQuota = RateQuota(points: 6000, seconds: 60)
    /// For calls with one, by account.
    public var callerQuota = RateQuota(points: 12_000, seconds: 60)
    /// For calls with a token, by token, beside its account's; `nil` is half of that.
    public var tokenQuota: RateQuota?
    /// Credentials that are none, by address.
    public var guessQuota = RateQuota(points: 600, seconds: 600)
    /// What calls cost, in points.
    public var costs: [RouteCost: Int] = Self.usualCosts
    /// Pages of other sites that may read answers.
    public var origins = AllowedOrigins.any
    /// How long an answer to a call with an `Idempotency-Key` is kept, in seconds.
    public var replaySeconds = 86_400.0
    /// How long a node remembers for reads who showed a credential, in seconds; with 0 it does not.
    public var credentialSeconds = 2.0

    /// The defaults.
    public init() {}

    /// What calls cost unless set otherwise.
    public static let usualCosts: [RouteCost: Int] = [
        .free: 0, .read: 1, .search: 2, .write: 10, .upload: 50, .signIn: 20,
    ]

    /// The same without limits.
    public var unlimited: GateSettings {
        var copy = self
        copy.addressQuota = .off
        copy.callerQuota = .off
        copy.tokenQuota = .off
        copy.guessQuota = .off
        return copy
    }
}

extension SettingForm where Value == RateQuota {
    /// `POINTS/TIME`, or `off`.
    static let quota = Self { text in
        if text == "off" { return .off }
        let parts = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, let points = Int(parts[0]), (1...1_000_000_000).contains(points) else {
            throw SettingProblem("must be points in a time, such as 6000/1m, or off")
        }
        return RateQuota(points: points, seconds: try SettingForm<Int>.wholeSeconds(1...86_400).read(parts[1]))
    }
}

extension SettingForm where Value == [RouteCost: Int] {
    /// `read=1,write=10`; what is not named costs as usual.
    static let costs = Self { text in
        var costs = GateSettings.usualCosts
        for part in text.split(separator: ",") {
            let pair = part.split(separator: "=").map { $0.filter { !$0.isWhitespace } }
            guard pair.count == 2, let cost = RouteCost(rawValue: pair[0]), let points = Int(pair[1]),
                (0...100_000).contains(points)
            else {
                let names = RouteCost.allCases.map(\.rawValue).joined(separator: ", ")
                throw SettingProblem("must be costs such as read=1,write=10, of \(names)")
            }
            costs[cost] = points
        }
        return costs
    }
}

extension SettingForm where Value == AllowedOrigins {
    /// `*`, `none`, or origins separated by commas.
    static let origins = Self { text in
        switch text {
        case "*": return .any
        case "none": return .none
        default:
            let form = SettingForm<String>.address(["http", "https"])
            let origins = try text.split(separator: ",").map { part in
                let origin = try form.read(part.filter { !$0.isWhitespace }).lowercased()
                guard origin.split(separator: "/").count == 2 else {
                    throw SettingProblem("must be origins (scheme, host and port alone), '*' or 'none'")
                }
                return origin
            }
            return .listed(Set(origins))
        }
    }
}
