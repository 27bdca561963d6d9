// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketWire
import SheetCore

extension Library {
    /// What of the library a backup holds besides characters, as paths in its folder: records and the files that they
    /// name, what is played, and what is trusted.
    package func pathsToKeep() throws -> [String] {
        let contents = try contents()
        // A backup that silently lacks a sheet is none.
        if let error = contents.unreadable.first { throw error }
        var paths = contents.records.map { "templates/\($0.template.id).json" }
        let objects = Set(contents.records.flatMap { $0.versions.flatMap(\.objects) })
        paths += objects.map { "objects/\($0.hex.prefix(2))/\($0.hex)" }
            .filter { FileManager.default.fileExists(atPath: "\(root)/\($0)") }
        for folder in ["table", "trust"] {
            // Neither is there before it is needed.
            let found = (try? FileManager.default.subpathsOfDirectory(atPath: "\(root)/\(folder)")) ?? []
            paths += found.map { "\(folder)/\($0)" }.filter { Self.isKept($0) }
        }
        if FileManager.default.fileExists(atPath: formatPath) { paths.append("library.json") }
        return paths.sorted()
    }

    /// Whether a backup may have such a file, and it may be put back: nothing else of a library is touched.
    package static func isKept(_ path: String) -> Bool {
        let names = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        let isPlain = names.allSatisfy { name in
            !name.isEmpty && !name.hasPrefix(".") && name.utf8.count <= 200 && PlainText.isPlain(name)
        }
        guard isPlain, let last = names.last else { return false }
        switch (names.first, names.count) {
        case ("library.json", 1): return true
        case ("templates", 2): return last.hasSuffix(".json") && TemplateID(String(last.dropLast(5))) != nil
        case ("objects", 3): return ContentHash(hex: last) != nil && last.hasPrefix(names[1]) && names[1].count == 2
        case ("table", 2...3): return last.hasSuffix(".json")
        case ("trust", 3): return last.hasSuffix(".json") || last == TrustFolder.pinName
        default: return false
        }
    }

    /// What putting back a file came to.
    package enum PutBack: Sendable {
        case put
        /// The same is there.
        case same
        /// Another is there, and stays.
        case kept
        /// The backup's bytes are not those that the name says, and are left out.
        case damaged
    }

    /// Puts files of a backup in their places. Another that is there stays, but where `replaces` says so of what is
    /// played. Records come after the files that they name.
    package func putBack(
        _ paths: [String], replacing replaces: Bool, bytes: (_ path: String) throws -> Data
    ) async throws -> [PutBack] {
        try AtomicFile.makeFolder(root)
        if paths.contains("library.json"), !FileManager.default.fileExists(atPath: formatPath) {
            try AtomicFile.write(try bytes("library.json"), to: formatPath)
        }
        try prepare()
        try AtomicFile.makeFolder("\(root)/table")
        let records = try await FileLock.wait(for: "\(root)/lock", atMost: Self.recordLockTimeout)
        let table = try await FileLock.wait(for: "\(root)/table/lock", atMost: Self.recordLockTimeout)
        return try withExtendedLifetime((records, table)) {
            let order = ["objects/", "trust/", "templates/", "table/"]
            func place(_ path: String) -> Int { order.firstIndex { path.hasPrefix($0) } ?? order.count }
            // Without its pin, as earlier versions left it, what is trusted would pass for damaged.
            let pinned = Set(paths.filter { $0.hasSuffix("/\(TrustFolder.pinName)") }.map(AtomicFile.folder))
            let kept = paths.filter { path in
                Self.isKept(path) && (!path.hasPrefix("trust/") || pinned.contains(AtomicFile.folder(of: path)))
            }
            return try kept.sorted { (place($0), $0) < (place($1), $1) }.map { path in
                let target = "\(root)/\(path)"
                let isObject = path.hasPrefix("objects/")
                let new = try bytes(path)
                if isObject, !path.hasSuffix("/\(ContentHash(hashing: new).hex)") { return .damaged }
                if let old = FileManager.default.contents(atPath: target) {
                    if old == new { return .same }
                    // Of an object only the right bytes count.
                    guard isObject || replaces && path.hasPrefix("table/") else { return .kept }
                }
                try AtomicFile.makeFolder(AtomicFile.folder(of: target))
                try AtomicFile.write(new, to: target, permissions: isObject ? 0o444 : 0o644)
                return .put
            }
        }
    }
}
