// SPDX-License-Identifier: Apache-2.0
import Foundation
import Logging
import MarketPlatform

/// Where artifacts and pictures lie: in a folder, in a bucket, or in both while they move.
package struct StorageSettings: Sendable {
    /// A kind of store.
    package enum Kind: String, CaseIterable, Sendable {
        case disk, s3
    }

    /// The folder.
    package var folder: URL?
    /// Where the proxy in front serves the folder's objects to us alone.
    package var proxyPath: String?
    /// Where new objects go when there are a folder and a bucket; nil means the bucket.
    package var primary: Kind?
    /// `https://host` of the server that has the bucket.
    package var endpoint: String?
    /// Where clients reach the same server.
    package var publicEndpoint: String?
    /// The bucket's name.
    package var bucket: String?
    package var region = "us-east-1"
    package var accessKey: String?
    package var secretKey: String?
    /// What the keys of our objects begin with.
    package var prefix: String?
    /// A folder for files on their way to and from the bucket.
    package var spool: URL?
    /// The server of backups, as far as it is another than that of the artifacts.
    package var backup = Backup()

    package init() {}

    /// Where the buckets of backups are, and who we are there.
    package struct Backup: Sendable {
        package var endpoint: String?
        package var region: String?
        package var accessKey: String?
        package var secretKey: String?
    }

    /// The stores that are set up.
    package struct Stores: Sendable {
        package let disk: DiskStorage?
        package let bucket: S3Storage?
        /// What the service works with.
        package let all: any Storage
    }

    /// Opens what is set up; throws `ConfigurationError` where something is missing, and `StorageError`.
    package func open(logger: Logger) async throws -> Stores {
        let disk: DiskStorage? =
            if let folder { try await DiskStorage.open(folder, proxyPath: proxyPath) } else { nil }
        var remote: S3Storage?
        if let bucket = try s3Bucket() {
            remote = try await S3Storage.open(bucket, spool: try spoolFolder(), logger: logger)
        }
        let all: any Storage
        switch (disk, remote) {
        case (let disk?, let remote?):
            all = primary == .disk ? FallbackStorage(disk, remote) : FallbackStorage(remote, disk)
        case (let disk?, nil): all = disk
        case (nil, let remote?): all = remote
        case (nil, nil):
            throw ConfigurationError(problems: ["SHEETMARKET_STORAGE or SHEETMARKET_S3_BUCKET must be set."])
        }
        return Stores(disk: disk, bucket: remote, all: all)
    }

    private func s3Bucket() throws -> S3Bucket? {
        guard let bucket else { return nil }
        guard let endpoint, let accessKey, let secretKey else {
            throw ConfigurationError(problems: [
                "With SHEETMARKET_S3_BUCKET go SHEETMARKET_S3_ENDPOINT, SHEETMARKET_S3_ACCESS_KEY and "
                    + "SHEETMARKET_S3_SECRET_KEY."
            ])
        }
        return S3Bucket(
            endpoint: endpoint, publicEndpoint: publicEndpoint, name: bucket, region: region, accessKey: accessKey,
            secretKey: secretKey, prefix: prefix ?? "")
    }

    /// A bucket of backups; throws `ConfigurationError` where its server or key is not set.
    package func backupBucket(name: String, prefix: String) throws -> S3Bucket {
        guard let endpoint = backup.endpoint ?? endpoint, let accessKey = backup.accessKey ?? accessKey,
            let secretKey = backup.secretKey ?? secretKey
        else {
            throw ConfigurationError(problems: [
                "For backups in a bucket SHEETMARKET_BACKUP_S3_ENDPOINT, SHEETMARKET_BACKUP_S3_ACCESS_KEY and "
                    + "SHEETMARKET_BACKUP_S3_SECRET_KEY must be set, or those of SHEETMARKET_S3_…."
            ])
        }
        return S3Bucket(
            endpoint: endpoint, name: name, region: backup.region ?? region, accessKey: accessKey,
            secretKey: secretKey, prefix: prefix)
    }

    /// The folder for files on their way to and from a bucket.
    package func spoolFolder() throws -> URL { try spool ?? Self.privateFolder() }

    /// A folder in the temporary one that this user's processes share, and nobody else reads. Anybody can make one of
    /// that name there: then it is refused.
    private static func privateFolder() throws -> URL {
        let folder = FileManager.default.temporaryDirectory.appending(path: "sheetmarket-spool-\(geteuid())")
        // It may be there; what it is then is looked at below.
        try? FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        let attributes = try FileManager.default.attributesOfItem(atPath: folder.path)
        guard attributes[.type] as? FileAttributeType == .typeDirectory,
            attributes[.ownerAccountID] as? UInt == UInt(geteuid()),
            (attributes[.posixPermissions] as? Int).map({ $0 & 0o077 == 0 }) == true
        else {
            throw ConfigurationError(problems: [
                "\(folder.path) is not a folder of this user alone: remove it, or set SHEETMARKET_S3_SPOOL."
            ])
        }
        return folder
    }
}
