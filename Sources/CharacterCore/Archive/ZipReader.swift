// SPDX-License-Identifier: Apache-2.0
import SheetCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A ZIP of a stranger (APPNOTE 6.3.10). Its directory is checked as a whole before anything is unpacked; the rules and
/// limits are those of docs/formats.md, "Archives".
public struct ZipReader: Sendable {
    public enum Limits {
        public static let entries = 2000
        public static let entryBytes = 64 << 20
        public static let allBytes = 256 << 20
        /// Above `harmlessBytes`.
        public static let ratio = 200
        public static let harmlessBytes = 4 << 20
        public static let nameBytes = 255
        public static let depth = 16
    }

    private struct Entry: Sendable {
        var name: String
        var isDeflated: Bool
        var crc: UInt32
        var packed: Range<Int>
        var size: Int
    }

    private let bytes: [UInt8]
    private var entries: [String: Entry] = [:]
    /// Of files, in the order of the directory.
    public private(set) var names: [String] = []

    /// Opens an archive, or says why not.
    public init(_ data: Data) throws(ArchiveFailure) {
        bytes = Array(data)
        let directory = try findDirectory()
        let heads = try readDirectory(directory)
        var used: [Range<Int>] = []
        for head in heads {
            let (entry, whole) = try readEntry(head, before: directory)
            used.append(whole)
            if head.isFolder {
                guard entry.size == 0 else { throw Self.damaged }
            } else {
                names.append(entry.name)
                entries[entry.name] = entry
            }
        }
        used.sort { $0.lowerBound < $1.lowerBound }
        for (one, other) in zip(used, used.dropFirst()) where one.upperBound > other.lowerBound { throw Self.bomb }
        guard used.last.map({ $0.upperBound <= directory.place }) ?? true else { throw Self.bomb }
    }

    private static var damaged: ArchiveFailure {
        ArchiveFailure(.malformed, "The archive is damaged: its directory and its entries do not agree.")
    }

    private static var bomb: ArchiveFailure {
        ArchiveFailure(.decompressionBomb, "The archive unpacks to far more than a sheet can be.")
    }

    public func has(_ name: String) -> Bool { entries[name] != nil }

    /// The size of a file, unpacked.
    public func size(of name: String) -> Int? { entries[name]?.size }

    /// The bytes of a file; its checksum has been verified.
    public func read(_ name: String) throws(ArchiveFailure) -> Data {
        guard let entry = entries[name] else {
            throw ArchiveFailure(.invalidFormat, "The archive has no '\(name)'.")
        }
        let packed = bytes[entry.packed]
        let unpacked = entry.isDeflated ? Inflate.unpack(packed, count: entry.size).map { $0[...] } : packed
        guard let unpacked, CRC32.of(unpacked) == entry.crc else {
            throw ArchiveFailure(.malformed, "'\(name)' is damaged: it unpacks to something else than it says.")
        }
        return Data(unpacked)
    }

    // MARK: - The directory

    private struct Directory {
        var place: Int
        var end: Int
        var count: Int
    }

    private func number(_ place: Int, _ count: Int) -> Int {
        (0..<count).reduce(0) { $0 | Int(bytes[place + $1]) << (8 * $1) }
    }

    private func findDirectory() throws(ArchiveFailure) -> Directory {
        let notAnArchive = ArchiveFailure(.malformed, "The archive cannot be opened; it is damaged or incomplete.")
        guard bytes.count >= 22 else { throw notAnArchive }
        // The comment behind it may be this long.
        var place = bytes.count - 22
        while place >= max(0, bytes.count - 22 - 65_535) {
            if number(place, 4) == 0x0605_4b50, place + 22 + number(place + 20, 2) == bytes.count { break }
            place -= 1
        }
        guard place >= max(0, bytes.count - 22 - 65_535) else { throw notAnArchive }
        let count = number(place + 10, 2)
        let (size, start) = (number(place + 12, 4), number(place + 16, 4))
        guard number(place + 4, 4) == 0, number(place + 8, 2) == count, start + size == place else {
            throw Self.damaged
        }
        guard count <= Limits.entries else {
            throw ArchiveFailure(
                .archiveTooLarge, "The archive has \(count) entries; at most \(Limits.entries) are taken here.")
        }
        return Directory(place: start, end: place, count: count)
    }

    /// What the directory says of an entry.
    private struct Head {
        /// Where it says so.
        var place: Int
        var name: String
        var packed: Int
        var size: Int

        var isFolder: Bool { name.hasSuffix("/") }
    }

    /// Reads the directory, and refuses what is too much by its word alone.
    private func readDirectory(_ directory: Directory) throws(ArchiveFailure) -> [Head] {
        var heads: [Head] = []
        var place = directory.place
        var seen: [String: Bool] = [:]
        var all = 0
        for _ in 0..<directory.count {
            let (head, next) = try readHead(at: place, before: directory)
            place = next
            try Self.checkName(head.name, &seen, isFolder: head.isFolder)
            guard head.size <= Limits.entryBytes else {
                throw ArchiveFailure(
                    .archiveTooLarge, "'\(head.name)' unpacks to \(head.size) bytes, more than is taken.")
            }
            guard head.size <= Limits.harmlessBytes || head.size / max(1, head.packed) <= Limits.ratio else {
                throw Self.bomb
            }
            all += head.size
            heads.append(head)
        }
        guard place == directory.end else { throw Self.damaged }
        guard all <= Limits.allBytes else { throw Self.bomb }
        return heads
    }

    /// What is said of an entry, and where the next one is told of.
    private func readHead(
        at place: Int, before directory: Directory
    ) throws(ArchiveFailure) -> (Head, next: Int) {
        guard place + 46 <= directory.end, number(place, 4) == 0x0201_4b50 else { throw Self.damaged }
        let nameCount = number(place + 28, 2)
        let next = place + 46 + nameCount + number(place + 30, 2) + number(place + 32, 2)
        guard next <= directory.end, number(place + 34, 2) == 0 else { throw Self.damaged }
        let nameBytes = bytes[place + 46..<place + 46 + nameCount]
        let name = String(decoding: nameBytes, as: UTF8.self)
        guard name.utf8.elementsEqual(nameBytes) else {
            throw ArchiveFailure(.archivePath, "An entry's name is not UTF-8.")
        }
        let shown = PlainText.cleaned(name, most: 80)
        let flags = number(place + 8, 2)
        guard flags & 0x41 == 0 else {
            throw ArchiveFailure(.encrypted, "'\(shown)' is encrypted; pack it without a password.")
        }
        let method = number(place + 10, 2)
        guard method == 0 || method == 8 else {
            throw ArchiveFailure(
                .malformed, "'\(shown)' is packed in a way that is not read here; use plain ZIP.")
        }
        if [3, 19].contains(number(place + 4, 2) >> 8) {
            guard [0, 0o100000, 0o040000].contains(number(place + 40, 2) & 0o170000) else {
                throw ArchiveFailure(
                    .archiveLink, "'\(shown)' is a link or a device; archives of sheets have files only.")
            }
        }
        return (Head(place: place, name: name, packed: number(place + 20, 4), size: number(place + 24, 4)), next)
    }

    /// An entry, and all that it takes up in the file.
    private func readEntry(
        _ head: Head, before directory: Directory
    ) throws(ArchiveFailure) -> (Entry, whole: Range<Int>) {
        let (place, packed, size) = (head.place, head.packed, head.size)
        let (method, nameCount, local) = (number(place + 10, 2), number(place + 28, 2), number(place + 42, 4))
        let nameBytes = bytes[place + 46..<place + 46 + nameCount]
        guard local + 30 <= directory.place, number(local, 4) == 0x0403_4b50, number(local + 6, 2) & 0x41 == 0,
            number(local + 8, 2) == method, number(local + 26, 2) == nameCount, method == 8 || packed == size
        else { throw Self.damaged }
        let start = local + 30 + nameCount + number(local + 28, 2)
        guard start + packed <= directory.place,
            bytes[local + 30..<local + 30 + nameCount].elementsEqual(nameBytes)
        else { throw Self.damaged }
        // With a descriptor behind the bytes the sizes before them may be left out.
        let isLater = number(local + 6, 2) & 8 != 0
        let told = [number(local + 14, 4), number(local + 18, 4), number(local + 22, 4)]
        guard told == [number(place + 16, 4), packed, size] || isLater && told == [0, 0, 0] else { throw Self.damaged }
        return (
            Entry(
                name: head.name, isDeflated: method == 8, crc: UInt32(number(place + 16, 4)),
                packed: start..<start + packed, size: size), local..<start + packed
        )
    }

    /// Refuses names that lead elsewhere, and those that some file system takes for another's.
    private static func checkName(
        _ name: String, _ seen: inout [String: Bool], isFolder: Bool
    ) throws(ArchiveFailure) {
        let parts = name.split(separator: "/", omittingEmptySubsequences: false)
        let inner = isFolder ? parts.dropLast() : parts[...]
        let isSafe =
            (1...Limits.nameBytes).contains(name.utf8.count) && !name.contains("\\") && !name.contains(":")
            && PlainText.isPlain(name) && inner.count <= Limits.depth
            && inner.allSatisfy { !$0.isEmpty && $0 != "." && $0 != ".." }
        guard isSafe else {
            let shown = PlainText.cleaned(name, most: 80)
            throw ArchiveFailure(
                .archivePath, "'\(shown)' is no name for a file in an archive: it leads elsewhere, or cannot be shown.")
        }
        let duplicate = ArchiveFailure(.archiveDuplicate, "Two entries of the archive are called '\(name)'.")
        var path = ""
        for (place, part) in inner.enumerated() {
            path += (place == 0 ? "" : "/") + UnicodeText.composed(String(part)).lowercased()
            let isLast = place == inner.count - 1
            if isLast {
                guard seen[path] == nil || isFolder && seen[path] == true else { throw duplicate }
                seen[path] = isFolder
            } else {
                guard seen[path] != false else { throw duplicate }
                seen[path] = true
            }
        }
    }
}
