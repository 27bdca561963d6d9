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
    /// Nothing is kept then: what is verified counts for this run alone.
    private let isReadOnly: Bool

    init(_ library: Library, server: String) {
        isReadOnly = library.isReadOnly
        let name = ContentHash(hashing: Data(server.utf8)).hex.prefix(16)
        path = "\(library.root)/trust/\(name)"
    }

    /// Waits for its turn; `nil` where there is nothing to take turns at.
    func lock(atMost limit: Duration) async throws -> FileLock? {
        guard !isReadOnly else { return nil }
        try AtomicFile.makeFolder(path)
        return try await FileLock.wait(for: "\(path)/lock", atMost: limit)
    }

    /// A file that was verified when it was kept; `nil` where there is none.
    func file(_ role: String) -> Data? { FileManager.default.contents(atPath: filePath(role)) }

    func keep(_ bytes: Data, as role: String) throws { try keep([(role, bytes)]) }

    /// Keeps several, in their order, and after them the pin where one is given.
    func keep(_ files: [(role: String, bytes: Data)], _ pin: Pin? = nil) throws {
        guard !isReadOnly else { return }
        var all = files.map { (path: filePath($0.role), data: $0.bytes) }
        if let pin { all.append((path: pinPath, data: try JSONEncoder().encode(pin))) }
        try AtomicFile.write(all)
    }

    /// The same for what a power cut may take.
    func keepLightly(_ bytes: Data, as role: String) throws {
        guard !isReadOnly else { return }
        try AtomicFile.writeLightly(bytes, to: filePath(role))
    }

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
            let files = [pinPath, filePath("root")]
            guard files.contains(where: FileManager.default.fileExists(atPath:)) else { return nil }
            let isBegun = FileManager.default.fileExists(atPath: beginningPath)
            // The first pinning was broken off before anything was verified by it.
            if isBegun, !FileManager.default.fileExists(atPath: files[0]) { return nil }
            guard let root = file("root"), let bytes = FileManager.default.contents(atPath: files[0]),
                // Why it cannot be read is of no use to anybody: it is written anew.
                let pin = try? JSONDecoder().decode(Pin.self, from: bytes)
            else { throw LibraryError.damagedPin(path: path) }
            return (pin, root)
        }
    }

    static let pinName = "pin"
    private var pinPath: String { "\(path)/\(Self.pinName)" }
    private var beginningPath: String { "\(path)/pinning" }

    /// Keeps a root and the pin that goes with it. Whatever ends it on the way, afterwards there is the pin that was there
    /// before, none where there was none, or this one.
    func pin(_ root: Data, _ pin: Pin) throws {
        try AtomicFile.writeLightly(Data(), to: beginningPath)
        try AtomicFile.flushFolder(path)
        try keep([("root", root)], pin)
        // One that stays says nothing beside a pin.
        AtomicFile.discard(beginningPath)
    }
}
