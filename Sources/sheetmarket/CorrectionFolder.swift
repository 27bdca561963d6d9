// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketIngest
import SheetCore

/// The folder of an export of corrected regions: `labels/`, `sheets/`, and a file by which the next export knows that both
/// are its own to change.
struct CorrectionFolder: Sendable {
    private let labels: URL
    private let sheets: URL

    /// Makes the folder, or takes up that of an earlier export; throws `CommandFailure` for one with other things in it.
    init(_ folder: URL) throws {
        labels = folder.appendingPathComponent("labels")
        sheets = folder.appendingPathComponent("sheets")
        let mark = folder.appendingPathComponent("export.json")
        do {
            let present = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
            guard present.isEmpty || present.contains(mark.lastPathComponent) else {
                throw CommandFailure(
                    "\(folder.path) has other things in it. Name an empty folder, or one that is not there.")
            }
            for part in [labels, sheets] {
                try FileManager.default.createDirectory(at: part, withIntermediateDirectories: true)
            }
            try Data("{\"format\": \"sheetmarket corrections 1\"}\n".utf8).write(to: mark, options: .atomic)
        } catch let error as CocoaError {
            throw CommandFailure("\(folder.path) cannot be written: \(error.localizedDescription)")
        }
    }

    /// Writes one file for each page, and removes those of pages that are no longer among them.
    func write(_ pages: [CorrectedPageLabel]) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        for page in pages {
            let file = labels.appendingPathComponent("\(page.name).json")
            try (encoder.encode(page) + Data("\n".utf8)).write(to: file, options: .atomic)
        }
        try remove(allBut: Set(pages.map { "\($0.name).json" }), in: labels)
    }

    /// Removes sheets of an earlier export that are not among these.
    func keepSheets(_ hashes: Set<ContentHash>) throws {
        try remove(allBut: Set(hashes.map { "\($0).pdf" }), in: sheets)
    }

    /// Copies a sheet, unless it is there.
    func copy(_ file: URL, as hash: ContentHash) throws {
        let copy = sheets.appendingPathComponent("\(hash).pdf")
        guard !FileManager.default.fileExists(atPath: copy.path) else { return }
        let part = sheets.appendingPathComponent("\(hash).part")
        // There is one where an earlier export was broken off.
        try? FileManager.default.removeItem(at: part)
        try FileManager.default.copyItem(at: file, to: part)
        try FileManager.default.moveItem(at: part, to: copy)
    }

    private func remove(allBut kept: Set<String>, in folder: URL) throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) where !kept.contains(name) {
            try FileManager.default.removeItem(at: folder.appendingPathComponent(name))
        }
    }
}
