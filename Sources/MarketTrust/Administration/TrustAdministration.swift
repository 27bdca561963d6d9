// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketPlatform
import Postgres
import SheetCore

/// What operators do with keys: drafts of the next root and targets, and taking in what was signed elsewhere.
package struct TrustAdministration: Sendable {
    package let platform: Platform
    package let settings: TrustSettings

    package init(platform: Platform, settings: TrustSettings = TrustSettings()) {
        self.platform = platform
        self.settings = settings
    }

    private var database: PostgresClient { platform.database }

    private func end(_ seconds: Double) -> Date { platform.now().addingTimeInterval(seconds) }

    // MARK: - The first set

    /// Who keeps the offline keys, and how many of them must sign.
    package struct Keepers: Sendable {
        package var root: [TrustKey]
        package var rootThreshold: Int
        package var targets: [TrustKey]
        package var targetsThreshold: Int

        package init(root: [TrustKey], rootThreshold: Int = 1, targets: [TrustKey], targetsThreshold: Int = 1) {
            self.root = root
            self.rootThreshold = rootThreshold
            self.targets = targets
            self.targetsThreshold = targetsThreshold
        }
    }

    /// Makes the online keys and drafts of the first root and targets, to be signed and handed in.
    package func begin(
        _ keepers: Keepers, binCount: Int = BinLayout.usualCount
    ) async throws -> (root: SignedMetadata, targets: SignedMetadata) {
        try await database.withTransaction { try await drafts(keepers, binCount, $0) }
    }

    /// The whole first set at once, where both offline keys are at hand: what cuts it off leaves nothing behind, so that
    /// it can be tried again.
    package func begin(root: TrustSigningKey, targets: TrustSigningKey, binCount: Int) async throws {
        let keepers = Keepers(root: [root.publicKey], targets: [targets.publicKey])
        let now = platform.now()
        try await database.withTransaction { connection in
            var draft = try await drafts(keepers, binCount, connection)
            try draft.root.sign(with: root)
            try draft.targets.sign(with: targets)
            let file = MetadataFile(
                role: "root", version: 1, bytes: draft.root.file, expires: end(settings.rootSeconds), createdAt: now)
            try await TrustStore.insert(file, connection)
            guard var state = try await TrustStore.state(connection) else { throw TrustPublishingError.notInitialized }
            state.pendingTargets = draft.targets.file
            try await TrustStore.save(state, connection)
        }
    }

    /// Forgets all roles and keys, for when nobody can sign as the root any more, or others can. What the bins hold stays.
    package func discard() async throws {
        try await database.withTransaction { connection in
            try await connection.execute("TRUNCATE trust_state, trust_bins, trust_keys, trust_metadata")
        }
    }

    private func drafts(
        _ keepers: Keepers, _ binCount: Int, _ connection: PostgresConnection
    ) async throws -> (root: SignedMetadata, targets: SignedMetadata) {
        guard let secrets = platform.secrets else { throw TrustPublishingError.cannotSeal }
        guard let layout = BinLayout(count: binCount) else {
            throw TrustPublishingError.refused("There can be 16, 32, 64, … or 16384 bins.")
        }
        guard try await TrustStore.begin(binCount: binCount, connection) else {
            throw TrustPublishingError.alreadyInitialized
        }
        let now = platform.now()
        let timestamp = try await TrustKeyStore.make(.timestamp, secrets: secrets, at: now, connection)
        let snapshot = try await TrustKeyStore.make(.snapshot, secrets: secrets, at: now, connection)
        let bins = try await TrustKeyStore.make(.bins, secrets: secrets, at: now, connection)
        func keys(_ keys: [TrustKey], _ threshold: Int = 1) -> TrustRoleKeys {
            TrustRoleKeys(keyIDs: keys.map(\.id), threshold: threshold)
        }
        let root = RootRole(
            head: TrustHead(version: 1, expires: end(settings.rootSeconds)),
            keys: keepers.root + keepers.targets + [timestamp, snapshot],
            roles: [
                "root": keys(keepers.root, keepers.rootThreshold),
                "targets": keys(keepers.targets, keepers.targetsThreshold), "timestamp": keys([timestamp]),
                "snapshot": keys([snapshot]),
            ])
        var targets = TargetsRole(
            head: TrustHead(version: 1, expires: end(settings.targetsSeconds)), targets: .empty)
        targets.delegatedKeys = [bins.id: bins]
        targets.delegations = layout.delegations(to: keys([bins]))
        return (SignedMetadata(root.signed), SignedMetadata(targets.signed))
    }

    // MARK: - Drafts

    /// The next root, changed and not signed yet.
    package func draftRoot(_ change: (inout RootRole) throws -> Void) async throws -> SignedMetadata {
        guard try await TrustStore.state(database)?.pendingRoot == nil else {
            throw TrustPublishingError.refused(Self.waits("root"))
        }
        guard let bytes = try await TrustStore.newest("root", database)?.bytes else {
            throw TrustPublishingError.notInitialized
        }
        var root = try RootRole(SignedMetadata(reading: bytes, role: "root"))
        root.head = TrustHead(version: root.head.version + 1, expires: end(settings.rootSeconds))
        try change(&root)
        // Keys that no role names any more go.
        let named = Set(root.roles.values.flatMap(\.keyIDs))
        root.keys = root.keys.filter { named.contains($0.key) }
        return SignedMetadata(root.signed)
    }

    /// The next targets, changed and not signed yet.
    package func draftTargets(_ change: (inout TargetsRole) throws -> Void) async throws -> SignedMetadata {
        guard try await TrustStore.state(database)?.pendingTargets == nil else {
            throw TrustPublishingError.refused(Self.waits("targets"))
        }
        guard let bytes = try await TrustStore.newest("targets", database)?.bytes else {
            throw TrustPublishingError.notInitialized
        }
        var targets = try TargetsRole(SignedMetadata(reading: bytes, role: "targets"), role: "targets")
        targets.head = TrustHead(version: targets.head.version + 1, expires: end(settings.targetsSeconds))
        try change(&targets)
        return SignedMetadata(targets.signed)
    }

    private static func waits(_ role: String) -> String {
        "Signed '\(role)' waits to be published; try again when `sheetmarket keys status` shows it no longer."
    }

    /// Makes a key for an online role. It counts once a root or targets that name it are published.
    package func makeOnlineKey(_ role: OnlineRole) async throws -> TrustKey {
        guard let secrets = platform.secrets else { throw TrustPublishingError.cannotSeal }
        let now = platform.now()
        return try await database.withTransaction { connection in
            try await TrustKeyStore.make(role, secrets: secrets, at: now, connection)
        }
    }

    // MARK: - Handing in

    /// Whether enough keys signed a draft; what is missing, in words.
    package func missingSignatures(_ metadata: SignedMetadata) async throws -> String? {
        do {
            try await check(metadata)
            return nil
        } catch let error as TrustError {
            guard case .tooFewSignatures = error else { throw error }
            return error.description
        }
    }

    /// Takes a signed root or targets in; the publisher puts it in force, with all that hangs on it, at once. Answers
    /// its role.
    @discardableResult
    package func handIn(_ metadata: SignedMetadata) async throws -> String {
        try await check(metadata)
        let role = metadata.signed["_type"]?.string ?? ""
        let now = platform.now()
        try await database.withTransaction { connection in
            guard var state = try await TrustStore.state(connection, locking: true) else {
                throw TrustPublishingError.notInitialized
            }
            if role == "targets" {
                state.pendingTargets = metadata.file
                try await BinStore.unstage(connection)
            } else if try await TrustStore.newest("root", connection) == nil {
                let root = try RootRole(metadata)
                try await TrustStore.insert(
                    MetadataFile(
                        role: "root", version: 1, bytes: metadata.file, expires: root.head.expires, createdAt: now),
                    connection)
            } else {
                state.pendingRoot = metadata.file
            }
            try await TrustStore.save(state, connection)
        }
        return role
    }

    private func check(_ metadata: SignedMetadata) async throws {
        switch metadata.signed["_type"]?.string {
        case "root": try await checkRoot(metadata)
        case "targets": try await checkTargets(metadata)
        default: throw TrustPublishingError.refused("It is neither a root nor targets.")
        }
    }

    private func checkRoot(_ metadata: SignedMetadata) async throws {
        let root = try RootRole(metadata)
        let current = try await TrustStore.newest("root", database)
        try Self.check(
            version: root.head.version, after: current?.version ?? 0, ends: root.head.expires, platform.now())
        if let current {
            try RootRole(SignedMetadata(reading: current.bytes, role: "root")).verify(metadata, as: "root")
        }
        try root.verify(metadata, as: "root")
        let known = Set(try await TrustKeyStore.all(database).map(\.keyID))
        for role in ["timestamp", "snapshot"] where known.isDisjoint(with: root.roles[role]?.keyIDs ?? []) {
            throw TrustPublishingError.refused("Its key for '\(role)' is not one of this market's.")
        }
    }

    private func checkTargets(_ metadata: SignedMetadata) async throws {
        let targets = try TargetsRole(metadata, role: "targets")
        let current = try await TrustStore.newest("targets", database)
        try Self.check(
            version: targets.head.version, after: current?.version ?? 0, ends: targets.head.expires, platform.now())
        let newest = try await TrustStore.newest("root", database)?.bytes
        guard let state = try await TrustStore.state(database), let root = state.pendingRoot ?? newest,
            let layout = BinLayout(count: state.binCount)
        else { throw TrustPublishingError.notInitialized }
        try RootRole(SignedMetadata(reading: root, role: "root")).verify(metadata, as: "targets")
        let known = Set(try await TrustKeyStore.all(database).map(\.keyID))
        guard let keys = targets.delegations.first?.keys, targets.delegations == layout.delegations(to: keys),
            !known.isDisjoint(with: keys.keyIDs)
        else { throw TrustPublishingError.refused("It does not delegate to this market's bins and their key.") }
    }

    private static func check(version: Int64, after current: Int64, ends: Date, _ now: Date) throws {
        guard version == current + 1 else {
            throw TrustPublishingError.refused("It is version \(version) where version \(current + 1) is due.")
        }
        guard ends > now else { throw TrustPublishingError.refused("Its time is over.") }
    }
}
