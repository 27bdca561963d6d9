// SPDX-License-Identifier: Apache-2.0
import CZip
import Foundation
import SheetCore

/// A ZIP file of a stranger, opened by libzip. Its directory is checked as a whole before anything is unpacked, by the
/// rules of `ZipReader` in `CharacterCore`, and tests feed both the same hostile files. That one runs where there is no
/// libzip and no sandbox, so it takes only what the rules allow word by word; here, in a sandbox, uploads that some program
/// packed in an odd way should first be recognized, which a reader that refuses at once cannot do.
final class ZipArchive {
    /// How large an honest archive of a sheet may be.
    enum Limits {
        static let entries = 2000
        static let entryBytes: UInt64 = 64 << 20
        static let allBytes: UInt64 = 256 << 20
        /// Deflate cannot do better than about 1032:1; sheets and JSON stay far below this.
        static let ratio: UInt64 = 200
        /// Below this size a high ratio harms nobody.
        static let harmlessBytes: UInt64 = 4 << 20
        static let nameBytes = 255
        static let depth = 16
    }

    private struct Entry {
        let index: UInt64
        let size: UInt64
    }

    private let archive: OpaquePointer
    /// libzip reads from here for as long as the archive is open.
    private let memory: UnsafeMutableRawBufferPointer
    private var entries: [String: Entry] = [:]

    /// Opens without checking; enough to recognize an archive.
    init(opening bytes: Data) throws(ImportRefusal) {
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: max(bytes.count, 1), alignment: 16)
        bytes.copyBytes(to: memory)
        guard let archive = Self.open(memory, bytes.count, flags: 0) else {
            memory.deallocate()
            throw ImportRefusal(.malformed, "The archive cannot be opened; it is damaged or incomplete.")
        }
        self.memory = memory
        self.archive = archive
        for index in 0..<min(count, UInt64(Limits.entries)) {
            // What `check` will refuse is not looked for.
            guard let (name, status) = try? stat(index) else { continue }
            entries[name] = Entry(index: index, size: status.size)
        }
    }

    private static func open(
        _ memory: UnsafeMutableRawBufferPointer, _ count: Int, flags: Int32
    ) -> OpaquePointer? {
        var error = zip_error_t()
        zip_error_init(&error)
        defer { zip_error_fini(&error) }
        guard let source = zip_source_buffer_create(memory.baseAddress, UInt64(count), 0, &error) else { return nil }
        guard let opened = zip_open_from_source(source, Int32(ZIP_RDONLY) | flags, &error) else {
            zip_source_free(source)
            return nil
        }
        return opened
    }

    deinit {
        zip_discard(archive)
        memory.deallocate()
    }

    private var count: UInt64 { UInt64(max(0, zip_get_num_entries(archive, 0))) }

    /// The names of files, in order.
    var names: [String] { entries.keys.sorted() }

    /// Whether there is such a file.
    func has(_ name: String) -> Bool { entries[name] != nil }

    /// Refuses what no honest archive has: see docs/formats.md, "Archives".
    func check() throws(ImportRefusal) {
        guard count <= Limits.entries else {
            throw ImportRefusal(
                .archiveTooLarge, "The archive has \(count) entries; at most \(Limits.entries) are taken here.")
        }
        var seen: Set<String> = []
        var all: UInt64 = 0
        var packed: UInt64 = 0
        for index in 0..<count {
            let (name, status) = try stat(index)
            try Self.checkName(name)
            let key = name.precomposedStringWithCanonicalMapping.lowercased()
            guard seen.insert(key.hasSuffix("/") ? String(key.dropLast()) : key).inserted else {
                throw ImportRefusal(.archiveDuplicate, "Two entries of the archive are called '\(name)'.")
            }
            try checkType(index, name)
            try Self.checkMethods(status, name)
            guard status.size <= Limits.entryBytes else {
                throw ImportRefusal(.archiveTooLarge, "'\(name)' unpacks to \(status.size) bytes, more than is taken.")
            }
            guard status.size <= Limits.harmlessBytes || status.size / max(1, status.comp_size) <= Limits.ratio else {
                throw Self.bomb
            }
            all += status.size
            packed += status.comp_size
        }
        guard all <= Limits.allBytes else { throw Self.bomb }
        // Entries that overlap are packed into the same bytes.
        guard packed <= UInt64(memory.count) else { throw Self.bomb }
        // What the directory says of an entry must be what stands before its bytes, or two programs see two archives.
        guard let consistent = Self.open(memory, memory.count, flags: Int32(ZIP_CHECKCONS)) else {
            throw ImportRefusal(.malformed, "The archive is damaged: its directory and its entries do not agree.")
        }
        zip_discard(consistent)
    }

    /// The bytes of a file; its checksum has been verified.
    func read(_ name: String) throws(ImportRefusal) -> Data {
        guard let entry = entries[name] else {
            throw ImportRefusal(.invalidFormat, "The archive has no '\(name)'.")
        }
        guard entry.size <= Limits.entryBytes, let file = zip_fopen_index(archive, entry.index, 0) else {
            throw ImportRefusal(.malformed, "'\(name)' cannot be unpacked.")
        }
        defer { zip_fclose(file) }
        var bytes = Data()
        bytes.reserveCapacity(Int(entry.size))
        var piece = [UInt8](repeating: 0, count: 1 << 18)
        while true {
            let count = piece.withUnsafeMutableBytes { zip_fread(file, $0.baseAddress, UInt64($0.count)) }
            if count == 0 { break }
            guard count > 0, UInt64(bytes.count) + UInt64(count) <= entry.size else {
                throw ImportRefusal(.malformed, "'\(name)' is damaged: it unpacks to something else than it says.")
            }
            bytes.append(contentsOf: piece[..<Int(count)])
        }
        guard UInt64(bytes.count) == entry.size else {
            throw ImportRefusal(.malformed, "'\(name)' is damaged: it ends early.")
        }
        return bytes
    }

    // MARK: - Looking at entries

    private static var bomb: ImportRefusal {
        ImportRefusal(.decompressionBomb, "The archive unpacks to far more than a sheet can be.")
    }

    private func stat(_ index: UInt64) throws(ImportRefusal) -> (name: String, status: zip_stat_t) {
        var status = zip_stat_t()
        zip_stat_init(&status)
        let needed = UInt64(ZIP_STAT_NAME | ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD)
        guard zip_stat_index(archive, index, UInt32(ZIP_FL_ENC_RAW), &status) == 0, status.valid & needed == needed,
            let raw = status.name
        else { throw ImportRefusal(.malformed, "The archive's directory is damaged.") }
        guard let name = String(validatingCString: raw) else {
            throw ImportRefusal(.archivePath, "An entry's name is not UTF-8.")
        }
        return (name, status)
    }

    private static func checkName(_ name: String) throws(ImportRefusal) {
        let parts = name.split(separator: "/", omittingEmptySubsequences: false)
        let isFolder = name.hasSuffix("/")
        let inner = isFolder ? parts.dropLast() : parts[...]
        let isSafe =
            (1...Limits.nameBytes).contains(name.utf8.count) && !name.contains("\\") && !name.contains(":")
            && PlainText.isPlain(name) && inner.count <= Limits.depth
            && inner.allSatisfy { !$0.isEmpty && $0 != "." && $0 != ".." }
        guard isSafe else {
            let shown = PlainText.cleaned(name, most: 80)
            throw ImportRefusal(
                .archivePath, "'\(shown)' is no name for a file in an archive: it leads elsewhere, or cannot be shown.")
        }
    }

    private func checkType(_ index: UInt64, _ name: String) throws(ImportRefusal) {
        var system: UInt8 = 0
        var attributes: UInt32 = 0
        guard zip_file_get_external_attributes(archive, index, 0, &system, &attributes) == 0 else {
            throw ImportRefusal(.malformed, "The archive's directory is damaged.")
        }
        guard system == UInt8(ZIP_OPSYS_UNIX) || system == UInt8(ZIP_OPSYS_OS_X) else { return }
        let type = attributes >> 16 & 0o170000
        guard [0, 0o100000, 0o040000].contains(type) else {
            throw ImportRefusal(.archiveLink, "'\(name)' is a link or a device; archives of sheets have files only.")
        }
    }

    private static func checkMethods(_ status: zip_stat_t, _ name: String) throws(ImportRefusal) {
        if status.valid & UInt64(ZIP_STAT_ENCRYPTION_METHOD) != 0, status.encryption_method != UInt16(ZIP_EM_NONE) {
            throw ImportRefusal(.encrypted, "'\(name)' is encrypted; pack it without a password.")
        }
        guard [UInt16(ZIP_CM_STORE), UInt16(ZIP_CM_DEFLATE)].contains(status.comp_method) else {
            throw ImportRefusal(.malformed, "'\(name)' is packed in a way that is not read here; use plain ZIP.")
        }
    }
}
