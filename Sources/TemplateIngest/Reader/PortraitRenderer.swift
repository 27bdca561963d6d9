// SPDX-License-Identifier: Apache-2.0
import Foundation
import IngestWire
import SystemPackage

/// Has people's pictures redrawn. They are read in the sandbox; here they are bytes.
package struct PortraitRenderer: Sendable {
    private let reader: SheetReader
    private let limits: ReaderLimits

    package init(reader: SheetReader, limits: ReaderLimits = ReaderLimits()) {
        self.reader = reader
        self.limits = limits
    }

    /// Squares of these sides, in pixels; throws `PortraitRefusal` for a picture that is not taken.
    package func redraw(_ picture: Data, sides: [Int]) async throws -> [DrawnPortrait] {
        guard !picture.isEmpty else { throw PortraitRefusal.notAPicture }
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("portrait-\(UUID().uuidString)")
        // What a failure leaves lies where the system clears up.
        defer { try? FileManager.default.removeItem(at: file) }
        guard
            FileManager.default.createFile(
                atPath: file.path, contents: picture, attributes: [.posixPermissions: 0o600])
        else { throw SheetReaderError.cannotReadFile(reason: "no room for a picture in \(file.path)") }
        return try await reader.redraw(PortraitWish(sides: sides), of: FilePath(file.path), limits: limits)
    }
}
