// SPDX-License-Identifier: Apache-2.0
import Foundation
import SheetCore

/// Verifies what a market says by its signed metadata, with what the library keeps of it. The state is asked for once
/// in a while, not for each file.
public actor TrustSession {
    /// How long the answer to "is there anything newer" counts.
    static let freshness = Duration.seconds(60)
    /// How far a clock may go back between two verifications.
    static let clockTolerance = 300.0

    private let source: TrustSource
    private let server: String
    private let library: Library
    private let folder: TrustFolder
    private let now: @Sendable () -> Date
    private let limits: TrustLimits
    private var current: (metadata: TrustedMetadata, at: ContinuousClock.Instant)?
    /// When the market had no root.
    private var unsigned: ContinuousClock.Instant?
    /// Why no root could be had for a mirror, and when: what cannot be reached is not asked a hundred times more.
    private var unverifiable: (error: LibraryError, at: ContinuousClock.Instant)?

    /// What is verified for `server` by what `source` has.
    public init(
        library: Library, server: String, source: TrustSource, now: @escaping @Sendable () -> Date = { Date() },
        limits: TrustLimits = TrustLimits()
    ) {
        self.source = source
        self.server = server
        self.now = now
        self.library = library
        self.limits = limits
        folder = TrustFolder(library, server: server)
    }

    /// What is verified of a client's market by what that has itself.
    public init(library: Library, client: MarketClient) {
        self.init(library: library, server: client.server.description, source: .market(client))
    }

    // MARK: - The root

    /// What is pinned.
    public struct Root: Sendable, Equatable {
        /// The version of the root that is trusted now.
        public var version: Int64
        /// When that root's time is over.
        public var expires: Date
        /// When it was pinned.
        public var pinnedAt: Date
        /// SHA-256 of the root that was pinned first.
        public var fingerprint: String
        /// When the market's metadata was last verified by it; `nil` before the first time.
        public var lastVerifiedAt: Date?
    }

    /// What this library trusts of the market; `nil` before the first use.
    public var root: Root? {
        get async throws {
            guard let (pin, bytes) = try await pinned() else { return nil }
            let head = try keptRoot(bytes).root.head
            return Root(
                version: head.version, expires: head.expires, pinnedAt: pin.pinnedAt, fingerprint: pin.fingerprint,
                lastVerifiedAt: pin.lastVerifiedAt == .distantPast ? nil : pin.lastVerifiedAt)
        }
    }

    private func pinned() async throws -> (pin: TrustFolder.Pin, root: Data)? {
        do {
            return try folder.pinned
        } catch LibraryError.damagedPin {
            // Another process may be half way through.
            let lock = try await folder.lock(atMost: .seconds(30))
            defer { withExtendedLifetime(lock) {} }
            return try folder.pinned
        }
    }

    /// Pins a root that came by another way than from the market.
    public func pin(_ bytes: Data) async throws {
        // What cannot be kept is no pin.
        guard !library.isReadOnly else {
            throw LibraryError.system(doing: "pin a root in", path: library.root, reason: "it cannot be written to")
        }
        _ = try trusted { () throws(TrustError) in try TrustedMetadata(root: bytes, now: now()) }
        let lock = try await folder.lock(atMost: .seconds(30))
        defer { withExtendedLifetime(lock) {} }
        try folder.pin(
            bytes,
            .init(
                server: server, fingerprint: ContentHash(hashing: bytes).hex, pinnedAt: now(),
                lastVerifiedAt: .distantPast))
        current = nil
    }

    /// Pins the market's first root; with `fingerprint` only if that is its SHA-256, and then a mirror may have it. `nil`
    /// when the market signs nothing.
    @discardableResult
    public func pinFirst(fingerprint: String? = nil) async throws -> Root? {
        guard let bytes = try await firstRoot(fromMirror: fingerprint != nil) else { return nil }
        let found = ContentHash(hashing: bytes).hex
        if let fingerprint, fingerprint.lowercased() != found {
            throw LibraryError.wrongFingerprint(server: server, expected: fingerprint, found: found)
        }
        try await pin(bytes)
        return try await root
    }

    private func firstRoot(fromMirror: Bool) async throws -> Data? {
        let limit = TrustLimits().root
        guard let fetchFirstRoot = source.fetchFirstRoot, !(source.isMirror && fromMirror) else {
            return try await source.fetch("1.root.json", limit)
        }
        return try await fetchFirstRoot(limit)
    }

    // MARK: - Files

    /// What is signed of a file; the metadata is brought up to date before. Throws where no root is pinned.
    public func find(_ path: String) async throws -> TrustTarget {
        if let known = fresh, case .found(let target) = try trusted({ () throws(TrustError) in try known.find(path) }) {
            return target
        }
        let lock = try await folder.lock(atMost: .seconds(60))
        defer { withExtendedLifetime(lock) {} }
        var metadata = try await upToDate()
        while true {
            switch try trusted({ () throws(TrustError) in try metadata.find(path) }) {
            case .found(let target): return target
            case .needs(let role, let parent):
                try await load(role, parent, &metadata)
                current?.metadata = metadata
            }
        }
    }

    /// Brings the metadata up to date, where a root is pinned: whoever answers must not show an older state, or one whose
    /// time is over. What a mirror says counts for nothing without a root.
    public func refresh() async throws { _ = try await refreshed() }

    /// The same. What it answers is another whenever anything was signed anew; `nil` where no root is pinned.
    func refreshed() async throws -> ContentHash? {
        guard try await root != nil else {
            if source.isMirror { throw LibraryError.noRoot(server: server) }
            return nil
        }
        let lock = try await folder.lock(atMost: .seconds(60))
        defer { withExtendedLifetime(lock) {} }
        let metadata = try await upToDate()
        let files = metadata.snapshot?.files.map { "\($0.key) \($0.value.version ?? 0)" } ?? []
        let heads = "\(metadata.root.head.version) \(metadata.snapshot?.head.version ?? 0)"
        return ContentHash(hashing: Data(([heads] + files.sorted()).joined(separator: "\n").utf8))
    }

    /// What is signed of files; nothing of one that nobody signs, and where no root is pinned.
    func targets(of paths: [String]) async throws -> [TrustTarget] {
        guard !paths.isEmpty, try await root != nil else { return [] }
        let metadata = try await load(for: paths)
        var targets: [TrustTarget] = []
        for path in paths {
            do {
                if case .found(let target) = try metadata.find(path) { targets.append(target) }
            } catch .unknownTarget {
                continue
            } catch {
                throw LibraryError.untrusted(error)
            }
        }
        return targets
    }

    /// Fetches what is needed to find many files, several parts at a time, so that finding each is a matter of memory.
    @discardableResult
    func load(for paths: [String]) async throws -> TrustedMetadata {
        let lock = try await folder.lock(atMost: .seconds(60))
        defer { withExtendedLifetime(lock) {} }
        var metadata = try await upToDate()
        while true {
            var needed: [String: String?] = [:]
            for path in paths {
                // What nobody signs is told to whoever looks for it.
                if case .needs(let role, let parent)? = try? metadata.find(path) { needed[role] = .some(parent) }
            }
            guard !needed.isEmpty else { break }
            for (role, parent) in needed where take(role, parent, &metadata) { needed[role] = nil }
            for (role, bytes) in try await files(of: Array(needed.keys), metadata) {
                try keep(bytes, role, needed[role] ?? nil, &metadata)
            }
        }
        current?.metadata = metadata
        return metadata
    }

    private func files(of roles: [String], _ metadata: TrustedMetadata) async throws -> [(role: String, bytes: Data)] {
        var known: [String: Data] = [:]
        if roles.count > 2, let fetchSeveral = source.fetchSeveral {
            // A market of before there was this question, or one that breaks off, has each by itself.
            known = (try? await fetchSeveral(roles.map { metadata.fileName(of: $0) })) ?? [:]
        }
        return try await inParallel(roles) { [known] role in
            let name = metadata.fileName(of: role)
            if let bytes = known[name] { return (role, bytes) }
            return (role, try await self.file(name, of: role, limit: metadata.limit(of: role)))
        }
    }

    /// What was verified a moment ago.
    private var fresh: TrustedMetadata? {
        guard let current, current.at.duration(to: .now) < Self.freshness else { return nil }
        return current.metadata
    }

    /// Whether this market's catalog is verified: a root is pinned, now if need be. A market that signs nothing is asked
    /// for one once in a while, and told of; of that nothing is taken from a mirror.
    func isSigned(_ report: @Sendable (InstallEvent) -> Void) async throws -> Bool {
        if fresh != nil { return true }
        if let unsigned, unsigned.duration(to: .now) < Self.freshness { return false }
        guard try await root == nil else { return true }
        if let unverifiable, unverifiable.at.duration(to: .now) < Self.freshness { throw unverifiable.error }
        guard let pinned = try await firstUse() else {
            if unsigned == nil {
                report(.notice("\(server) does not sign its catalog: its own word is all that vouches for what comes."))
            }
            unsigned = .now
            return false
        }
        report(
            .notice(
                "This market signs its catalog. Its root is trusted from now on, by the fingerprint "
                    + "\(pinned.fingerprint): compare it with what the operator tells (`sheets trust status`)."))
        return true
    }

    private func firstUse() async throws -> Root? {
        do {
            if let root = try await pinFirst() { return root }
            guard source.isMirror else { return nil }
            throw LibraryError.unverifiableMirror(
                source.name, server: server, reason: "\(server) does not sign its catalog.")
        } catch let error as LibraryError {
            if case .unverifiableMirror = error { unverifiable = (error, .now) }
            throw error
        }
    }

    /// Brings `targets` up to date as well, which else comes with the first file that is looked for.
    public func refreshTargets() async throws {
        let lock = try await folder.lock(atMost: .seconds(60))
        defer { withExtendedLifetime(lock) {} }
        var metadata = try await upToDate()
        guard metadata.targets == nil else { return }
        try await load("targets", nil, &metadata)
        current?.metadata = metadata
    }

    /// Has the next question ask whether there is anything newer.
    func askAnew() { current = nil }

    private func upToDate() async throws -> TrustedMetadata {
        if let fresh { return fresh }
        guard let (kept, bytes) = try folder.pinned else { throw LibraryError.noRoot(server: server) }
        var pin = kept
        let moment = now()
        guard moment.timeIntervalSince(pin.lastVerifiedAt) > -Self.clockTolerance else {
            throw LibraryError.clockWentBack(now: moment, last: pin.lastVerifiedAt)
        }
        var metadata = try keptRoot(bytes, at: moment)
        try await updateRoot(&metadata)
        var fresh: [(role: String, bytes: Data)] = []
        do {
            try await updateTimestamp(&metadata, &fresh)
            try await updateSnapshot(&metadata, &fresh)
        } catch {
            // What was verified until then is kept all the same: it tells rollbacks.
            try folder.keep(fresh)
            throw error
        }
        pin.lastVerifiedAt = max(pin.lastVerifiedAt, moment)
        try folder.keep(fresh, pin)
        current = (metadata, .now)
        return metadata
    }

    /// A root that was verified before it was kept: if it does not verify now, nobody but this machine is to blame.
    private func keptRoot(_ bytes: Data, at moment: Date = .distantPast) throws -> TrustedMetadata {
        do {
            return try TrustedMetadata(root: bytes, now: moment, limits: limits, isKept: true)
        } catch {
            throw LibraryError.damagedPin(path: folder.path)
        }
    }

    /// Section 5.3.
    private func updateRoot(_ metadata: inout TrustedMetadata) async throws {
        for _ in 0..<metadata.limits.rootRotations {
            let name = "\(metadata.root.head.version + 1).root.json"
            guard let bytes = try await source.fetch(name, metadata.limits.root) else { break }
            try change(&metadata) { (trusted) throws(TrustError) in try trusted.updateRoot(bytes) }
            try folder.keep(bytes, as: "root")
        }
        try change(&metadata) { (trusted) throws(TrustError) in try trusted.finishRoots() }
    }

    /// Section 5.4.
    private func updateTimestamp(
        _ metadata: inout TrustedMetadata, _ fresh: inout [(role: String, bytes: Data)]
    ) async throws {
        // One that no longer verifies was signed by keys that no longer count.
        if let kept = folder.file("timestamp") { _ = try? metadata.updateTimestamp(kept) }
        let bytes = try await file("timestamp.json", of: "timestamp", limit: metadata.limit(of: "timestamp"))
        var isNew = false
        try change(&metadata) { (trusted) throws(TrustError) in isNew = try trusted.updateTimestamp(bytes) }
        try change(&metadata) { (trusted) throws(TrustError) in try trusted.checkTimestamp() }
        if isNew { fresh.append(("timestamp", bytes)) }
    }

    /// Section 5.5.
    private func updateSnapshot(
        _ metadata: inout TrustedMetadata, _ fresh: inout [(role: String, bytes: Data)]
    ) async throws {
        // As above.
        if let kept = folder.file("snapshot") { try? metadata.updateSnapshot(kept, stored: true) }
        // Not the one that the timestamp names: it is fetched.
        if (try? metadata.checkSnapshot()) != nil { return }
        let name = metadata.fileName(of: "snapshot")
        let bytes = try await file(name, of: "snapshot", limit: metadata.limit(of: "snapshot"))
        try change(&metadata) { (trusted) throws(TrustError) in
            try trusted.updateSnapshot(bytes)
            try trusted.checkSnapshot()
        }
        fresh.append(("snapshot", bytes))
    }

    /// Section 5.6.
    private func load(_ role: String, _ parent: String?, _ metadata: inout TrustedMetadata) async throws {
        if take(role, parent, &metadata) { return }
        guard metadata.snapshot?.files[role] != nil else { throw LibraryError.untrusted(.notInSnapshot(role: role)) }
        let name = metadata.fileName(of: role)
        let bytes = try await file(name, of: role, limit: metadata.limit(of: role))
        try keep(bytes, role, parent, &metadata)
    }

    /// Takes a role as it was kept. One that is not the version that the snapshot names is to be fetched.
    private func take(_ role: String, _ parent: String?, _ metadata: inout TrustedMetadata) -> Bool {
        guard let kept = folder.file(role) else { return false }
        return (try? metadata.updateTargets(kept, role: role, parent: parent)) != nil
    }

    private func keep(_ bytes: Data, _ role: String, _ parent: String?, _ metadata: inout TrustedMetadata) throws {
        try change(&metadata) { (trusted) throws(TrustError) in
            try trusted.updateTargets(bytes, role: role, parent: parent)
        }
        // Which version it must be the snapshot says: losing it only has it fetched again.
        try folder.keepLightly(bytes, as: role)
    }

    private func file(_ name: String, of role: String, limit: Int) async throws -> Data {
        guard let bytes = try await source.fetch(name, limit) else {
            throw LibraryError.metadataMissing(role: role, source: source.name)
        }
        return bytes
    }

    private func change(
        _ metadata: inout TrustedMetadata, _ step: (inout TrustedMetadata) throws(TrustError) -> Void
    ) throws {
        do {
            try step(&metadata)
        } catch {
            throw LibraryError.untrusted(error)
        }
    }

    private func trusted<R>(_ body: () throws(TrustError) -> R) throws -> R {
        do {
            return try body()
        } catch {
            throw LibraryError.untrusted(error)
        }
    }
}
