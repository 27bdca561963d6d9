// SPDX-License-Identifier: Apache-2.0
import Foundation
import SheetCore

/// What a library keeps of a market's signed metadata: the root that it trusts, and the newest of the rest, so that a
/// rollback is noticed later (The Update Framework 1.0, section 5.2). Nothing in here is needed to open what is
/// installed.
struct TrustFolder: Sendable {
    /// When and how the root was pinned.
    struct Pin: Codable, Sendable {
        var server: String
        /// SHA-256 of the file that was pinned first.
        var fingerprint: String
        var pinnedAt: Date
        /// This machine's clock at the latest verification: it must not go back.
        var lastVerifiedAt: Date
    }

    let path: String

    init(_ library: Library, server: String) {
        let name = ContentHash(hashing: Data(server.utf8)).hex.prefix(16)
        path = "\(library.root)/trust/\(name)"
    }

    var lockPath: String { "\(path)/lock" }

    func prepare() throws { try AtomicFile.makeFolder(path) }

    /// A file that was verified when it was kept; `nil` where there is none.
    func file(_ role: String) -> Data? { FileManager.default.contents(atPath: filePath(role)) }

    func keep(_ bytes: Data, as role: String) throws { try AtomicFile.write(bytes, to: filePath(role)) }

    /// Names of roles come from metadata: in names of files they are hexadecimal unless they are plain.
    private func filePath(_ role: String) -> String {
        let isPlain = role.utf8.allSatisfy { (97...122).contains($0) || (48...57).contains($0) || $0 == 45 }
        let name = isPlain && role.utf8.count < 64 ? role : "role-" + ContentHash(hashing: Data(role.utf8)).hex
        return "\(path)/\(name).json"
    }

    /// What was pinned, with the newest root that follows from it; `nil` before the first use. Half of it, or what cannot
    /// be read, is no first use: it throws.
    var pinned: (pin: Pin, root: Data)? {
        get throws {
            let files = ["pin", "root.json"].map { "\(path)/\($0)" }
            guard files.contains(where: FileManager.default.fileExists(atPath:)) else { return nil }
            guard let root = file("root"), let bytes = FileManager.default.contents(atPath: files[0]),
                // Why it cannot be read is of no use to anybody: it is written anew.
                let pin = try? JSONDecoder().decode(Pin.self, from: bytes)
            else { throw LibraryError.damagedPin(path: path) }
            return (pin, root)
        }
    }

    func setPin(_ pin: Pin) throws { try AtomicFile.write(JSONEncoder().encode(pin), to: "\(path)/pin") }
}
