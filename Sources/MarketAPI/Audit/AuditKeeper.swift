// SPDX-License-Identifier: Apache-2.0
import Foundation
import Moderation
import Postgres
import ServiceLifecycle

/// Signs the audit log's head beside the workers: after each thousand entries, or an hour after one. Any number of nodes
/// may run one.
public struct AuditKeeper: Service {
    /// So many entries without a checkpoint are enough for one.
    public static let entries: Int64 = 1000
    /// So long after the last checkpoint an entry gets one, in seconds.
    public static let seconds = 3600.0

    private let market: Market
    private let keys: AuditKeys

    /// Signs with the first of `keys`.
    public init(market: Market, keys: AuditKeys) {
        self.market = market
        self.keys = keys
    }

    /// Works until the task is cancelled or the service group shuts down.
    public func run() async throws {
        await cancelWhenGracefulShutdown { [self] in
            while (try? await Task.sleep(for: .seconds(Double.random(in: 20...40)))) != nil {
                await market.attempt("sign the audit log") { try await work() }
            }
        }
    }

    /// Signs when it is due, or at once.
    @discardableResult
    public func work(atOnce: Bool = false) async throws -> AuditCheckpoint? {
        let now = market.now()
        guard let head = try await AuditStore.head(market.database) else { return nil }
        let last = try await AuditStore.lastCheckpoint(market.database)
        let fresh = head.sequence - (last?.sequence ?? 0)
        let age = last.map { now.timeIntervalSince($0.at) } ?? .infinity
        guard fresh > 0, atOnce || fresh >= Self.entries || age >= Self.seconds,
            let checkpoint = keys.sign(sequence: head.sequence, head: head.hash, at: now)
        else { return nil }
        try await AuditStore.insert(checkpoint, market.database)
        return checkpoint
    }
}
