// SPDX-License-Identifier: Apache-2.0
import SheetCore

extension InkSummary {
    /// What is drawn and written on a page, or on a part of it: strokes, shapes, texts, pictures and foreign ink of layers
    /// that are shown, each a mark. `nil` when nothing is there.
    public init?(_ drawing: PageDrawing, in rect: NormalizedRect = .wholePage) {
        let marks = drawing.visible.flatMap(\.elements).map { element in
            Self.places(of: element).map { place in
                NormalizedPoint(x: place.x / drawing.size.width, y: place.y / drawing.size.height)
            }
        }
        self.init(marks, in: rect)
    }

    /// Lines as they run; what has an area as points all over it.
    private static func places(of element: PageElement) -> [PagePoint] {
        switch element.content {
        case .stroke(let stroke): stroke.points.map(\.place)
        case .shape(let shape) where shape.kind != .rectangle && shape.kind != .ellipse:
            along(shape.start, shape.end)
        case .shape(let shape) where shape.fill == nil:
            shape.bounds.map { bounds in
                zip(bounds.corners, bounds.corners.dropFirst() + bounds.corners.prefix(1)).flatMap(along)
            } ?? []
        case .shape, .text, .image, .foreign: element.bounds.map(within) ?? []
        case .unknown: []
        }
    }

    private static func along(_ start: PagePoint, _ end: PagePoint) -> [PagePoint] {
        (0...32).map { start.toward(end, Double($0) / 32) }
    }

    private static func within(_ rect: PageRect) -> [PagePoint] {
        (0...12).flatMap { row in
            (0...12).map {
                PagePoint(rect.x + rect.width * Double($0) / 12, rect.y + rect.height * Double(row) / 12)
            }
        }
    }
}

extension NormalizedRect {
    public static let wholePage = NormalizedRect(x: 0, y: 0, width: 1, height: 1)
}

extension PageDrawing {
    /// For people who do not see the page: what of each kind is on it, how dense, where, and what is written there.
    public var sentence: String {
        guard let summary = InkSummary(self) else { return "Nothing is drawn on it." }
        var (strokes, shapes, texts, pictures) = (0, 0, [String](), 0)
        for element in visible.flatMap(\.elements) {
            switch element.content {
            case .stroke, .foreign: strokes += 1
            case .shape: shapes += 1
            case .text(let box): texts.append(box.text)
            case .image: pictures += 1
            case .unknown: break
            }
        }
        let counts = [(strokes, "stroke"), (shapes, "shape"), (texts.count, "text"), (pictures, "picture")]
            .filter { $0.0 > 0 }.map { "\($0.0) \($0.1)\($0.0 == 1 ? "" : "s")" }
        let list =
            counts.count > 1
            ? counts.dropLast().joined(separator: ", ") + " and " + (counts.last ?? "") : counts.joined()
        let written = texts.isEmpty ? "" : " Written: \(texts.joined(separator: "; "))."
        // After the number of marks: how dense, and where.
        let rest = summary.sentence.split(separator: ",", maxSplits: 1).last.map(String.init) ?? ""
        return "\(list),\(rest)\(written)"
    }
}
