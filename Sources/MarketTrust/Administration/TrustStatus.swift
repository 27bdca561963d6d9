// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketPlatform
import Postgres
import SheetCore

/// How the signing of the catalog stands; for `sheetmarket keys status`, metrics and warnings.
package struct TrustStatus: Sendable {
    package struct Role: Sendable {
        package var name: String
        package var version: Int64
        package var end: Date
        package var keyIDs: [String]
        package var threshold: Int
    }

    package var roles: [Role]
    /// SHA-256 of the file of the first root: what players compare.
    package var fingerprint: String?
    package var binCount: Int
    package var files: Int
    /// Roles that were handed in and are not in force yet.
    package var pending: [String]
    /// Entries of the change feed that are not signed yet.
    package var unpublishedChanges: Int64

    /// `nil` where no keys were ever made.
    package static func read(_ database: PostgresClient) async throws -> TrustStatus? {
        guard let state = try await TrustStore.state(database) else { return nil }
        var status = TrustStatus(
            roles: [], binCount: state.binCount, files: try await BinStore.count(database), pending: [],
            unpublishedChanges: 0)
        if state.pendingRoot != nil { status.pending.append("root") }
        if state.pendingTargets != nil { status.pending.append("targets") }
        if let feed = try await BinStore.feed(database), feed.id == state.feed {
            status.unpublishedChanges = max(0, feed.last - state.position)
        }
        status.fingerprint = try await TrustStore.file("root", version: 1, database).map {
            ContentHash(hashing: $0.bytes).hex
        }
        let root = try await TrustStore.newest("root", database).map {
            try RootRole(SignedMetadata(reading: $0.bytes, role: "root"))
        }
        for file in try await TrustStore.ends(database) {
            let keys = root?.roles[file.role]
            status.roles.append(
                Role(
                    name: file.role, version: file.version, end: file.end, keyIDs: keys?.keyIDs ?? [],
                    threshold: keys?.threshold ?? 1))
        }
        return status
    }
}

/// What `/metrics` says of signed metadata.
package enum TrustMetrics {
    package static func register(with registry: PrometheusRegistry, platform: Platform) {
        registry.describe(
            "sheetmarket_trust_expiry_timestamp_seconds", .gauge,
            "When the newest signed metadata of each role ends, in Unix seconds; root and targets need their keepers.")
        registry.describe(
            "sheetmarket_trust_unpublished_changes", .gauge, "Changes of the catalog that are not signed yet.")
        registry.addCollector {
            // Without an answer of the database these figures are missing; that it does not answer, /readyz says.
            guard let status = try? await TrustStatus.read(platform.database) else { return [] }
            var samples: [PrometheusRegistry.Sample] = [
                .init("sheetmarket_trust_unpublished_changes", [], Double(status.unpublishedChanges))
            ]
            for role in status.roles {
                samples.append(
                    .init(
                        "sheetmarket_trust_expiry_timestamp_seconds", [("role", role.name)],
                        role.end.timeIntervalSince1970))
            }
            return samples
        }
    }
}
