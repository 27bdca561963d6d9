// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import MarketWire
import NIOCore
import SheetCore

/// An upload's file on its way into storage: counted, looked at, and passed on piece by piece, never held.
/// Whoever makes one ends it with `finish` or `abandon`.
actor FileIntake {
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
    private var isPDF = false

    /// Begins to take a file of at most `limit` bytes.
    static func begin(_ storage: any Storage, limit: Int) async throws -> FileIntake {
        FileIntake(writer: try await storage.makeWriter(), limit: limit)
    }

    private init(writer: any StorageWriter, limit: Int) {
        self.writer = writer
        self.limit = limit
    }

    /// Whether no byte has come yet.
    var isEmpty: Bool { sizeBytes == 0 }

    /// Takes the next bytes; throws `too_large` and, as soon as it is sure, `not_a_pdf`.
    func write(_ bytes: ByteBuffer) async throws {
        guard state == .open, bytes.readableBytes > 0 else { return }
        sizeBytes += bytes.readableBytes
        guard sizeBytes <= limit else { throw Self.tooLarge(limit: limit) }
        if !isPDF {
            opening.append(contentsOf: bytes.readableBytesView.prefix(Self.headerBytes - opening.count))
            isPDF = Self.hasHeader(opening)
            if !isPDF && opening.count == Self.headerBytes { throw Self.notAPDF }
        }
        try await writer.write(bytes)
    }

    /// Makes the bytes durable; throws `empty_file` and `not_a_pdf`.
    func finish() async throws -> StoredObject {
        guard sizeBytes > 0 else {
            throw APIError(
                .unprocessableContent, .emptyFile, "The file has no bytes. Choose another, or save it again.")
        }
        guard isPDF else { throw Self.notAPDF }
        guard state == .open else { throw APIError(.conflict, .conflict, "The upload has ended.") }
        state = .ended
        do {
            return try await writer.finish()
        } catch StorageError.full {
            throw APIError.unavailable("There is no room for more files at the moment.")
        }
    }

    /// Forgets the bytes, unless they have been made durable.
    func abandon() async {
        guard state == .open else { return }
        state = .ended
        await writer.abandon()
    }

    /// `413`, naming the limit.
    static func tooLarge(limit: Int) -> APIError {
        APIError(
            .contentTooLarge, .tooLarge, "The file is larger than \(limit) bytes, the most that is taken here.")
    }

    private static let notAPDF = APIError(
        .unprocessableContent, .notAPDF,
        "The file does not begin like a PDF: '%PDF-' is missing from its first \(headerBytes) bytes.")

    private static func hasHeader(_ bytes: [UInt8]) -> Bool {
        bytes.firstRange(of: Array("%PDF-".utf8)) != nil
    }
}
