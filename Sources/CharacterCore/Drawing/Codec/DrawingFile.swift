// SPDX-License-Identifier: Apache-2.0
import SheetCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The file of one page's drawing, `.ink`: see docs/formats.md, "Drawing".
public enum DrawingFile {
    /// Equal drawings give equal bytes.
    public static func write(
        _ drawing: PageDrawing, _ precision: DrawingPrecision = .rounded
    ) throws(DrawingFailure) -> Data {
        var writer = DrawingWriter(isLossless: precision == .lossless)
        return try writer.write(drawing)
    }

    /// Reads a file; what is damaged is left out and named.
    public static func read(_ data: Data) throws(DrawingFailure) -> DrawingReading {
        guard data.count <= DrawingLimits.fileBytes else { throw .tooLarge }
        var reader = DrawingReader()
        return try reader.read(Array(data))
    }
}
