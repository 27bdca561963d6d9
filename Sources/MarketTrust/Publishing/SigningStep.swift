// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketPlatform
import Postgres
import SheetCore

/// Writes bins, snapshot and timestamp, and puts in force what was handed in.
struct SigningStep {
    private let connection: PostgresConnection
    private let layout: BinLayout
    private let settings: TrustSettings
    private let secrets: SecretBox
    private let now: Date
    private var root: RootRole
    private var targets: TargetsRole?

    /// `nil` while there is no root: its keepers have not signed it yet.
    init?(
        connection: PostgresConnection, layout: BinLayout, settings: TrustSettings, secrets: SecretBox, now: Date
    ) async throws {
        guard let file = try await TrustStore.newest("root", connection) else { return nil }
        self.connection = connection
        self.layout = layout
        self.settings = settings
        self.secrets = secrets
        self.now = now
        root = try RootRole(SignedMetadata(reading: file.bytes, role: "root"))
        if let file = try await TrustStore.newest("targets", connection) {
            targets = try TargetsRole(SignedMetadata(reading: file.bytes, role: "targets"), role: "targets")
        }
    }

    /// Whether there is more to do.
    mutating func run(_ state: inout TrustState) async throws -> Bool {
        try await BinStore.markEnding(
            before: now.addingTimeInterval(settings.binSeconds * settings.leastPart), connection)
        var isUnfinished = try await writeDirtyBins(orWaitFor: state.pendingTargets)
        var isNew = isUnfinished
        if state.pendingRoot != nil || state.pendingTargets != nil {
            switch try await putInForce(&state) {
            case .done: isNew = true
            case .unfinished: isUnfinished = true
            case .waits: break
            }
        }
        guard targets != nil else { return isUnfinished }
        do {
            try await writeTop(because: isNew)
        } catch is TrustPublishingError where !isNew && (state.pendingRoot != nil || state.pendingTargets != nil) {
            // A key is lost, and what names another one waits: that goes on.
        }
        return isUnfinished
    }

    // MARK: - Bins

    /// Answers whether any was written; then there may be more. Where the key is lost, and targets that name another
    /// wait, those have all bins written.
    private func writeDirtyBins(orWaitFor pending: Data?) async throws -> Bool {
        guard let targets, let keys = targets.delegations.first?.keys else { return false }
        let bins = try await BinStore.dirty(limit: TrustBatch.bins, connection)
        guard !bins.isEmpty else { return false }
        let signers: [TrustSigningKey]
        do {
            signers = try await TrustKeyStore.keys(of: .bins, named: keys, secrets: secrets, connection)
        } catch is TrustPublishingError where pending != nil {
            return false
        }
        for bin in bins { try await write(bin, signers, staged: false) }
        return true
    }

    private func write(_ bin: BinStore.Bin, _ keys: [TrustSigningKey], staged: Bool) async throws {
        let members = try await BinStore.entries(inBin: bin.number, connection).map { try $0.target.member }
        guard let list = TrustObject(members) else {
            throw TrustPublishingError.refused("Two versions have the same path in \(layout.name(bin.number)).")
        }
        let version = TrustVersion.next(after: bin.lastVersion, at: now)
        let head = TrustHead(version: version, expires: now.addingTimeInterval(settings.binSeconds))
        let name = layout.name(bin.number)
        try await insert(name, head, TargetsRole(head: head, targets: list).signed, keys)
        if !staged { try await TrustStore.supersede(name, before: version, at: now, connection) }
        try await BinStore.written(
            bin.number, version: version, expires: head.expires, staged: staged, connection)
    }

    // MARK: - What was handed in

    private enum Outcome {
        case done, unfinished, waits
    }

    private mutating func putInForce(_ state: inout TrustState) async throws -> Outcome {
        let rootFile = try state.pendingRoot.map { try SignedMetadata(reading: $0, role: "root") }
        let newRoot = try rootFile.map { try RootRole($0) } ?? root
        let current = try await TrustStore.newest("targets", connection)?.bytes
        guard let bytes = state.pendingTargets ?? current else { return .waits }
        let targetsFile = try SignedMetadata(reading: bytes, role: "targets")
        do {
            try newRoot.verify(targetsFile, as: "targets")
        } catch {
            // The root names other keys for the targets: both must come together.
            return .waits
        }
        let newTargets = try TargetsRole(targetsFile, role: "targets")
        let isStaged =
            targets?.delegations != newTargets.delegations || targets?.delegatedKeys != newTargets.delegatedKeys
        if isStaged, let keys = newTargets.delegations.first?.keys {
            let bins = try await BinStore.unstaged(limit: TrustBatch.bins, connection)
            if !bins.isEmpty {
                let signers = try await TrustKeyStore.keys(of: .bins, named: keys, secrets: secrets, connection)
                for bin in bins { try await write(bin, signers, staged: true) }
                return .unfinished
            }
            try await BinStore.activate(at: now, connection)
        }
        if let file = rootFile { try await insert("root", newRoot.head, file) }
        if state.pendingTargets != nil {
            try await insert("targets", newTargets.head, targetsFile)
            try await TrustStore.supersede("targets", before: newTargets.head.version, at: now, connection)
        }
        root = newRoot
        targets = newTargets
        state.pendingRoot = nil
        state.pendingTargets = nil
        return .done
    }

    // MARK: - Snapshot and timestamp

    private func writeTop(because isNew: Bool) async throws {
        guard let snapshotKeys = root.roles["snapshot"], let timestampKeys = root.roles["timestamp"], let targets else {
            return
        }
        let oldSnapshot = try await TrustStore.newest("snapshot", connection)
        let oldTimestamp = try await TrustStore.newest("timestamp", connection)
        let least = now.addingTimeInterval(settings.snapshotSeconds * settings.leastPart)
        let needsSnapshot = isNew || oldSnapshot.map { $0.expires < least } ?? true
        let oldest = now.addingTimeInterval(-settings.timestampAge)
        guard needsSnapshot || oldTimestamp.map({ $0.createdAt < oldest }) ?? true else { return }
        let keys = try await TrustKeyStore.keys(of: .snapshot, named: snapshotKeys, secrets: secrets, connection)
        let timeKeys = try await TrustKeyStore.keys(of: .timestamp, named: timestampKeys, secrets: secrets, connection)
        var snapshot = oldSnapshot
        if needsSnapshot {
            let head = TrustHead(
                version: TrustVersion.next(after: oldSnapshot?.version ?? 0, at: now),
                expires: now.addingTimeInterval(settings.snapshotSeconds))
            var files = ["targets": TrustFileInfo(version: targets.head.version)]
            for bin in try await BinStore.versions(connection) {
                files[layout.name(bin.number)] = TrustFileInfo(version: bin.version)
            }
            snapshot = try await insert("snapshot", head, SnapshotRole(head: head, files: files).signed, keys)
            try await TrustStore.supersede("snapshot", before: head.version, at: now, connection)
        }
        guard let snapshot else { return }
        let head = TrustHead(
            version: TrustVersion.next(after: oldTimestamp?.version ?? 0, at: now),
            expires: now.addingTimeInterval(settings.timestampSeconds))
        let info = TrustFileInfo(
            version: snapshot.version, length: snapshot.bytes.count, sha256: ContentHash(hashing: snapshot.bytes))
        try await insert("timestamp", head, TimestampRole(head: head, snapshot: info).signed, timeKeys)
        try await TrustStore.supersede("timestamp", before: head.version, at: now, connection)
    }

    @discardableResult
    private func insert(
        _ role: String, _ head: TrustHead, _ signed: TrustObject, _ keys: [TrustSigningKey]
    ) async throws -> MetadataFile {
        var metadata = SignedMetadata(signed)
        for key in keys { try metadata.sign(with: key) }
        return try await insert(role, head, metadata)
    }

    @discardableResult
    private func insert(_ role: String, _ head: TrustHead, _ metadata: SignedMetadata) async throws -> MetadataFile {
        let file = MetadataFile(
            role: role, version: head.version, bytes: metadata.file, expires: head.expires, createdAt: now)
        try await TrustStore.insert(file, connection)
        return file
    }
}
