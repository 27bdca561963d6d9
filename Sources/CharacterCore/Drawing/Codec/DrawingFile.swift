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
        try reader(data, within: &budget).reading
    }

    /// Reads several files at once, each as if it were read after the one before it. Together they hold no more in memory
    /// than the budget has: one that needs more than its share of what is left is read on its own.
    static func read(
        _ files: [Data], within budget: inout DrawingBudget
    ) -> [Result<DrawingReading, DrawingFailure>] {
        var readings: [Result<DrawingReading, DrawingFailure>] = []
        for start in stride(from: 0, to: files.count, by: BlockWork.most) {
            let some = Array(files[start..<min(files.count, start + BlockWork.most)])
            let share = budget.share(of: some.count)
            let read = BlockWork.map(some) { file -> (reading: DrawingReading?, left: DrawingBudget) in
                var left = share
                return (try? self.read(file, within: &left), left)
            }
            for (file, result) in zip(some, read) {
                guard let reading = result.reading, budget.take(share, left: result.left) else {
                    readings.append(Result { () throws(DrawingFailure) in try self.read(file, within: &budget) })
                    continue
                }
                readings.append(.success(reading))
            }
        }
        return readings
    }

    private static func reader(
        _ data: Data, within budget: inout DrawingBudget
    ) throws(DrawingFailure) -> DrawingReader {
        guard data.count <= DrawingLimits.fileBytes else { throw .tooLarge }
        let file = DrawingBudget.file
        var reader = DrawingReader(
            DrawingBudget(
                points: min(file.points, budget.points), elements: min(file.elements, budget.elements),
                textBytes: min(file.textBytes, budget.textBytes)))
        try reader.readBlocks(Array(data))
        budget.points -= reader.points
        budget.elements -= reader.elements.count
        budget.textBytes -= reader.textBytes
        return reader
    }

    /// Strokes of any pages in a file of their own, exactly as they are. They are read in the same order, in which an id may
    /// stand twice.
    static func write(elements: ArraySlice<PageElement>) throws(DrawingFailure) -> Data {
        var writer = DrawingWriter(isLossless: true)
        return try writer.write(PageBlock(PageDrawing(size: DrawingFormat.letter)), elements)
    }

    /// Reads such a file, whole or not at all.
    static func elements(_ data: Data, within budget: inout DrawingBudget) throws(DrawingFailure) -> [PageElement] {
        let reader = try reader(data, within: &budget)
        guard reader.damage.isEmpty else { throw .notADrawing }
        return reader.elements
    }
}
