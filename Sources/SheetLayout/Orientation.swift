// SPDX-License-Identifier: Apache-2.0
import SheetCore

/// Which way up a page is read. A sheet laid sideways is turned upright before regions are looked for.
enum Orientation {
    /// Quarter turns clockwise that most letters have.
    static func turns(of page: PageContent) -> Int {
        var letters = [0, 0, 0, 0]
        for word in page.words where (0..<4).contains(word.turns) { letters[word.turns] += word.text.characterCount }
        return letters.indices.max { letters[$0] < letters[$1] || letters[$0] == letters[$1] && $0 > $1 } ?? 0
    }

    /// The page turned back by `turns`.
    static func upright(_ page: PageContent, turns: Int) -> PageContent {
        guard turns != 0 else { return page }
        var turned = page
        if turns % 2 == 1 { (turned.width, turned.height) = (page.height, page.width) }
        func back(_ box: Box) -> Box {
            switch turns {
            case 1:
                Box(left: box.top, top: page.width - box.right, right: box.bottom, bottom: page.width - box.left)
            case 2:
                Box(
                    left: page.width - box.right,
                    top: page.height - box.bottom,
                    right: page.width - box.left,
                    bottom: page.height - box.top
                )
            default:
                Box(left: page.height - box.bottom, top: box.left, right: page.height - box.top, bottom: box.right)
            }
        }
        for index in turned.words.indices {
            turned.words[index].box = back(page.words[index].box)
            turned.words[index].turns = (page.words[index].turns - turns + 4) % 4
        }
        for index in turned.shapes.indices { turned.shapes[index].box = back(page.shapes[index].box) }
        turned.images = page.images.map(back)
        turned.fields = page.fields.map(back)
        turned.ink = page.ink.map { upright($0, turns: turns) }
        return turned
    }

    private static func upright(_ ink: InkMap, turns: Int) -> InkMap {
        let width = turns % 2 == 1 ? ink.height : ink.width
        let height = turns % 2 == 1 ? ink.width : ink.height
        var cells = [UInt8](repeating: 0, count: width * height)
        for y in 0..<height {
            for x in 0..<width {
                let source =
                    switch turns {
                    case 1: x * ink.width + (ink.width - 1 - y)
                    case 2: (ink.height - 1 - y) * ink.width + (ink.width - 1 - x)
                    default: (ink.height - 1 - x) * ink.width + y
                    }
                cells[y * width + x] = ink.cells[source]
            }
        }
        return InkMap(width: width, height: height, cells: cells, tolerance: ink.tolerance)
    }

    /// A rectangle of the upright page on the page as it is displayed.
    static func displayed(_ rect: NormalizedRect, turns: Int) -> NormalizedRect {
        switch turns {
        case 1: NormalizedRect(x: 1 - rect.y - rect.height, y: rect.x, width: rect.height, height: rect.width)
        case 2:
            NormalizedRect(
                x: 1 - rect.x - rect.width,
                y: 1 - rect.y - rect.height,
                width: rect.width,
                height: rect.height
            )
        case 3: NormalizedRect(x: rect.y, y: 1 - rect.x - rect.width, width: rect.height, height: rect.width)
        default: rect
        }
    }
}
