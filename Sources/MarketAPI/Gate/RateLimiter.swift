// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Logging
import MarketWire
import Postgres
import ServiceLifecycle
import SheetCore
import Synchronization

/// Who may call how often. Each node counts in memory, and the nodes share their counts through the database.
///
/// A read is decided in memory, without a query. When somebody has spent a 64th of their bucket here, that is reported in
/// the background, many buckets in one statement, and the answer says what they spent on all nodes. So a read may be let
/// through too much by a 64th for each node, and by what comes while a report is under way. A change is taken out of the
/// common bucket by a statement of its own, so that there the limit is exact; when that fails, changes are refused and
/// reads go on with what the node knows.
public final class RateLimiter: Sendable {
    /// Told of each refusal: the kind of bucket, or `store`.
    typealias Observe = @Sendable (_ bucket: String) -> Void

    /// Buckets that are remembered at once; beyond that, whoever called least recently is taken for new here.
    static let capacity = 32_768
    private static let shards = 16
    /// Buckets in one report.
    private static let largestReport = 500
    /// The part of a bucket that may be spent before it is reported.
    private static let reportedPart: Int64 = 64

    /// Counts by key; its lock is held for a few sums.
    private final class Shard: Sendable {
        let buckets = Mutex(RecentlyUsed<RateSubject, RateBucket>(capacity: RateLimiter.capacity / RateLimiter.shards))
    }

    let settings: GateSettings
    private let database: PostgresClient
    private let logger: Logger
    private let observe: Observe
    private let shards: [Shard]
    private let due = Mutex<[RateSubject]>([])
    private let signal: AsyncStream<Void>.Continuation
    private let signals: AsyncStream<Void>
    private let epoch = ContinuousClock.now

    init(
        settings: GateSettings, database: PostgresClient, logger: Logger, observe: @escaping Observe = { _ in }
    ) {
        self.settings = settings
        self.database = database
        self.logger = logger
        self.observe = observe
        shards = (0..<Self.shards).map { _ in Shard() }
        (signals, signal) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// The node's own nanoseconds.
    private var now: Int64 {
        let passed = epoch.duration(to: .now).components
        return passed.seconds * 1_000_000_000 + passed.attoseconds / 1_000_000_000
    }

    private func quota(of kind: RateSubject.Kind) -> RateQuota {
        switch kind {
        case .address: settings.addressQuota
        case .caller: settings.callerQuota
        case .guesses: settings.guessQuota
        }
    }

    // MARK: - Deciding

    /// Takes what a call costs; `nil` where nothing is limited. Throws `too_many_requests`, or `limits_unavailable` for a
    /// change while the common store fails.
    func take(_ cost: RouteCost, from subject: RateSubject) async throws(RateRefusal) -> RateStanding? {
        let quota = quota(of: subject.kind)
        let points = settings.costs[cost] ?? 0
        guard !quota.isOff, points > 0 else { return nil }
        let time = quota.time(of: points)
        if cost.isChange { return try await takeTogether(time, from: subject, quota) }
        return try take(time, from: subject, quota)
    }

    /// Charges an address for a credential that is none.
    func noteGuess(from address: String) {
        let quota = settings.guessQuota
        guard !quota.isOff else { return }
        _ = try? take(quota.time(of: 1), from: .address(address, kind: .guesses), quota)
    }

    /// Throws when an address has shown too many credentials that are none; nobody looks at another one then.
    func checkGuesses(from address: String) throws(RateRefusal) {
        let quota = settings.guessQuota
        guard !quota.isOff else { return }
        let subject = RateSubject.address(address, kind: .guesses)
        let now = now
        let refusal: RateRefusal? = shard(of: subject).buckets.withLock { buckets in
            guard let bucket = buckets.use(subject),
                let wait = bucket.wait(for: quota.time(of: 1), window: quota.window, now: now)
            else { return nil }
            return RateRefusal(
                kind: .guesses, retryIn: wait, standing: bucket.standing(quota, now: now), quota: quota)
        }
        if let refusal { throw refused(refusal) }
    }

    private func take(_ time: Int64, from subject: RateSubject, _ quota: RateQuota) throws(RateRefusal) -> RateStanding
    {
        let now = now
        let (result, isDue): (Result<RateStanding, RateRefusal>, Bool) = withBucket(subject) { bucket in
            if let wait = bucket.wait(for: time, window: quota.window, now: now) {
                let standing = bucket.standing(quota, now: now)
                return (
                    .failure(RateRefusal(kind: subject.kind, retryIn: wait, standing: standing, quota: quota)), false
                )
            }
            bucket.spend(time, now: now)
            let isDue = !bucket.isDue && bucket.unreported >= quota.window / Self.reportedPart
            if isDue { bucket.isDue = true }
            return (.success(bucket.standing(quota, now: now)), isDue)
        }
        if isDue { enqueue([subject]) }
        do {
            return try result.get()
        } catch {
            throw refused(error)
        }
    }

    private func takeTogether(
        _ time: Int64, from subject: RateSubject, _ quota: RateQuota
    ) async throws(RateRefusal) -> RateStanding {
        // Who is known to be out of points costs no query.
        let before = now
        let known: RateRefusal? = withBucket(subject) { bucket in
            bucket.wait(for: time, window: quota.window, now: before).map {
                RateRefusal(
                    kind: subject.kind, retryIn: $0, standing: bucket.standing(quota, now: before), quota: quota)
            }
        }
        if let known { throw refused(known) }
        let answer: RateStore.Answer
        do {
            answer = try await RateStore.take(time, from: subject.text, window: quota.window, database)
        } catch {
            observe("store")
            logger.warning("limits cannot be kept", metadata: ["error": "\(String(reflecting: error))"])
            throw .unavailable
        }
        let after = now
        let standing = withBucket(subject) { bucket in
            bucket.learn(debt: answer.debt, now: after)
            return bucket.standing(quota, now: after)
        }
        guard answer.isTaken else {
            let wait = max(1_000_000, answer.debt + time - quota.window)
            throw refused(RateRefusal(kind: subject.kind, retryIn: wait, standing: standing, quota: quota))
        }
        return standing
    }

    private func refused(_ refusal: RateRefusal) -> RateRefusal {
        observe(refusal.kind?.name ?? "store")
        return refusal
    }

    // MARK: - Buckets

    private func shard(of subject: RateSubject) -> Shard {
        shards[Int(UInt(bitPattern: subject.hashValue) % UInt(Self.shards))]
    }

    private func withBucket<T: Sendable>(_ subject: RateSubject, _ body: (RateBucket) -> T) -> T {
        shard(of: subject).buckets.withLock { buckets in
            if let bucket = buckets.use(subject) { return body(bucket) }
            let bucket = RateBucket()
            buckets.enter(bucket, for: subject, cost: 1)
            return body(bucket)
        }
    }

    /// How many buckets are remembered.
    var count: Int { shards.reduce(0) { $0 + $1.buckets.withLock { $0.count } } }

    // MARK: - Reporting

    private func enqueue(_ subjects: [RateSubject]) {
        due.withLock { $0 += subjects }
        signal.yield()
    }

    /// Tells the common store what was spent here, and learns what was spent elsewhere. Throws when that fails; then
    /// nothing is forgotten.
    func report() async throws {
        let subjects = due.withLock { due in
            let some = Array(due.prefix(Self.largestReport))
            due.removeFirst(some.count)
            return some
        }
        var spent: [(bucket: String, time: Int64)] = []
        var names: [String: RateSubject] = [:]
        for subject in subjects {
            let time = withBucket(subject) { $0.beginReport() }
            guard time > 0, names.updateValue(subject, forKey: subject.text) == nil else { continue }
            spent.append((subject.text, time))
        }
        guard !spent.isEmpty else { return }
        do {
            let answers = try await RateStore.report(spent, database)
            let now = now
            for answer in answers {
                guard let subject = names[answer.bucket] else { continue }
                withBucket(subject) { $0.learn(debt: answer.debt, now: now) }
            }
        } catch {
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

    fileprivate func keepReporting() async {
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
            // What comes in the meantime goes into the next report.
            guard (try? await Task.sleep(for: hasFailed ? .seconds(1) : .milliseconds(50))) != nil else { return }
            if hasDue { signal.yield() }
        }
    }

    fileprivate func keepSweeping() async {
        while (try? await Task.sleep(for: .seconds(60) * Double.random(in: 0.8...1.2))) != nil {
            do {
                try await RateStore.sweep(database)
            } catch {
                logger.debug("buckets are not swept", metadata: ["error": "\(error)"])
            }
        }
    }
}

/// Why a call is not let through.
struct RateRefusal: Error, Sendable {
    /// The bucket that is empty; `nil` when nobody knows.
    var kind: RateSubject.Kind?
    /// When to come back, in nanoseconds.
    var retryIn: Int64
    var standing: RateStanding?
    var quota: RateQuota?

    /// The common store fails.
    static let unavailable = RateRefusal(kind: nil, retryIn: 1_000_000_000)
}

extension RateRefusal: APIErrorConvertible {
    var apiError: APIError {
        let seconds = max(1, (retryIn + 999_999_999) / 1_000_000_000)
        guard let kind, let quota, let standing else {
            return APIError(
                .serviceUnavailable, .limitsUnavailable,
                "Nothing can be changed for a moment, since limits cannot be counted; reading goes on.",
                headers: [.retryAfter: String(seconds)])
        }
        let whose =
            switch kind {
            case .address: "This address has"
            case .caller: "You have"
            case .guesses: "Too many credentials from this address were none; it has"
            }
        var headers: HTTPFields = [.retryAfter: String(seconds)]
        headers.append(contentsOf: RateFields(kind: kind, quota: quota).fields(standing))
        return APIError(
            .tooManyRequests, .tooManyRequests,
            "\(whose) spent \(quota.points) points in \(quota.seconds) seconds. Come back in \(seconds) s.",
            headers: headers)
    }
}

/// What is told of a bucket (draft-ietf-httpapi-ratelimit-headers).
struct RateFields: Sendable {
    private let policy: HTTPField
    private let name: String

    init(kind: RateSubject.Kind, quota: RateQuota) {
        name = "\"\(kind.name)\""
        policy = HTTPField(name: .rateLimitPolicy, value: "\(name);q=\(quota.points);w=\(quota.seconds)")
    }

    func fields(_ standing: RateStanding) -> [HTTPField] {
        let seconds = (standing.fullIn + 999_999_999) / 1_000_000_000
        return [policy, HTTPField(name: .rateLimit, value: "\(name);r=\(standing.remaining);t=\(seconds)")]
    }
}

extension HTTPField.Name {
    /// Draft: what is left.
    static let rateLimit = Self("RateLimit") ?? .retryAfter
    /// Draft: what there is.
    static let rateLimitPolicy = Self("RateLimit-Policy") ?? .retryAfter
}

/// Shares what is counted between nodes, as long as it runs.
struct RateReporter: Service {
    let limiter: RateLimiter

    func run() async throws {
        await cancelWhenGracefulShutdown { [limiter] in
            await withTaskGroup { group in
                group.addTask { await limiter.keepReporting() }
                group.addTask { await limiter.keepSweeping() }
            }
        }
    }
}
