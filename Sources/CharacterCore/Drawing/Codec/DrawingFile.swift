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
        var budget = DrawingBudget.file
        return try read(data, within: &budget)
    }

    /// Reads one of several files that are in memory at once, and takes from the budget what it needs.
    public static func read(_ data: Data, within budget: inout DrawingBudget) throws(DrawingFailure) -> DrawingReading {
        guard data.count <= DrawingLimits.fileBytes else { throw .tooLarge }
        let file = DrawingBudget.file
        var reader = DrawingReader(
            DrawingBudget(
                points: min(file.points, budget.points), elements: min(file.elements, budget.elements),
                textBytes: min(file.textBytes, budget.textBytes)))
        let reading = try reader.read(Array(data))
        budget.points -= reader.points
        budget.elements -= reading.drawing.elements.count
        budget.textBytes -= reader.textBytes
        return reading
    }
}
