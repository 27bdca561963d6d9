// SPDX-License-Identifier: Apache-2.0

/// A page drawn in grey at a fixed size, to be compared pixel by pixel.
package struct PageLook: Sendable, Equatable {
    /// From 0.
    package var page: Int
    /// In pixels.
    package var width: Int
    /// In pixels.
    package var height: Int
    /// Rows from the top, one byte a pixel, 0 black.
    package var grey: [UInt8]

    /// `nil` when the number of bytes is not that of the pixels, or more than a look may have.
    package init?(page: Int, width: Int, height: Int, grey: [UInt8]) {
        guard (1...Self.maximumPixels).contains(width), (1...Self.maximumPixels).contains(height),
            width * height <= Self.maximumPixels, grey.count == width * height
        else { return nil }
        self.page = page
        self.width = width
        self.height = height
        self.grey = grey
    }

    /// The width that a page is drawn at; a tall page gets a narrower look.
    package static let width = 480
    /// Most pixels of a look.
    package static let maximumPixels = 360_000

    /// The size of the look of a page.
    package static func size(pageWidth: Double, pageHeight: Double) -> (width: Int, height: Int) {
        let ratio = pageHeight / pageWidth
        let wide = max(1, min(Double(width), (Double(maximumPixels - 1) / ratio).squareRoot()))
        let columns = Int(wide)
        let rows = max(1, min(Int((Double(columns) * ratio).rounded(.down)), maximumPixels / columns))
        return (columns, rows)
    }
}

/// The proof that a cleaned copy is the same sheet: as many pages, of the same sizes, that look the same, with the same
/// form fields. Takes the reports and looks of two readings that asked for proof (`ReaderRequest.wantsProof`).
package enum CopyProof {
    /// What one reading gives to compare.
    package struct Side: Sendable {
        /// The report, with fields.
        package var report: ReaderReport
        /// One for each page of the report, in order.
        package var looks: [PageLook]

        package init(report: ReaderReport, looks: [PageLook]) {
            self.report = report
            self.looks = looks
        }
    }

    /// Most pages that are compared; a longer file is no character sheet and is not cleaned.
    package static let maximumPages = 200
    /// Difference of a pixel that an eye may see, of 255 levels.
    package static let visibleDifference = 16
    /// Part of a page's pixels that may differ visibly.
    package static let toleratedShare = 0.0005
    /// Part of a page that the icon of an attachment may take up, and as many icons as are forgiven.
    package static let iconShare = 0.004
    package static let maximumIcons = 4

    /// In what the copy differs, in sentences; empty when it is the same sheet. `removedIcons` is the cleaning's own
    /// count (`CleaningReport`).
    package static func differences(_ original: Side, _ copy: Side, removedIcons: Int = 0) -> [String] {
        guard original.report.pageCount == copy.report.pageCount, original.report.pages.count == copy.report.pages.count
        else { return ["The copy has another number of pages."] }
        guard original.report.pages.count == original.report.pageCount,
            original.looks.map(\.page) == original.report.pages.map(\.index),
            copy.looks.map(\.page) == original.looks.map(\.page)
        else { return ["Not every page could be drawn to be compared."] }
        var differences: [String] = []
        for (before, after) in zip(original.report.pages, copy.report.pages) {
            if before.width != after.width || before.height != after.height || before.rotation != after.rotation {
                differences.append("Page \(before.index + 1) has another size.")
            }
            if before.textCharacters != after.textCharacters || before.textHash != after.textHash {
                differences.append("Page \(before.index + 1) has another text.")
            }
            if before.formFields != after.formFields || before.fields == nil || before.fields != after.fields {
                differences.append("Page \(before.index + 1) has other form fields.")
            }
        }
        let tolerated = toleratedShare + iconShare * Double(min(max(removedIcons, 0), maximumIcons))
        for (before, after) in zip(original.looks, copy.looks) where !isSame(before, after, tolerated: tolerated) {
            differences.append("Page \(before.page + 1) looks different.")
        }
        return differences
    }

    /// Whether an eye would take two pictures of a page for the same.
    package static func isSame(_ one: PageLook, _ other: PageLook, tolerated: Double = toleratedShare) -> Bool {
        guard one.width == other.width, one.height == other.height, one.grey.count == other.grey.count else {
            return false
        }
        var visible = 0
        for (left, right) in zip(one.grey, other.grey) where abs(Int(left) - Int(right)) > visibleDifference {
            visible += 1
        }
        return Double(visible) <= tolerated * Double(one.grey.count)
    }
}
