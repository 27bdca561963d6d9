// SPDX-License-Identifier: Apache-2.0
import IngestWire
import SheetCore
import TemplateIngest

/// Boxes around what came and what went between two versions of a page, seen from where the page as a whole has moved
/// to.
package struct LayoutDifference: Sendable {
    /// Most boxes of each.
    static let maximumBoxes = PageDifference.maximumBoxes
    /// What moved by less than this many points stayed.
    package static let tolerance = 4.0
    /// Half of the box around a word of which only the middle is known, in points.
    private static let wordReach = (x: 18.0, y: 7.0)

    package let added: [NormalizedRect]
    package let removed: [NormalizedRect]

    /// `transform` is where a place of the older page lies on the newer one.
    package init(from old: DifferencePage, to new: DifferencePage, by transform: PageTransform) {
        let (before, now) = (Self.marks(of: old, transform, on: new), Self.marks(of: new, .identity, on: new))
        added = Self.boxes(of: now, notIn: before, on: new)
        removed = Self.boxes(of: before, notIn: now, on: old)
    }

    /// A word or a field.
    private struct Mark {
        var name: String
        /// Where it is on its own page, in points: left, top, right, bottom.
        var box: [Double]
        /// The same on the newer page.
        var place: [Double]
    }

    private static func marks(of page: DifferencePage, _ transform: PageTransform, on new: DifferencePage) -> [Mark] {
        func place(_ box: [Double]) -> [Double] {
            let (corner, end) = (
                transform.point(x: box[0] / page.width, y: box[1] / page.height),
                transform.point(x: box[2] / page.width, y: box[3] / page.height)
            )
            return [corner.x * new.width, corner.y * new.height, end.x * new.width, end.y * new.height]
        }
        let words = page.layout.anchors.map { word in
            let box = [
                word.x - wordReach.x, word.y - wordReach.y, word.x + wordReach.x, word.y + wordReach.y,
            ]
            let middle = place([word.x, word.y, word.x, word.y])
            return Mark(name: "word " + word.word, box: box, place: middle)
        }
        let fields = page.layout.fields.filter { $0.box.count == 4 }.map {
            Mark(name: "field " + $0.name, box: $0.box, place: place($0.box))
        }
        return words + fields
    }

    private static func boxes(of one: [Mark], notIn other: [Mark], on page: DifferencePage) -> [NormalizedRect] {
        let twins = Dictionary(grouping: other, by: \.name)
        let lonely = one.filter { mark in
            !(twins[mark.name] ?? []).contains { twin in
                zip(twin.place, mark.place).allSatisfy { abs($0 - $1) <= tolerance }
            }
        }
        return lonely.prefix(maximumBoxes).compactMap { normalized($0.box, page) }
    }

    private static func normalized(_ box: [Double], _ page: DifferencePage) -> NormalizedRect? {
        let left = min(max(min(box[0], box[2]) / page.width, 0), 1)
        let right = min(max(max(box[0], box[2]) / page.width, 0), 1)
        let top = min(max(min(box[1], box[3]) / page.height, 0), 1)
        let bottom = min(max(max(box[1], box[3]) / page.height, 0), 1)
        guard right > left, bottom > top else { return nil }
        return NormalizedRect(x: left, y: top, width: right - left, height: bottom - top)
    }
}
