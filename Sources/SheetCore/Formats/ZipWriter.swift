// SPDX-License-Identifier: Apache-2.0
#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Writes ZIP files whose bytes depend on nothing but what is in them: entries are stored as they are (sheets and
/// pictures are compressed already), in the order given, with one fixed time. APPNOTE 6.3.10, sections 4.3 to 4.5.
public struct ZipWriter {
    /// What cannot be written.
    public enum Failure: Error, Equatable {
        /// A name is empty, too long, or there already.
        case badName(String)
        /// More than ZIP without its 64-bit extension can hold.
        case tooLarge
    }

    private struct Entry {
        let name: [UInt8]
        let crc: UInt32
        let size: UInt32
        let offset: UInt32
    }

    private var file = Data()
    /// Bytes that were handed out before those of `file`.
    private var drained = 0
    private var entries: [Entry] = []
    private var names: Set<String> = []

    private static let versionNeeded: UInt16 = 20
    private static let madeByUnix: UInt16 = 3 << 8 | 20
    /// Names are UTF-8.
    private static let flags: UInt16 = 1 << 11
    /// 1980-01-01, the first day that the format knows.
    private static let date: UInt16 = 1 << 5 | 1
    private static let regularFile: UInt32 = 0o100644 << 16

    public init() {}

    /// Appends a file; throws what the format cannot hold.
    public mutating func add(_ name: String, _ bytes: some DataProtocol) throws(Failure) {
        let encoded = Array(name.utf8)
        guard (1...255).contains(encoded.count), !name.hasPrefix("/"), !name.contains(".."),
            names.insert(name.lowercased()).inserted, entries.count < 65_000
        else { throw .badName(name) }
        guard bytes.count < Int(UInt32.max), drained + file.count + bytes.count < Int(UInt32.max) - (64 << 20) else {
            throw .tooLarge
        }
        let entry = Entry(
            name: encoded, crc: CRC32.of(bytes), size: UInt32(bytes.count), offset: UInt32(drained + file.count))
        entries.append(entry)
        put32(0x0403_4b50)
        put16(Self.versionNeeded)
        putCommon(entry)
        put16(0)
        file.append(contentsOf: encoded)
        file.append(contentsOf: bytes)
    }

    /// Hands out what was written since the last time, which is then kept no longer: an archive need not be in memory.
    public mutating func drain() -> Data {
        defer {
            drained += file.count
            file = Data()
        }
        return file
    }

    /// The archive's last bytes; all of it, if nothing was drained.
    public mutating func finish() -> Data {
        let start = UInt32(drained + file.count)
        for entry in entries {
            put32(0x0201_4b50)
            put16(Self.madeByUnix)
            put16(Self.versionNeeded)
            putCommon(entry)
            for _ in 0..<4 { put16(0) }
            put32(Self.regularFile)
            put32(entry.offset)
            file.append(contentsOf: entry.name)
        }
        let size = UInt32(drained + file.count) - start
        put32(0x0605_4b50)
        put16(0)
        put16(0)
        put16(UInt16(entries.count))
        put16(UInt16(entries.count))
        put32(size)
        put32(start)
        put16(0)
        return file
    }

    /// What local and central headers have in common, up to the length of the name.
    private mutating func putCommon(_ entry: Entry) {
        put16(Self.flags)
        put16(0)
        put16(0)
        put16(Self.date)
        put32(entry.crc)
        put32(entry.size)
        put32(entry.size)
        put16(UInt16(entry.name.count))
    }

    private mutating func put16(_ value: UInt16) {
        withUnsafeBytes(of: value.littleEndian) { file.append(contentsOf: $0) }
    }

    private mutating func put32(_ value: UInt32) {
        withUnsafeBytes(of: value.littleEndian) { file.append(contentsOf: $0) }
    }
}

/// The checksum that ZIP uses (ISO 3309).
package enum CRC32 {
    private static let table: [UInt32] = (0..<256).map { index in
        var value = UInt32(index)
        for _ in 0..<8 { value = value & 1 == 1 ? 0xEDB8_8320 ^ value >> 1 : value >> 1 }
        return value
    }

    package static func of(_ bytes: some DataProtocol) -> UInt32 {
        var crc = UInt32.max
        for region in bytes.regions {
            region.withUnsafeBytes { buffer in
                table.withUnsafeBufferPointer { table in
                    for byte in buffer { crc = table[Int(UInt8(truncatingIfNeeded: crc) ^ byte)] ^ crc >> 8 }
                }
            }
        }
        return ~crc
    }
}
