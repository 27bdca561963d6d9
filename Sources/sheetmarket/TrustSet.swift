// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketAPI
import MarketPlatform
import MarketTrust
import SheetCore

/// The keys of the signed catalog as `up` makes them, whole and ready; taking the offline ones away is the operator's
/// part.
struct TrustSet {
    let folder: URL

    private var rootKey: URL { folder.appending(path: "root.json") }
    private var targetsKey: URL { folder.appending(path: "targets.json") }

    /// Makes a working set where there is none; answers what to tell the operator.
    func make(_ platform: Platform, binCount: Int = BinLayout.smallCount) async throws -> String? {
        guard try await TrustStore.state(platform.database) == nil else { return reminder }
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        // A start that was cut off between the files and the database has left them here.
        let root = try kept(rootKey) ?? TrustSigningKey()
        let targets = try kept(targetsKey) ?? TrustSigningKey()
        try TrustKeyFile(root).write(to: rootKey)
        try TrustKeyFile(targets).write(to: targetsKey)
        try await TrustAdministration(platform: platform).begin(root: root, targets: targets, binCount: binCount)
        return reminder
    }

    /// Tells how to take the root's key off the machine, as long as it lies here.
    private var reminder: String? {
        guard FileManager.default.fileExists(atPath: rootKey.path) else { return nil }
        return "The signed catalog's root key is \(rootKey.path): move it to a stick "
            + "(mv \(rootKey.path) /media/STICK/), or who takes this machine can sign as you."
    }

    private func kept(_ file: URL) throws -> TrustSigningKey? {
        guard FileManager.default.fileExists(atPath: file.path) else { return nil }
        return try TrustKeyFile(reading: file.path).privateKey
    }
}
