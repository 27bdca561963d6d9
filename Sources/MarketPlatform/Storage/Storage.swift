// SPDX-License-Identifier: Apache-2.0
import Foundation
import NIOCore
import SheetCore

/// Bytes by their SHA-256: each stored once, never changed.
package protocol Storage: Sendable {
    /// Begins a new object; nothing is visible before `StorageWriter.finish()`.
    func makeWriter() async throws -> any StorageWriter

    /// Size in bytes, or `nil` when there is no such object.
    func size(of hash: ContentHash) async throws -> Int?

    /// Bytes of the object in pieces, all or those of `range`; throws `StorageError.missing`.
    func read(_ hash: ContentHash, range: Range<Int>?) async throws -> StorageBytes

    /// Lends a local file with the object's bytes, to be read only while `body` runs; throws `StorageError.missing`.
    func withLocalFile<T: Sendable>(
        _ hash: ContentHash, _ body: @Sendable (URL) async throws -> T
    ) async throws -> T

    /// Removes the object; does nothing when there is none.
    func remove(_ hash: ContentHash) async throws

    /// Calls `body` with each object and when it was stored; for the garbage collection.
    func forEach(_ body: @Sendable (ContentHash, Date) async throws -> Void) async throws

    /// Throws when bytes cannot be stored now; for `/readyz`.
    func check() async throws

    /// How a client gets the object without its bytes going through this process; `nil` where it cannot.
    func delivery(of hash: ContentHash, as file: ServedAs) async throws -> DirectDelivery?
}

extension Storage {
    package func delivery(of hash: ContentHash, as file: ServedAs) async throws -> DirectDelivery? { nil }
}

/// What an answer with an object says of it.
package struct ServedAs: Sendable {
    /// `Content-Type`.
    package let mediaType: String
    /// `Content-Disposition`.
    package let disposition: String

    package init(mediaType: String, disposition: String) {
        self.mediaType = mediaType
        self.disposition = disposition
    }
}

/// Where an object's bytes come from when they do not come from this process.
package enum DirectDelivery: Sendable, Equatable {
    /// The client is sent on to this address, which holds for minutes.
    case redirect(to: String)
    /// The proxy in front finds them under this path (nginx: `X-Accel-Redirect`).
    case proxy(path: String)
}

/// An object on its way into storage. Exactly one of `finish` and `abandon` ends it.
package protocol StorageWriter: Sendable {
    /// Adds bytes, hashing and counting.
    func write(_ bytes: ByteBuffer) async throws

    /// Makes the bytes durable and visible under their hash.
    func finish() async throws -> StoredObject

    func abandon() async
}

/// What is in storage under `hash`.
package struct StoredObject: Sendable, Equatable {
    /// SHA-256 of the bytes.
    package let hash: ContentHash
    package let sizeBytes: Int

    package init(hash: ContentHash, sizeBytes: Int) {
        self.hash = hash
        self.sizeBytes = sizeBytes
    }
}

/// Bytes on their way out, in pieces of bounded size.
package typealias StorageBytes = AsyncThrowingStream<ByteBuffer, any Error>

/// What storage cannot do.
package enum StorageError: Error, Sendable, Equatable {
    /// There is no such object.
    case missing(ContentHash)
    /// No room is left.
    case full
    /// The store cannot be used; the text is for the operator.
    case unavailable(String)
}
