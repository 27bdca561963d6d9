// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketWire
import SheetCore

/// Decompresses Zstandard with a file as its dictionary, so that updates come as what differs from the version before. This
/// package has none of its own, which would be a library that not every platform has: without one files come whole.
public protocol DictionaryDecoder: Sendable {
    /// Begins a frame (RFC 8878) whose dictionary is the file at a path. Windows of 16 MB must do.
    func begin(dictionary path: String) throws -> any DictionaryDecoding
}

/// A frame on its way.
public protocol DictionaryDecoding: AnyObject {
    /// Whether the frame's end was reached.
    var isComplete: Bool { get }
    /// Takes the frame's next bytes and hands on what comes of them, in pieces of bounded size; throws where they are none of
    /// a frame, or something follows it.
    func decode(_ piece: Data, _ take: (Data) throws -> Void) throws
}

/// An older file that a newer one may be made of.
struct OlderFile: Sendable {
    let path: String
    let hash: ContentHash
    let bytes: Int
    let decoder: any DictionaryDecoder
    /// Megabytes of memory that may be in use for it, among all files under way.
    let room: TransferSlots

    /// What installations may use at one time for making files of others: one of the largest with its dictionary.
    static let roomMegabytes = 2 * (DictionaryCompression.maximumBytes >> 20)

    func room(for bytes: Int) -> Int { min(Self.roomMegabytes, (self.bytes + bytes) >> 20 + 1) }
}

/// What came is not what the older file and the signed size lead to. The file is fetched whole then.
struct UnusableDifference: Error {}

extension PartialFile {
    /// Takes an answer in the coding `dcz` and appends the file that it stands for, of at most `limit` bytes. Whether that is
    /// the right one its hash tells. Throws `UnusableDifference`, or what broke the connection or the disk.
    func append(
        _ body: ByteStream, of older: OlderFile, limit: Int, progress: (_ received: Int) -> Void
    ) async throws {
        let frame = try Self.usable { try older.decoder.begin(dictionary: older.path) }
        let header = DictionaryCompression.header(of: older.hash)
        var received = 0
        for try await piece in body {
            var rest = piece
            let missing = header.count - received
            if missing > 0 {
                let own = rest.prefix(missing)
                guard own.elementsEqual(header.dropFirst(received).prefix(own.count)) else {
                    throw UnusableDifference()
                }
                rest = rest.dropFirst(own.count)
            }
            received += piece.count
            // Longer than the file is no difference; and a few bytes may stand for more than memory and disk hold.
            guard received <= limit else { throw UnusableDifference() }
            if !rest.isEmpty {
                try Self.usable {
                    try frame.decode(rest) { made in
                        guard count + made.count <= limit else { throw UnusableDifference() }
                        try append(made)
                    }
                }
            }
            progress(received)
        }
        guard frame.isComplete, count == limit else { throw UnusableDifference() }
    }

    /// What the decoder says of its own is of no interest; a full disk is.
    private static func usable<R>(_ body: () throws -> R) throws -> R {
        do {
            return try body()
        } catch let error as LibraryError {
            throw error
        } catch {
            throw UnusableDifference()
        }
    }
}
