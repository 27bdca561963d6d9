// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Hummingbird
import MarketClient
import MarketWire
import NIOCore
import SheetCore
import Synchronization

/// A signed repository of one key, in memory.
final class SignedRepository: Sendable {
    static let path = "sheet/1.0.0.pdf"
    static let file = TrustTarget(
        path: path, info: TrustFileInfo(length: 3, sha256: ContentHash(hashing: Data("abc".utf8))))
    let key = TrustSigningKey()
    let files = Mutex<[String: Data]>([:])
    let start: Date

    /// What is signed is good from `start` on; the program goes by the real time.
    init(start: Date = Date(timeIntervalSince1970: 1_800_000_000)) throws {
        self.start = start
        let roles = Dictionary(
            uniqueKeysWithValues: RootRole.roleNames.map {
                ($0, TrustRoleKeys(keyIDs: [key.publicKey.id], threshold: 1))
            })
        try put("1.root.json", RootRole(head: head(1, days: 365), keys: [key.publicKey], roles: roles).signed)
        try publish(1)
    }

    private func head(_ version: Int64, days: Double, since: Date? = nil) -> TrustHead {
        TrustHead(version: version, expires: (since ?? start).addingTimeInterval(days * 86_400))
    }

    private func put(_ name: String, _ signed: TrustObject) throws {
        var metadata = SignedMetadata(signed)
        try metadata.sign(with: key)
        let file = metadata.file
        files.withLock { $0[name] = file }
    }

    /// A version of everything but the root, with these files, signed `since` then.
    func publish(
        _ version: Int64, _ files: [TrustTarget] = [SignedRepository.file], since: Date? = nil
    ) throws {
        func head(_ days: Double) -> TrustHead { self.head(version, days: days, since: since) }
        let targets = TrustObject(files.map(\.member)) ?? .empty
        try put("\(version).targets.json", TargetsRole(head: head(90), targets: targets).signed)
        let snapshot = SnapshotRole(head: head(14), files: ["targets": TrustFileInfo(version: version)])
        try put("\(version).snapshot.json", snapshot.signed)
        let timestamp = TimestampRole(head: head(7), snapshot: TrustFileInfo(version: version))
        try put("timestamp.json", timestamp.signed)
    }

    /// A market that has this metadata beside what `plain` answers, and of each that is installed tells what `update` does.
    func market(
        _ plain: @escaping StubServer.Handler,
        update: @escaping @Sendable (UpdateQuery.Installed) -> UpdateReport.Entry
    ) -> StubServer.Handler {
        { request, server in
            let path = request.uri.path
            if path.hasPrefix("/trust/") {
                let bytes = self.files.withLock { $0[String(path.dropFirst(7))] }
                return try bytes.map { .bytes($0) } ?? .problem(404, .notFound, "No such file.")
            }
            guard path == "\(Paths.base)/updates" else { return try await plain(request, server) }
            let body = try await request.body.collect(upTo: 1 << 20)
            let query = try WireJSON.decoder().decode(UpdateQuery.self, from: Data(body.readableBytesView))
            return try .json(UpdateReport(updates: query.installed.map(update)))
        }
    }

    /// The same in sixteen bins.
    func publishInBins(_ version: Int64, _ files: [TrustTarget]) throws {
        let keys = TrustRoleKeys(keyIDs: [key.publicKey.id], threshold: 1)
        let digits = "0123456789abcdef".map { String($0) }
        var targets = TargetsRole(head: head(version, days: 90), targets: .empty)
        targets.delegatedKeys = [key.publicKey.id: key.publicKey]
        targets.delegations = digits.map { DelegatedRole(bin: "bin-\($0)", keys: keys, pathHashPrefixes: [$0]) }
        try put("\(version).targets.json", targets.signed)
        var snapshot = SnapshotRole(
            head: head(version, days: 14), files: ["targets": TrustFileInfo(version: version)])
        for digit in digits {
            let own = files.filter { ContentHash(hashing: Data($0.path.utf8)).hex.hasPrefix(digit) }
            let bin = TargetsRole(head: head(version, days: 30), targets: TrustObject(own.map(\.member)) ?? .empty)
            try put("\(version).bin-\(digit).json", bin.signed)
            snapshot.files["bin-\(digit)"] = TrustFileInfo(version: version)
        }
        try put("\(version).snapshot.json", snapshot.signed)
        let timestamp = TimestampRole(head: head(version, days: 7), snapshot: TrustFileInfo(version: version))
        try put("timestamp.json", timestamp.signed)
    }

    func session(_ scratch: Scratch, daysLater days: Double = 0) -> TrustSession {
        let moment = start.addingTimeInterval(days * 86_400)
        return TrustSession(
            library: scratch.library, server: "http://market.example",
            source: TrustSource(name: "a mirror") { name, _ in self.files.withLock { $0[name] } },
            now: { moment })
    }
}
