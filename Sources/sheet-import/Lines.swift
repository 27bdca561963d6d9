// SPDX-License-Identifier: Apache-2.0
import Foundation
import IngestWire

/// Writes an importer's lines.
enum Lines {
    static func send(_ line: ImportLine) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // What the importers made is plain text and finite numbers, which JSON can hold.
        guard let bytes = try? encoder.encode(line) else { return }
        Descriptor.write(Array(bytes) + [UInt8(ascii: "\n")], to: STDOUT_FILENO)
    }
}
