// SPDX-License-Identifier: Apache-2.0
import Foundation
import IngestWire
import SheetCore
import SystemPackage

/// Has pictures of differences drawn. The pages' pictures are read, compared and written in the sandbox; here they are
/// bytes.
package struct DifferenceRenderer: Sendable {
    private let reader: SheetReader
    private let limits: ReaderLimits

    package init(reader: SheetReader, limits: ReaderLimits = ReaderLimits()) {
        self.reader = reader
        self.limits = limits
    }

    /// How two pages are to be laid over each other, and what to mark.
    package struct Plan: Sendable {
        /// Where a place of the older page lies on the newer one.
        package var transform: PageTransform
        /// On the newer page.
        package var added: [NormalizedRect]
        /// On the older page.
        package var removed: [NormalizedRect]

        package init(
            transform: PageTransform = .identity, added: [NormalizedRect] = [], removed: [NormalizedRect] = []
        ) {
            self.transform = transform
            self.added = added
            self.removed = removed
        }
    }

    /// Largest picture that is looked at, in bytes.
    private static let maximumPictureBytes = 8 << 20

    /// Draws what differs between the pictures in two files, one of which may be missing; `nil` when a picture is too
    /// large or cannot be read.
    package func draw(from old: URL?, to new: URL?, _ plan: Plan) async throws -> DrawnDifference? {
        var pictures: [Data] = []
        for file in [old, new] {
            let bytes = try file.map { try Data(contentsOf: $0, options: .mappedIfSafe) } ?? Data()
            guard bytes.count <= Self.maximumPictureBytes else { return nil }
            pictures.append(bytes)
        }
        let both = FileManager.default.temporaryDirectory.appendingPathComponent("difference-\(UUID().uuidString)")
        // What a failure leaves lies where the system clears up.
        defer { try? FileManager.default.removeItem(at: both) }
        // What waits for review is nobody's business on this machine either.
        guard
            FileManager.default.createFile(
                atPath: both.path, contents: pictures[0] + pictures[1], attributes: [.posixPermissions: 0o600])
        else { throw SheetReaderError.cannotReadFile(reason: "no room for two pictures in \(both.path)") }
        let wish = PageDifference(
            oldBytes: pictures[0].count, newBytes: pictures[1].count, transform: plan.transform, added: plan.added,
            removed: plan.removed)
        return try await reader.draw(wish, of: FilePath(both.path), limits: limits)
    }
}
