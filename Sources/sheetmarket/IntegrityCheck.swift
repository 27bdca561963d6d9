// SPDX-License-Identifier: Apache-2.0
import Crypto
import Foundation
import MarketAPI
import MarketAccounts
import MarketCatalog
import MarketCommunity
import MarketPages
import MarketPlatform
import MarketSearch
import Moderation
import NIOCore
import SheetCore

/// Looks for what no market should have.
struct IntegrityCheck: Sendable {
    /// One thing that is wrong.
    struct Fault: Sendable {
        enum Kind: String, Sendable {
            case lostArtifact = "lost artifact"
            case changedArtifact = "changed artifact"
            case extraObject = "object that no row names"
            case brokenReference = "broken reference"
            case auditLog = "audit log"
            case ratings
            case listings = "search tables"
            case downloads
        }

        let kind: Kind
        let text: String
    }

    private static let batch = 500

    let node: Node
    /// Sizes only; bytes are not read.
    let isQuick: Bool

    func run() async throws -> [Fault] {
        try await artifacts() + extraObjects() + references() + auditLog() + counters()
    }

    /// Makes anew what can be derived, and removes what nobody names any more.
    func repair(_ faults: [Fault]) async throws {
        let database = node.features.database
        let kinds = Set(faults.map(\.kind))
        if kinds.contains(.downloads) { try await DownloadStore.recount(database) }
        if kinds.contains(.ratings) {
            _ = try await MarketCommunity.Ratings(database: database).rebuild(at: node.features.now())
        }
        // Listings show both.
        if !kinds.isDisjoint(with: [.listings, .ratings, .downloads]) {
            try await SearchIndex(database: database, popular: SearchIndex.usualPopular).rebuild()
        }
        if kinds.contains(.extraObject) {
            let storage = node.features.platform.storage
            try await StorageGarbageCollection(storage: storage, database: database, now: node.features.now).run()
        }
    }

    private func artifacts() async throws -> [Fault] {
        var faults: [Fault] = []
        var last: ContentHash?
        repeat {
            let page = try await IntegrityStore.artifacts(after: last, limit: Self.batch, node.features.database)
            for artifact in page {
                guard let kind = try await fault(of: artifact) else { continue }
                faults.append(Fault(kind: kind, text: artifact.hash.hex))
            }
            last = page.count == Self.batch ? page.last?.hash : nil
        } while last != nil
        return faults
    }

    private func fault(of artifact: IntegrityStore.Artifact) async throws -> Fault.Kind? {
        let storage = node.features.platform.storage
        guard let size = try await storage.size(of: artifact.hash) else { return .lostArtifact }
        guard size == artifact.sizeBytes else { return .changedArtifact }
        if isQuick { return nil }
        var digest = SHA256()
        for try await piece in try await storage.read(artifact.hash, range: nil) {
            piece.withUnsafeReadableBytes { digest.update(bufferPointer: $0) }
        }
        return ContentHash(digest.finalize()) == artifact.hash ? nil : .changedArtifact
    }

    /// Young ones may belong to an upload that is on its way.
    private func extraObjects() async throws -> [Fault] {
        let oldest = node.features.now().addingTimeInterval(-StorageGarbageCollection.graceSeconds)
        let names = try await ArtifactCopy.names(in: node.features.platform.storage, olderThan: oldest)
        var faults: [Fault] = []
        for start in stride(from: 0, to: names.count, by: Self.batch) {
            let some = Array(names[start..<min(start + Self.batch, names.count)])
            let unnamed = try await IntegrityStore.unnamed(some, node.features.database)
            faults += unnamed.map { Fault(kind: .extraObject, text: $0.hex) }
        }
        return faults
    }

    private func references() async throws -> [Fault] {
        try await IntegrityStore.brokenReferences(node.features.database).map { name, rows in
            Fault(kind: .brokenReference, text: "\(name), in \(counted(rows, "row"))")
        }
    }

    private func auditLog() async throws -> [Fault] {
        do {
            _ = try await AuditLog.verify(node.features.database, keys: node.auditKeys)
            return []
        } catch let violation as AuditViolation {
            return [Fault(kind: .auditLog, text: "\(violation.kind.rawValue) at entry \(violation.sequence)")]
        }
    }

    private func counters() async throws -> [Fault] {
        let database = node.features.database
        let counts: [(Fault.Kind, Int)] = [
            (.ratings, try await IntegrityStore.wrongRatings(database)),
            (.listings, try await IntegrityStore.wrongListings(database)),
            (.downloads, try await IntegrityStore.wrongDownloads(database)),
        ]
        return counts.filter { $0.1 > 0 }.map { Fault(kind: $0.0, text: "\($0.1) wrong") }
    }
}
