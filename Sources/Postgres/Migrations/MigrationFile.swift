// SPDX-License-Identifier: Apache-2.0
import Foundation

/// One file of a migrations folder: `20250131120000_create_users.sql`.
struct MigrationFile: Sendable {
    /// The 14 digits, a UTC time to the second.
    let version: String
    /// The whole file name without its suffix.
    let name: String
    let bytes: Data
    let sql: String

    /// The file asks to run outside a transaction, as `CREATE INDEX CONCURRENTLY` must.
    var isOutsideTransaction: Bool {
        sql.prefix { !$0.isNewline }.trimmingCharacters(in: .whitespaces) == "-- no-transaction"
    }

    /// Reads a folder's `.sql` files in order of their versions. Other files are left alone.
    static func read(_ directory: URL) throws -> [MigrationFile] {
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: directory.path)
        } catch {
            throw PostgresMigrationError.unreadable(path: directory.path)
        }
        var files: [MigrationFile] = []
        for name in names.sorted() where name.hasSuffix(".sql") && !name.hasPrefix(".") {
            let file = try load(directory.appendingPathComponent(name))
            if let last = files.last, last.version == file.version {
                throw PostgresMigrationError.duplicateVersion(first: last.name, second: file.name)
            }
            files.append(file)
        }
        return files
    }

    private static func load(_ url: URL) throws -> MigrationFile {
        let name = url.deletingPathExtension().lastPathComponent
        let version = name.prefix(14)
        let rest = name.dropFirst(14)
        let isNamed =
            version.count == 14 && version.allSatisfy { ("0"..."9").contains($0) }
            && rest.hasPrefix("_") && rest.count > 1
            && rest.utf8.allSatisfy { $0 == 0x5f || (0x30...0x39).contains($0) || (0x61...0x7a).contains($0) }
        guard isNamed else { throw PostgresMigrationError.badFileName(url.lastPathComponent) }
        guard let bytes = try? Data(contentsOf: url), let sql = String(data: bytes, encoding: .utf8) else {
            throw PostgresMigrationError.unreadable(path: url.path)
        }
        return MigrationFile(version: String(version), name: name, bytes: bytes, sql: sql)
    }
}
