// SPDX-License-Identifier: Apache-2.0
import MarketAPI

/// Where an option says that backups are.
enum BackupPlace {
    /// Opens the folder or the bucket. Only a bucket needs the passphrase before anything is read.
    static func open(
        _ text: String, _ node: NodeOptions, isNew: Bool, passphrase: () throws -> String?
    ) async throws -> any BackupTarget {
        guard let address = try BackupAddress(text) else { return BackupFolder(text) }
        guard let secret = try passphrase() else {
            throw CommandFailure("All that goes into a bucket is sealed: name the passphrase with --passphrase-file.")
        }
        return try await BackupBucket.open(
            address, try node.load().storage, passphrase: secret, isNew: isNew)
    }
}
