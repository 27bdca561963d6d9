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

    private let source: ArchiveSource
    private var entries: [String: Entry] = [:]
    /// Of files, in the order of the directory.
    public private(set) var names: [String] = []

    /// Opens an archive in memory, or says why not.
    public init(_ data: Data) throws(ArchiveFailure) { try self.init(ArchiveSource(data)) }

    /// Opens an archive, or says why not. Of a file only its directory is read.
    public init(_ source: ArchiveSource) throws(ArchiveFailure) {
        self.source = source
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
        let unpacked =
            try entry.isDeflated
            ? Inflate.unpack(ArchiveFeed(source, entry.packed), count: entry.size).map { Data($0) }
            : source.read(entry.packed)
        guard let unpacked, CRC32.of(unpacked) == entry.crc else {
            throw ArchiveFailure(.malformed, "'\(name)' is damaged: it unpacks to something else than it says.")
        }
        return unpacked
    }

    // MARK: - The directory

    private struct Directory {
        var place: Int
        var end: Int
        var count: Int
    }

    private func findDirectory() throws(ArchiveFailure) -> Directory {
        let notAnArchive = ArchiveFailure(.malformed, "The archive cannot be opened; it is damaged or incomplete.")
        guard source.count >= 22 else { throw notAnArchive }
        // The comment behind it may be 65,535 bytes long.
        let tail = try source.record(max(0, source.count - 22 - 65_535), min(source.count, 22 + 65_535))
        var place = tail.bytes.count - 22
        while place >= 0 {
            let isEnd = tail.number(place, 4) == 0x0605_4b50
            if isEnd, place + 22 + tail.number(place + 20, 2) == tail.bytes.count { break }
            place -= 1
        }
        guard place >= 0 else { throw notAnArchive }
        let end = source.count - tail.bytes.count + place
        let count = tail.number(place + 10, 2)
        let (size, start) = (tail.number(place + 12, 4), tail.number(place + 16, 4))
        guard tail.number(place + 4, 4) == 0, tail.number(place + 8, 2) == count, start + size == end else {
            throw Self.damaged
        }
        guard count <= Limits.entries else {
            throw ArchiveFailure(
                .archiveTooLarge, "The archive has \(count) entries; at most \(Limits.entries) are taken here.")
        }
        return Directory(place: start, end: end, count: count)
    }

    /// What the directory says of an entry.
    private struct Head {
        var name: String
        var method: Int
        var crc: Int
        var packed: Int
        var size: Int
        /// Where the entry begins.
        var local: Int

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
        guard place + 46 <= directory.end else { throw Self.damaged }
        let head = try source.record(place, 46)
        guard head.number(0, 4) == 0x0201_4b50 else { throw Self.damaged }
        let nameCount = head.number(28, 2)
        let next = place + 46 + nameCount + head.number(30, 2) + head.number(32, 2)
        guard next <= directory.end, head.number(34, 2) == 0 else { throw Self.damaged }
        let nameBytes = try source.record(place + 46, nameCount).bytes
        let name = String(decoding: nameBytes, as: UTF8.self)
        guard name.utf8.elementsEqual(nameBytes) else {
            throw ArchiveFailure(.archivePath, "An entry's name is not UTF-8.")
        }
        let shown = PlainText.cleaned(name, most: 80)
        let flags = head.number(8, 2)
        guard flags & 0x41 == 0 else {
            throw ArchiveFailure(.encrypted, "'\(shown)' is encrypted; pack it without a password.")
        }
        let method = head.number(10, 2)
        guard method == 0 || method == 8 else {
            throw ArchiveFailure(
                .malformed, "'\(shown)' is packed in a way that is not read here; use plain ZIP.")
        }
        if [3, 19].contains(head.number(4, 2) >> 8) {
            guard [0, 0o100000, 0o040000].contains(head.number(40, 2) & 0o170000) else {
                throw ArchiveFailure(
                    .archiveLink, "'\(shown)' is a link or a device; archives of sheets have files only.")
            }
        }
        let told = Head(
            name: name, method: method, crc: head.number(16, 4), packed: head.number(20, 4), size: head.number(24, 4),
            local: head.number(42, 4))
        return (told, next)
    }

    /// An entry, and all that it takes up in the file.
    private func readEntry(
        _ head: Head, before directory: Directory
    ) throws(ArchiveFailure) -> (Entry, whole: Range<Int>) {
        let (packed, size) = (head.packed, head.size)
        let nameCount = head.name.utf8.count
        guard head.local + 30 <= directory.place else { throw Self.damaged }
        let local = try source.record(head.local, 30)
        guard local.number(0, 4) == 0x0403_4b50, local.number(6, 2) & 0x41 == 0,
            local.number(8, 2) == head.method, local.number(26, 2) == nameCount, head.method == 8 || packed == size
        else { throw Self.damaged }
        let start = head.local + 30 + nameCount + local.number(28, 2)
        guard start + packed <= directory.place,
            try source.record(head.local + 30, nameCount).bytes.elementsEqual(head.name.utf8)
        else { throw Self.damaged }
        // With a descriptor behind the bytes the sizes before them may be left out.
        let isLater = local.number(6, 2) & 8 != 0
        let told = [local.number(14, 4), local.number(18, 4), local.number(22, 4)]
        guard told == [head.crc, packed, size] || isLater && told == [0, 0, 0] else { throw Self.damaged }
        return (
            Entry(
                name: head.name, isDeflated: head.method == 8, crc: UInt32(head.crc),
                packed: start..<start + packed, size: size), head.local..<start + packed
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
