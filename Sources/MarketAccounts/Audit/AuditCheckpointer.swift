// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketPlatform
import Moderation
import Postgres

/// Signs the audit log's head beside the workers: after each thousand entries, or an hour after one. Any number of
/// nodes may run one.
package struct AuditCheckpointer: Sendable {
    /// So many entries without a checkpoint are enough for one.
    package static let entries: Int64 = 1000
    /// So long after the last checkpoint an entry gets one, in seconds.
    package static let seconds = 3600.0

    private let platform: Platform
    private let keys: AuditKeys

    /// Signs with the first of `keys`.
    package init(platform: Platform, keys: AuditKeys) {
        self.platform = platform
        self.keys = keys
    }

    package var periodicTask: PeriodicTask {
        PeriodicTask("sign the audit log", every: .seconds(30), firstAfter: .seconds(30)) { [self] in try await work() }
    }

    /// Signs when it is due, or at once.
    @discardableResult
    package func work(atOnce: Bool = false) async throws -> AuditCheckpoint? {
        let now = platform.now()
        guard let head = try await AuditStore.head(platform.database) else { return nil }
        let last = try await AuditStore.lastCheckpoint(platform.database)
        let fresh = head.sequence - (last?.sequence ?? 0)
        let age = last.map { now.timeIntervalSince($0.at) } ?? .infinity
        guard fresh > 0, atOnce || fresh >= Self.entries || age >= Self.seconds,
            let checkpoint = keys.sign(sequence: head.sequence, head: head.hash, at: now)
        else { return nil }
        try await AuditStore.insert(checkpoint, platform.database)
        return checkpoint
    }
}
