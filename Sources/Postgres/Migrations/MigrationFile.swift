// SPDX-License-Identifier: Apache-2.0
import Foundation

/// One file of a migrations folder.
struct MigrationFile: Sendable {
    /// How often a file is applied, which is where it lies.
    enum Kind: Sendable {
        /// Once: `20250131120000_create_users.sql`.
        case numbered
        /// Whenever it has changed: `repeatable/020_search.sql`.
        case repeatable

        /// How many digits a file's name begins with: of a UTC time to the second, or of a place in the order.
        var digits: Int {
            switch self {
            case .numbered: 14
            case .repeatable: 3
            }
        }
    }

    let kind: Kind
    /// The digits that the name begins with.
    let version: String
    /// The whole file name without its suffix.
    let name: String
    let bytes: Data
    let sql: String

    /// The file asks to run outside a transaction, as `CREATE INDEX CONCURRENTLY` must.
    var isOutsideTransaction: Bool {
        kind == .numbered
            && sql.prefix { !$0.isNewline }.trimmingCharacters(in: .whitespaces) == "-- no-transaction"
    }

    /// Reads a folder's `.sql` files in order of their versions. Other files are left alone.
    static func read(_ directory: URL, _ kind: Kind) throws -> [MigrationFile] {
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: directory.path)
        } catch {
            throw PostgresMigrationError.unreadable(path: directory.path)
        }
        var files: [MigrationFile] = []
        for name in names.sorted() where name.hasSuffix(".sql") && !name.hasPrefix(".") {
            let file = try load(directory.appendingPathComponent(name), kind)
            if let last = files.last, last.version == file.version {
                throw PostgresMigrationError.duplicateVersion(first: last.name, second: file.name)
            }
            files.append(file)
        }
        return files
    }

    private static func load(_ url: URL, _ kind: Kind) throws -> MigrationFile {
        let name = url.deletingPathExtension().lastPathComponent
        let version = name.prefix(kind.digits)
        let rest = name.dropFirst(kind.digits)
        let isNamed =
            version.count == kind.digits && version.allSatisfy { ("0"..."9").contains($0) }
            && rest.hasPrefix("_") && rest.count > 1
            && rest.utf8.allSatisfy { $0 == 0x5f || (0x30...0x39).contains($0) || (0x61...0x7a).contains($0) }
        guard isNamed else {
            throw PostgresMigrationError.badFileName(url.lastPathComponent, digits: kind.digits)
        }
        guard let bytes = try? Data(contentsOf: url), let sql = String(data: bytes, encoding: .utf8) else {
            throw PostgresMigrationError.unreadable(path: url.path)
        }
        return MigrationFile(kind: kind, version: String(version), name: name, bytes: bytes, sql: sql)
    }
}

/// The files of a migrations folder.
struct MigrationFolder: Sendable {
    /// Applied once, in this order.
    let numbered: [MigrationFile]
    /// Applied after the numbered ones, in this order, whenever they have changed. A folder may have none.
    let repeatable: [MigrationFile]

    init(_ directory: URL) throws {
        numbered = try MigrationFile.read(directory, .numbered)
        let folder = directory.appendingPathComponent("repeatable")
        repeatable =
            FileManager.default.fileExists(atPath: folder.path) ? try MigrationFile.read(folder, .repeatable) : []
    }
}
