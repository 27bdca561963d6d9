// SPDX-License-Identifier: Apache-2.0
import Crypto
import SheetCore

/// Hashes bytes piece by piece.
struct ContentHasher {
    private var hasher = SHA256()

    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        hasher.update(bufferPointer: bytes)
    }

    func finalize() -> ContentHash {
        ContentHash(hasher.finalize())
    }
}
