// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketAPI
import MarketPlatform
import Moderation

/// The folder of a marketplace on one machine: everything it has is in here.
struct DataFolder {
    let url: URL

    init(_ path: String) {
        let here = URL(filePath: FileManager.default.currentDirectoryPath, directoryHint: .isDirectory)
        url = URL(filePath: path, directoryHint: .isDirectory, relativeTo: here).absoluteURL.standardizedFileURL
    }

    var database: URL { url.appending(path: "postgres") }
    var storage: URL { url.appending(path: "storage") }
    /// Presets that the operator puts there; `up` makes none.
    var presets: URL { url.appending(path: "presets") }
    var administratorToken: URL { url.appending(path: "admin-token") }
    /// Where the link lies that signs the administrator in, unless it was shown on a terminal.
    var signInLink: URL { url.appending(path: "sign-in-link") }
    /// Letters, where no mail server is set.
    var mail: URL { url.appending(path: "mail") }
    /// Keys of the signed catalog that belong on a stick.
    var trustKeys: URL { url.appending(path: "trust-keys") }
    private var downloadKeys: URL { url.appending(path: "download-keys") }
    private var sealingKeys: URL { url.appending(path: "secret-keys") }
    private var auditKeysFile: URL { url.appending(path: "audit-keys") }

    /// Whether a market was ever started here.
    var isInitialized: Bool { FileManager.default.fileExists(atPath: database.appending(path: "cluster").path) }

    /// Makes the folder; nobody else may look into it.
    func make() throws {
        guard !FileManager.default.fileExists(atPath: url.path) else { return }
        do {
            try FileManager.default.createDirectory(
                at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw CommandFailure("The folder \(url.path) cannot be made: \(error.localizedDescription)")
        }
    }

    /// The keys of download addresses, made at the first start.
    func signingKeys() throws -> String {
        try Self.keys(in: downloadKeys) { DownloadSigner.makeKeySetting(id: "k1") }
    }

    /// The keys that seal secrets in the database, made at the first start.
    func secretKeys() throws -> String {
        try Self.keys(in: sealingKeys) { SecretBox.makeKeySetting(id: "s1") }
    }

    /// The same, if there are any.
    var keptSecretKeys: String? { get throws { try Self.kept(sealingKeys) } }

    /// Keys that are there and cannot be read must not be taken for keys that were never made.
    private static func kept(_ file: URL) throws -> String? {
        guard FileManager.default.fileExists(atPath: file.path) else { return nil }
        do {
            return try String(contentsOf: file, encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines)
        } catch {
            throw CommandFailure("\(file.path) cannot be read: \(error.localizedDescription)")
        }
    }

    private static func keys(in file: URL, or make: () -> String) throws -> String {
        if let kept = try kept(file) { return kept }
        let made = make()
        try writeSecret(made + "\n", to: file)
        return made
    }

    /// The keys that sign the audit log, made at the first start; apart from the database, which they vouch for.
    func auditKeys() throws -> String {
        if let kept = try keptAuditKeys { return kept }
        let made = AuditKeys.makeSetting(id: "a1")
        try Self.writeSecret(made + "\n", to: auditKeysFile)
        return made
    }

    /// The same, if there are any.
    var keptAuditKeys: String? { get throws { try Self.kept(auditKeysFile) } }

    /// Writes a file that only its owner may read; it is there whole, or not at all.
    static func writeSecret(_ text: String, to file: URL) throws {
        let fresh = file.appendingPathExtension("new")
        unlink(fresh.path)
        let descriptor = open(fresh.path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw CommandFailure("\(file.path) cannot be written: \(String(cString: strerror(errno)))")
        }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        try handle.write(contentsOf: Data(text.utf8))
        try handle.synchronize()
        try handle.close()
        guard rename(fresh.path, file.path) == 0 else {
            throw CommandFailure("\(file.path) cannot be written: \(String(cString: strerror(errno)))")
        }
    }
}
