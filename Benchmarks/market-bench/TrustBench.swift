// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import SheetCore

/// How long a client takes to verify a bin that it was handed.
struct Trust: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Verify a bin of signed metadata and find a file in it; prints JSON with milliseconds.")

    @Option(help: "How many files are in the bin.")
    var files = 4096

    @Option(help: "How many times it is verified; the median counts.")
    var rounds = 25

    private struct Repository {
        let key = TrustSigningKey()
        let bin = "bin-0"

        func file(_ signed: TrustObject) throws -> Data {
            var metadata = SignedMetadata(signed)
            try metadata.sign(with: key)
            return metadata.file
        }

        func head() -> TrustHead { TrustHead(version: 1, expires: Date().addingTimeInterval(86_400)) }
    }

    func run() throws {
        let repository = Repository()
        let keys = TrustRoleKeys(keyIDs: [repository.key.publicKey.id], threshold: 1)
        let trusted = try metadata(of: repository, keys)
        let entries = (0..<files).map { number in
            let path = "\(UUID().uuidString.lowercased())/1.0.\(number).pdf"
            return TrustTarget(
                path: path, info: TrustFileInfo(length: 200_000, sha256: ContentHash(hashing: Data(path.utf8))),
                custom: TrustJSON(members: [("slug", .string("sheet-number-\(number)"))]).object)
        }
        let targets = TrustObject(entries.map(\.member)) ?? .empty
        let bin = try repository.file(TargetsRole(head: repository.head(), targets: targets).signed)
        var times: [Double] = []
        for round in 0..<rounds {
            var copy = trusted
            let start = ContinuousClock.now
            try copy.updateTargets(bin, role: repository.bin, parent: "targets")
            guard case .found = try copy.find(entries[round % files].path) else {
                throw ValidationError("The bin lacks a file.")
            }
            times.append((ContinuousClock.now - start) / .milliseconds(1))
        }
        let report = ["milliseconds": times.sorted()[rounds / 2], "bytes": Double(bin.count)]
        print(String(decoding: try JSONEncoder().encode(report), as: UTF8.self))
    }

    /// Everything above the bin, verified.
    private func metadata(of repository: Repository, _ keys: TrustRoleKeys) throws -> TrustedMetadata {
        let roles = Dictionary(uniqueKeysWithValues: RootRole.roleNames.map { ($0, keys) })
        let root = RootRole(head: repository.head(), keys: [repository.key.publicKey], roles: roles)
        var trusted = try TrustedMetadata(root: repository.file(root.signed), now: Date())
        try trusted.finishRoots()
        var targets = TargetsRole(head: repository.head(), targets: .empty)
        targets.delegatedKeys = [repository.key.publicKey.id: repository.key.publicKey]
        targets.delegations = [
            DelegatedRole(bin: repository.bin, keys: keys, pathHashPrefixes: "0123456789abcdef".map(String.init))
        ]
        let names = ["targets", repository.bin].map { ($0, TrustFileInfo(version: 1)) }
        let snapshot = SnapshotRole(head: repository.head(), files: Dictionary(uniqueKeysWithValues: names))
        let timestamp = TimestampRole(head: repository.head(), snapshot: TrustFileInfo(version: 1))
        _ = try trusted.updateTimestamp(repository.file(timestamp.signed))
        try trusted.updateSnapshot(repository.file(snapshot.signed))
        try trusted.updateTargets(repository.file(targets.signed), role: "targets", parent: nil)
        return trusted
    }
}
