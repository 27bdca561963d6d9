// SPDX-License-Identifier: Apache-2.0
import Crypto
import SheetCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The bytes of an archive, in memory or in a file of which only what is asked for is read.
public struct ArchiveSource: Sendable {
    /// How many there are.
    public let count: Int
    private let bytes: @Sendable (Range<Int>) -> Data?

    /// An archive in memory.
    public init(_ data: Data) {
        count = data.count
        bytes = { range in data.subdata(in: data.startIndex + range.lowerBound..<data.startIndex + range.upperBound) }
    }

    /// One that lies elsewhere: `bytes` gives those of a range, `nil` if they are not to be had any more.
    public init(count: Int, bytes: @escaping @Sendable (Range<Int>) -> Data?) {
        self.count = count
        self.bytes = bytes
    }

    /// The hash of all of them, which are read piece by piece.
    public func contentHash() throws(ArchiveFailure) -> ContentHash {
        var hash = SHA256()
        var place = 0
        while place < count {
            let end = min(count, place + (1 << 20))
            hash.update(data: try read(place..<end))
            place = end
        }
        return ContentHash(hash.finalize())
    }

    func read(_ range: Range<Int>) throws(ArchiveFailure) -> Data {
        guard 0 <= range.lowerBound, range.upperBound <= count, let data = bytes(range), data.count == range.count
        else {
            throw ArchiveFailure(.malformed, "The archive cannot be read to its end; it is damaged or was changed.")
        }
        return data
    }

    func record(_ place: Int, _ count: Int) throws(ArchiveFailure) -> ArchiveRecord {
        ArchiveRecord(bytes: Array(try read(place..<place + count)))
    }
}

/// A few bytes of an archive in which numbers stand, little-endian.
struct ArchiveRecord {
    let bytes: [UInt8]

    func number(_ place: Int, _ count: Int) -> Int {
        (0..<count).reduce(0) { $0 | Int(bytes[place + $1]) << (8 * $1) }
    }
}

/// Bytes of an archive one after the other: a piece of them is in memory.
struct ArchiveFeed {
    private let source: ArchiveSource
    private var rest: Range<Int>
    private var piece: [UInt8] = []
    private var place = 0
    private static let pieceBytes = 1 << 16

    init(_ source: ArchiveSource, _ range: Range<Int>) {
        self.source = source
        rest = range
    }

    var isAtEnd: Bool { place == piece.count && rest.isEmpty }

    /// `nil` behind the last, or where the source fails.
    @inline(__always)
    mutating func next() -> UInt8? {
        if place == piece.count, !refill() { return nil }
        defer { place += 1 }
        return piece[place]
    }

    private mutating func refill() -> Bool {
        let end = min(rest.upperBound, rest.lowerBound + Self.pieceBytes)
        guard !rest.isEmpty, let read = try? source.read(rest.lowerBound..<end) else { return false }
        (piece, place, rest) = (Array(read), 0, end..<rest.upperBound)
        return true
    }
}
