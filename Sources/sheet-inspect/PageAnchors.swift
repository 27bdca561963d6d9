// SPDX-License-Identifier: Apache-2.0
import IngestWire
import SheetLayout

/// Words that stand on a page once: where they are in another version tells how the page has moved.
enum PageAnchors {
    /// The longest of them, in reading order; `unit` is the length of the content's units in points.
    static func of(_ words: [Word], unit: Double) -> [ReaderReport.Anchor] {
        var places: [String: Int?] = [:]
        for (place, word) in words.enumerated() {
            let text = PageText.clean(word.text)
            guard (2...ReaderReport.maximumAnchorBytes).contains(text.utf8.count) else { continue }
            places.updateValue(places[text] == nil ? place : nil, forKey: text)
        }
        var single = places.compactMap { text, place in place.map { (text: text, place: $0) } }
        if single.count > ReaderReport.maximumAnchors {
            single.sort { ($1.text.utf8.count, $0.place) < ($0.text.utf8.count, $1.place) }
            single.removeLast(single.count - ReaderReport.maximumAnchors)
        }
        single.sort { $0.place < $1.place }
        return single.map { text, place in
            let box = words[place].box
            func tenths(_ value: Double) -> Double { (value * unit * 10).rounded() / 10 }
            return ReaderReport.Anchor(
                word: text, x: tenths((box.left + box.right) / 2), y: tenths((box.top + box.bottom) / 2))
        }
    }
}
