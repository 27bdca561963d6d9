// SPDX-License-Identifier: Apache-2.0
import MarketPlatform
import NIOCore
import SheetCore

/// An upload's file on its way into storage: counted, looked at, and passed on piece by piece, never held.
/// Whoever makes one ends it with `finish` or `abandon`.
package actor UploadStream {
    private enum State {
        case open
        case ended
    }

    /// A PDF has its header within this many bytes (ISO 32000-1, annex H.3, implementation note 13).
    static let headerBytes = 1024

    private let writer: any StorageWriter
    private let limit: Int
    private var state = State.open
    private var sizeBytes = 0
    private var opening: [UInt8] = []
    private var isTaken = false
    /// Whether its name says that an outside importer may want it, whatever its bytes look like.
    private var isWantedByName = false
    /// What its first bytes look like.
    package private(set) var mediaType = "application/octet-stream"

    /// Begins to take a file of at most `limit` bytes.
    package static func begin(_ storage: any Storage, limit: Int) async throws -> UploadStream {
        UploadStream(writer: try await storage.makeWriter(), limit: limit)
    }

    private init(writer: any StorageWriter, limit: Int) {
        self.writer = writer
        self.limit = limit
    }

    /// Whether no byte has come yet.
    package var isEmpty: Bool { sizeBytes == 0 }

    /// Takes the next bytes; throws `UploadError`, as soon as it is sure that the file is too large or of no known format.
    package func write(_ bytes: ByteBuffer) async throws {
        guard state == .open, bytes.readableBytes > 0 else { return }
        sizeBytes += bytes.readableBytes
        guard sizeBytes <= limit else { throw UploadError.tooLarge(limit: limit) }
        if !isTaken {
            opening.append(contentsOf: bytes.readableBytesView.prefix(Self.headerBytes - opening.count))
            look()
            if !isTaken && opening.count == Self.headerBytes { throw UploadError.unknownFormat }
        }
        try await writer.write(bytes)
    }

    /// Makes the bytes durable; throws `UploadError` for a file that is empty or of no known format.
    package func finish() async throws -> StoredObject {
        guard sizeBytes > 0 else { throw UploadError.emptyFile }
        guard isTaken else { throw UploadError.unknownFormat }
        guard state == .open else { throw UploadError.hasEnded }
        state = .ended
        do {
            return try await writer.finish()
        } catch StorageError.full {
            throw UploadError.storageFull
        }
    }

    /// Forgets the bytes, unless they have been made durable.
    package func abandon() async {
        guard state == .open else { return }
        state = .ended
        await writer.abandon()
    }

    /// Tells what the file is called; `suffixes` are those that outside importers want to see.
    package func call(_ name: String, wanted suffixes: Set<String>) {
        guard let suffix = name.lowercased().split(separator: ".").last else { return }
        isWantedByName = suffixes.contains(String(suffix))
    }

    /// Whether somebody may know the file is told by its first bytes; what it is, importers say.
    private func look() {
        if opening.firstRange(of: Array("%PDF-".utf8)) != nil {
            mediaType = "application/pdf"
        } else if opening.starts(with: [0x50, 0x4B, 3, 4]) || opening.starts(with: [0x50, 0x4B, 5, 6]) {
            mediaType = "application/zip"
        } else if Self.begin(of: opening) == UInt8(ascii: "{") {
            mediaType = "application/json"
        } else {
            isTaken = isWantedByName
            return
        }
        isTaken = true
    }

    /// The first byte that is neither white space nor a byte order mark.
    private static func begin(of bytes: [UInt8]) -> UInt8? {
        let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
        return text.first { ![9, 10, 13, 32].contains($0) }
    }
}
