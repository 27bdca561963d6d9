// SPDX-License-Identifier: Apache-2.0

/// So many points in so many seconds: a bucket of that size that fills evenly.
package struct RateLimitQuota: Sendable, Equatable {
    /// The bucket's size; with 0 nothing is limited.
    package var points: Int
    /// How long an empty bucket takes to fill, in seconds.
    package var seconds: Int

    package init(points: Int, seconds: Int) {
        self.points = points
        self.seconds = seconds
    }

    /// A bucket of half the size that takes as long to fill.
    var half: RateLimitQuota { isOff ? self : RateLimitQuota(points: max(1, points / 2), seconds: seconds) }

    /// Limits nothing.
    package static let off = RateLimitQuota(points: 0, seconds: 60)

    package var isOff: Bool { points <= 0 }
    /// How long an empty bucket takes to fill, in nanoseconds.
    package var window: Int64 { Int64(seconds) * 1_000_000_000 }

    /// How long the bucket takes to fill what `points` took out, in nanoseconds; never longer than all of it takes.
    package func time(of points: Int) -> Int64 {
        isOff ? 0 : min(window, window / Int64(self.points) * Int64(points))
    }

    /// How many points fit in a time.
    package func points(in time: Int64) -> Int {
        isOff ? 0 : max(0, Int(time / max(1, window / Int64(points))))
    }
}

/// Settings of what every call goes through.
package struct MiddlewareSettings: Sendable {
    /// For calls without a credential, and all that hash a password, by address (IPv6: by /64).
    package var addressQuota = RateLimitQuota(points: 6000, seconds: 60)
    /// For calls with a credential, by account.
    package var accountQuota = RateLimitQuota(points: 12_000, seconds: 60)
    /// For calls with a token, by token, beside its account's; `nil` is half of that.
    package var tokenQuota: RateLimitQuota?
    /// For invalid credentials, by address.
    package var invalidCredentialQuota = RateLimitQuota(points: 600, seconds: 600)
    /// What calls cost, in points.
    package var costs: [RouteCost: Int] = Self.usualCosts
    /// Pages of other sites that may read answers.
    package var origins = AllowedOrigins.any
    /// How long an answer to a call with an `Idempotency-Key` is kept, in seconds.
    package var idempotencySeconds = 86_400.0
    /// How long a node caches the identity behind a credential, for reads, in seconds; 0 turns that off.
    package var credentialSeconds = 2.0

    package init() {}

    /// What calls cost unless set otherwise.
    package static let usualCosts: [RouteCost: Int] = [
        .free: 0, .read: 1, .search: 2, .write: 10, .upload: 50, .signIn: 20,
    ]
}
