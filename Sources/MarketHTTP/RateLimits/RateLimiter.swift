// SPDX-License-Identifier: Apache-2.0
import Logging
import MarketPlatform
import Postgres
import ServiceLifecycle
import SheetCore
import Synchronization

/// Limits how often clients may call. Each node counts in memory; the nodes share their counts through the database.
///
/// A read is decided in memory, without a query. When somebody has spent a 64th of their bucket here, that is reported
/// in the background, many buckets in one statement, and the answer says what they spent on all nodes. So a read may be
/// let through too much by a 64th for each node, and by what comes while a report is under way. So is an ordinary
/// change of somebody who is signed in, while seven eighths of their buckets are left and the common store answered
/// within the last tenth of a second; every other change is taken out of the common bucket by a statement of its own,
/// so that near its end the limit is kept by all nodes together. When that fails, changes are refused and reads go on
/// with what the node knows. A call with a token takes from two buckets, the account's and the token's, both in the
/// same statement; when one has too little, the other keeps what it has.
package final class RateLimiter: Sendable {
    /// Called with each refusal: the kind of the bucket, or `store`.
    package typealias Observe = @Sendable (_ bucket: String) -> Void

    /// Most buckets kept in memory; beyond that the least recently used one is dropped, and its caller starts with a
    /// full bucket.
    package static let capacity = 32_768
    private static let shards = 16
    /// Buckets in one report.
    private static let largestReport = 500
    /// The part of a bucket that may be spent before it is reported.
    private static let reportedPart: Int64 = 64
    /// The part of a bucket that changes may spend without asking the common store.
    private static let localShare: Int64 = 8

    /// Counts by key; its lock is held for a few sums.
    private final class Shard: Sendable {
        let buckets = Mutex(
            LRUCache<RateLimitSubject, RateLimitBucket>(capacity: RateLimiter.capacity / RateLimiter.shards))
    }

    package let settings: MiddlewareSettings
    private let database: PostgresClient
    private let logger: Logger
    private let observe: Observe
    private let shards: [Shard]
    private let due = Mutex<[RateLimitSubject]>([])
    private let signal: AsyncStream<Void>.Continuation
    private let signals: AsyncStream<Void>
    private let clock: @Sendable () -> ContinuousClock.Instant
    private let epoch: ContinuousClock.Instant
    /// What is known of the common store.
    private struct Health {
        /// When it last answered, in the node's own nanoseconds; `nil` when it failed since.
        var answered: Int64?
        /// Whether somebody is asking it again before it is no longer trusted.
        var isAsked = false
    }

    private let health = Mutex(Health())
    /// For how long the store is believed to go on answering, in nanoseconds.
    private let trust: Int64

    package init(
        settings: MiddlewareSettings, database: PostgresClient, logger: Logger,
        trust: Duration = .milliseconds(100), observe: @escaping Observe = { _ in },
        clock: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.trust = Int64(trust / .nanoseconds(1))
        self.clock = clock
        epoch = clock()
        self.settings = settings
        self.database = database
        self.logger = logger
        self.observe = observe
        shards = (0..<Self.shards).map { _ in Shard() }
        (signals, signal) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// The node's own nanoseconds.
    private var now: Int64 {
        let passed = epoch.duration(to: clock()).components
        return passed.seconds * 1_000_000_000 + passed.attoseconds / 1_000_000_000
    }

    private func quota(of kind: RateLimitSubject.Kind) -> RateLimitQuota {
        switch kind {
        case .address: settings.addressQuota
        case .account: settings.accountQuota
        case .token: settings.tokenQuota ?? settings.accountQuota.half
        case .invalidCredential: settings.invalidCredentialQuota
        }
    }

    private func share(of subject: RateLimitSubject, _ points: Int) -> RateLimitCharge? {
        let quota = quota(of: subject.kind)
        guard !quota.isOff, points > 0 else { return nil }
        return RateLimitCharge(subject: subject, quota: quota, time: quota.time(of: points))
    }

    // MARK: - Deciding

    /// Takes what a call costs out of buckets with one owner; what they are like then, where they are limited.
    /// Throws `too_many_requests`, or `limits_unavailable` for a change when the common store is asked and fails.
    package func consume(_ cost: RouteCost, from subjects: [RateLimitSubject]) async throws(RateLimitError)
        -> [RateLimitStatus]
    {
        let points = settings.costs[cost] ?? 0
        let shares = subjects.compactMap { share(of: $0, points) }
        guard cost.isChange else { return try consumeLocally(shares) }
        // What hashes passwords, takes files or comes from nobody known is worth a statement each time.
        if cost == .write, subjects.allSatisfy({ $0.kind != .address }), let standings = consumeLocallyIfAmple(shares) {
            return standings
        }
        return try await consumeShared(shares)
    }

    /// Charges an address for an invalid credential.
    func recordInvalidCredential(from address: String) {
        guard let charge = share(of: .address(address, kind: .invalidCredential), 1) else { return }
        // That it is one too many is for the next call to say: this one is refused already.
        _ = try? consumeLocally([charge])
    }

    /// Throws when an address has sent too many invalid credentials; further ones are not checked.
    func checkInvalidCredentials(from address: String) throws(RateLimitError) {
        let quota = settings.invalidCredentialQuota
        guard !quota.isOff else { return }
        let subject = RateLimitSubject.address(address, kind: .invalidCredential)
        let now = now
        let refusal: RateLimitError? = shard(of: subject).buckets.withLock { buckets in
            guard let bucket = buckets.use(subject),
                let wait = bucket.wait(for: quota.time(of: 1), window: quota.window, now: now)
            else { return nil }
            return RateLimitError(
                kind: .invalidCredential, retryIn: wait, standings: [bucket.status(.invalidCredential, quota, now: now)]
            )
        }
        if let refusal { throw refused(refusal) }
    }

    /// What this node's own counts say of a call.
    private struct Decision: Sendable {
        var refusal: RateLimitError?
        var standings: [RateLimitStatus] = []
        /// Of what was spent so much that it is to be reported.
        var due: [RateLimitSubject] = []
    }

    /// Whether the first `part`-th of each bucket has what a call takes; then it is taken out of all of them, if it
    /// shall be.
    private func decide(_ shares: [RateLimitCharge], spends: Bool, part: Int64 = 1) -> Decision {
        guard let owner = shares.first?.subject else { return Decision() }
        let now = now
        return shard(of: owner).buckets.withLock { buckets in
            var decision = Decision()
            var held: [RateLimitBucket] = []
            var empty: (kind: RateLimitSubject.Kind, wait: Int64)?
            for share in shares {
                let bucket = Self.bucket(of: share.subject, in: &buckets)
                held.append(bucket)
                let wait = bucket.wait(for: share.time, window: share.quota.window / part, now: now) ?? 0
                if wait > empty?.wait ?? 0 { empty = (share.subject.kind, wait) }
            }
            for (share, bucket) in zip(shares, held) {
                if spends, empty == nil {
                    bucket.spend(share.time, now: now)
                    if !bucket.isDue, bucket.unreported >= share.quota.window / Self.reportedPart {
                        bucket.isDue = true
                        decision.due.append(share.subject)
                    }
                }
                decision.standings.append(bucket.status(share.subject.kind, share.quota, now: now))
            }
            if let empty {
                decision.refusal = RateLimitError(
                    kind: empty.kind, retryIn: empty.wait, standings: decision.standings)
            }
            return decision
        }
    }

    /// Decides by this node's own counts where much is left and the common store answers; else `nil`, and nothing is
    /// taken.
    private func consumeLocallyIfAmple(_ shares: [RateLimitCharge]) -> [RateLimitStatus]? {
        guard isTrusted() else { return nil }
        let decision = decide(shares, spends: true, part: Self.localShare)
        if !decision.due.isEmpty { enqueue(decision.due) }
        return decision.refusal == nil ? decision.standings : nil
    }

    /// Decides by this node's own counts.
    private func consumeLocally(_ shares: [RateLimitCharge]) throws(RateLimitError) -> [RateLimitStatus] {
        let decision = decide(shares, spends: true)
        if !decision.due.isEmpty { enqueue(decision.due) }
        if let refusal = decision.refusal { throw refused(refusal) }
        return decision.standings
    }

    /// Decides by what all nodes have counted.
    private func consumeShared(_ shares: [RateLimitCharge]) async throws(RateLimitError) -> [RateLimitStatus] {
        guard !shares.isEmpty else { return [] }
        // A caller known to be over the limit is refused without a query.
        if let known = decide(shares, spends: false).refusal { throw refused(known) }
        var answers: [RateLimitStore.Answer]
        do {
            answers = try await RateLimitStore.consume(shares, database)
        } catch {
            // A cancelled call is no sign that the store failed.
            if !Task.isCancelled {
                recordStoreFailure()
                observe("store")
                logger.warning("limits cannot be kept", metadata: ["error": "\(String(reflecting: error))"])
            }
            throw .unavailable
        }
        var standings = update(answers, shares)
        recordStoreSuccess()
        if !answers.allSatisfy(\.isTaken) {
            answers = await refund(answers, shares)
            standings = update(answers, shares)
        }
        var empty: (kind: RateLimitSubject.Kind, wait: Int64)?
        for (share, answer) in zip(shares, answers) {
            let wait = max(1_000_000, answer.debt + share.time - share.quota.window)
            if !answer.isTaken, wait > empty?.wait ?? 0 { empty = (share.subject.kind, wait) }
        }
        if let empty { throw refused(RateLimitError(kind: empty.kind, retryIn: empty.wait, standings: standings)) }
        return standings
    }

    /// Takes over what the common store says of buckets; what they are like then.
    private func update(_ answers: [RateLimitStore.Answer], _ shares: [RateLimitCharge]) -> [RateLimitStatus] {
        let now = now
        return zip(shares, answers).map { share, answer in
            withBucket(share.subject) { bucket in
                bucket.update(debt: answer.debt, now: now)
                return bucket.status(share.subject.kind, share.quota, now: now)
            }
        }
    }

    /// Gives back what one bucket gave for a call that another one refuses. When that fails, it fills up in its time.
    private func refund(_ answers: [RateLimitStore.Answer], _ shares: [RateLimitCharge]) async -> [RateLimitStore
        .Answer]
    {
        var known: [RateLimitStore.Answer] = []
        for (share, answer) in zip(shares, answers) {
            var answer = answer
            if answer.isTaken {
                let back = [(bucket: answer.bucket, time: -share.time)]
                // Whoever runs out of their bucket for it waits a moment longer: no reason to fail the call.
                let now = try? await RateLimitStore.report(back, database)
                answer.debt = now?.first?.debt ?? answer.debt
            }
            known.append(answer)
        }
        return known
    }

    /// Whether a change may go on without asking the common store. The first in the second half of its time asks, so
    /// that under load the others need not.
    private func isTrusted() -> Bool {
        let now = now
        return health.withLock { health in
            guard let age = health.answered.map({ now - $0 }), age < trust else { return false }
            if age < trust / 2 || health.isAsked { return true }
            health.isAsked = true
            return false
        }
    }

    private func recordStoreSuccess() {
        let now = now
        health.withLock { $0 = Health(answered: now) }
    }

    private func recordStoreFailure() { health.withLock { $0 = Health() } }

    private func refused(_ refusal: RateLimitError) -> RateLimitError {
        observe(refusal.kind?.name ?? "store")
        return refusal
    }

    // MARK: - Buckets

    private func shard(of subject: RateLimitSubject) -> Shard {
        shards[Int(UInt(bitPattern: subject.owner.hashValue) % UInt(Self.shards))]
    }

    private static func bucket(
        of subject: RateLimitSubject, in buckets: inout LRUCache<RateLimitSubject, RateLimitBucket>
    ) -> RateLimitBucket {
        if let bucket = buckets.use(subject) { return bucket }
        let bucket = RateLimitBucket()
        buckets.enter(bucket, for: subject, cost: 1)
        return bucket
    }

    private func withBucket<T: Sendable>(_ subject: RateLimitSubject, _ body: (RateLimitBucket) -> T) -> T {
        shard(of: subject).buckets.withLock { buckets in
            body(Self.bucket(of: subject, in: &buckets))
        }
    }

    /// How many buckets are remembered.
    package var count: Int { shards.reduce(0) { $0 + $1.buckets.withLock { $0.count } } }

    // MARK: - Reporting

    private func enqueue(_ subjects: [RateLimitSubject]) {
        due.withLock { $0 += subjects }
        signal.yield()
    }

    /// Tells the common store what was spent here, and learns what was spent elsewhere. Throws when that fails; then
    /// nothing is forgotten.
    package func report() async throws {
        let subjects = due.withLock { due in
            let some = Array(due.prefix(Self.largestReport))
            due.removeFirst(some.count)
            return some
        }
        var spent: [(bucket: String, time: Int64)] = []
        var names: [String: RateLimitSubject] = [:]
        for subject in subjects {
            guard names.updateValue(subject, forKey: subject.text) == nil else { continue }
            let time = withBucket(subject) { $0.beginReport() }
            guard time > 0 else { continue }
            spent.append((subject.text, time))
        }
        guard !spent.isEmpty else { return }
        do {
            let answers = try await RateLimitStore.report(spent, database)
            let now = now
            for answer in answers {
                guard let subject = names[answer.bucket] else { continue }
                withBucket(subject) { $0.update(debt: answer.debt, now: now) }
            }
            recordStoreSuccess()
        } catch {
            if !Task.isCancelled { recordStoreFailure() }
            for (name, time) in spent {
                guard let subject = names[name] else { continue }
                withBucket(subject) { bucket in
                    bucket.failReport(of: time)
                    bucket.isDue = true
                }
            }
            due.withLock { $0 += names.values }
            throw error
        }
    }

    /// Whether something waits to be reported.
    private var hasDue: Bool { due.withLock { !$0.isEmpty } }

    /// Follows `signals`, so it is no `PeriodicTask`: who spends nothing reports nothing.
    fileprivate func runReporting() async {
        var hasFailed = false
        for await _ in signals {
            do {
                try await report()
                hasFailed = false
            } catch {
                if Task.isCancelled { return }
                observe("store")
                if !hasFailed { logger.warning("limits are not shared", metadata: ["error": "\(error)"]) }
                hasFailed = true
            }
            // What comes in the meantime goes into the next report. Sleeping fails only when the task is cancelled.
            guard (try? await Task.sleep(for: hasFailed ? .seconds(1) : .milliseconds(50))) != nil else { return }
            if hasDue { signal.yield() }
        }
    }
}

/// Synchronizes the counts between nodes until it is cancelled.
package struct RateLimitSynchronizer: Service {
    package let limiter: RateLimiter

    package init(limiter: RateLimiter) {
        self.limiter = limiter
    }

    package func run() async throws {
        await cancelWhenGracefulShutdown { [limiter] in await limiter.runReporting() }
    }
}
