// SPDX-License-Identifier: Apache-2.0
import Foundation
import NIOCore
import SheetCore
import Synchronization

/// Two stores as one, while objects move from one to the other: what is new goes into the first, what the first has not
/// is read from the second.
package struct FallbackStorage: Storage {
    private let first: any Storage
    private let second: any Storage

    package init(_ first: any Storage, _ second: any Storage) {
        self.first = first
        self.second = second
    }

    package func makeWriter() async throws -> any StorageWriter { try await first.makeWriter() }

    package func size(of hash: ContentHash) async throws -> Int? {
        if let size = try await first.size(of: hash) { return size }
        if let size = try await second.size(of: hash) { return size }
        // It may have moved between the two looks.
        return try await first.size(of: hash)
    }

    package func read(_ hash: ContentHash, range: Range<Int>?) async throws -> StorageBytes {
        try await either { try await $0.read(hash, range: range) }
    }

    package func withLocalFile<T: Sendable>(
        _ hash: ContentHash, _ body: @Sendable (URL) async throws -> T
    ) async throws -> T {
        try await either { try await $0.withLocalFile(hash, body) }
    }

    /// Asks the first store, and the second when it is missing there.
    private func either<T>(_ ask: (any Storage) async throws -> T) async throws -> T {
        do {
            return try await ask(first)
        } catch StorageError.missing {
            do {
                return try await ask(second)
            } catch StorageError.missing {
                return try await ask(first)
            }
        }
    }

    package func remove(_ hash: ContentHash) async throws {
        try await second.remove(hash)
        try await first.remove(hash)
    }

    /// An object in both counts as stored when the first got it.
    package func forEach(_ body: @Sendable (ContentHash, Date) async throws -> Void) async throws {
        let seen = Mutex<Set<ContentHash>>([])
        try await first.forEach { hash, date in
            seen.withLock { _ = $0.insert(hash) }
            try await body(hash, date)
        }
        try await second.forEach { hash, date in
            if !seen.withLock({ $0.contains(hash) }) { try await body(hash, date) }
        }
    }

    package func check() async throws { try await first.check() }

    package func delivery(of hash: ContentHash, as file: ServedAs) async throws -> DirectDelivery? {
        if try await first.size(of: hash) != nil { return try await first.delivery(of: hash, as: file) }
        return try await second.delivery(of: hash, as: file)
    }
}
