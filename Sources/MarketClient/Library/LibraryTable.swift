// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketWire
import SheetCore

private struct TableFormat: Decodable {
    let format: Int
}

extension Library {
    /// A file of what is played with the sheets: `table/<folder>/<name>.json`, or without a folder `table/<name>.json`.
    public struct TableFile: Sendable {
        let path: String

        /// `folder` is a word of the program's own.
        public init(folder: String? = nil, named name: String) {
            path = (folder.map { "\($0)/" } ?? "") + Self.fileName(name)
        }

        /// Names that people see as one get one file; no name leads out of its folder.
        private static func fileName(_ name: String) -> String {
            Slug(slugging: name)?.text ?? "x-\(ContentHash(hashing: Data(name.utf8)).hex.prefix(16))"
        }
    }

    private var tableFolder: String { "\(root)/table" }
    private func path(_ file: TableFile) -> String { "\(tableFolder)/\(file.path).json" }

    /// What a file holds; `nil` when it is not there.
    public func table<Value: Decodable>(_ file: TableFile, as type: Value.Type = Value.self) throws -> Value? {
        let path = path(file)
        guard let data = FileManager.default.contents(atPath: path) else { return nil }
        do {
            let format = try WireJSON.decoder().decode(TableFormat.self, from: data).format
            guard format <= 1 else { throw LibraryError.newerFormat(path: path, format: format) }
            return try WireJSON.decoder().decode(type, from: data)
        } catch let error as LibraryError {
            throw error
        } catch {
            throw LibraryError.unreadableTable(path: path)
        }
    }

    /// Names of the files in a folder.
    public func tables(in folder: String) -> [String] {
        // A library that nobody played with has none.
        ((try? FileManager.default.contentsOfDirectory(atPath: "\(tableFolder)/\(folder)")) ?? [])
            .filter { $0.hasSuffix(".json") }.map { String($0.dropLast(5)) }.sorted()
    }

    /// Changes a file under the table's lock: `change` gets what is there and gives what shall be there. Whatever
    /// ends the process, the file holds the one or the other.
    @discardableResult
    public func changeTable<Value: Codable>(
        _ file: TableFile, _ change: (Value?) throws -> Value
    ) async throws -> Value {
        let path = path(file)
        try prepare()
        try AtomicFile.makeFolder(AtomicFile.folder(of: path))
        let lock = try await FileLock.wait(for: "\(tableFolder)/lock", atMost: Self.recordLockTimeout)
        return try withExtendedLifetime(lock) {
            removeDrafts(in: AtomicFile.folder(of: path))
            let changed = try change(try table(file))
            try AtomicFile.write(try WireJSON.encoder().encode(changed) + Data("\n".utf8), to: path)
            return changed
        }
    }

    /// Throws a file away.
    public func removeTable(_ file: TableFile) async throws {
        let path = path(file)
        guard FileManager.default.fileExists(atPath: path) else { return }
        let lock = try await FileLock.wait(for: "\(tableFolder)/lock", atMost: Self.recordLockTimeout)
        try withExtendedLifetime(lock) {
            try AtomicFile.remove(path)
            try AtomicFile.flushFolder(AtomicFile.folder(of: path))
        }
    }
}
