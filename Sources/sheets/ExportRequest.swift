// SPDX-License-Identifier: Apache-2.0
import CharacterCore
import Foundation
import SheetCore

/// Where ink goes in a PDF.
enum InkPlacement: String, CaseIterable {
    /// Part of the page, which every program shows and prints.
    case content
    /// On top of it, so that it can be hidden or taken away.
    case annotations
}

/// What goes into a form field, as `NAME=VALUE`.
struct FieldValue {
    let name: String
    let value: String

    init(name: String, value: String) {
        self.name = name
        self.value = value
    }

    init?(argument: String) {
        guard let equals = argument.firstIndex(of: "="), equals > argument.startIndex else { return nil }
        name = String(argument[..<equals])
        value = String(argument[argument.index(after: equals)...])
    }
}

/// What `sheet-export` is told: Sources/sheet-export/Request.h says how it reads.
struct ExportRequest {
    private(set) var data = Data()

    init(
        _ pages: [(index: Int, size: PageSize, layers: [VectorLayer])], keeping kept: [Int]?,
        as placement: InkPlacement,
        filling fields: [FieldValue] = [], onto pdf: Data
    ) {
        add("sheet-export 1\nas \(placement.rawValue)\n")
        for index in kept ?? [] { add("keep \(index)\n") }
        for field in fields {
            add("field \(field.name.utf8.count) \(field.value.utf8.count)\n\(field.name)\n\(field.value)\n")
        }
        for page in pages {
            add("page \(page.index) \(Self.number(page.size.width)) \(Self.number(page.size.height))\n")
            for layer in page.layers where !layer.marks.isEmpty {
                let mode = layer.layer.blendMode
                let known: [DrawingLayer.BlendMode] = [.multiply, .screen, .overlay]
                let name = known.contains(mode) ? mode.rawValue : DrawingLayer.BlendMode.normal.rawValue
                add("layer \(Self.number(min(1, max(0, layer.layer.opacity)))) \(name)\n")
                for mark in layer.marks { add(mark) }
            }
        }
        add("pdf \(pdf.count)\n")
        data.append(pdf)
    }

    private mutating func add(_ text: String) { data.append(contentsOf: text.utf8) }

    private mutating func add(_ mark: VectorMark) {
        switch mark {
        case .fill(let path, let color):
            add(path)
            add("fill \(Self.digits(color))\n")
        case .line(let path, let color, let width):
            add(path)
            add("line \(Self.digits(color)) \(Self.number(width))\n")
        case .text(let box):
            let (frame, text) = (box.frame, box.text.precomposedStringWithCanonicalMapping)
            let lengths = [frame.x, frame.y, max(0, frame.width), max(0, frame.height), box.rotation]
            let numbers = (lengths + [max(0.001, box.size)]).map(Self.number).joined(separator: " ")
            add("text \(numbers) \(box.alignment.rawValue) \(Self.digits(box.color)) ")
            add("\(box.font.utf8.count) \(text.utf8.count)\n\(box.font)\n\(text)\n")
        }
    }

    private mutating func add(_ path: VectorPath) {
        for step in path.steps {
            switch step {
            case .move(let point): add("m \(Self.place(point))\n")
            case .line(let point): add("l \(Self.place(point))\n")
            case .curve(let first, let second, let end):
                add("c \(Self.place(first)) \(Self.place(second)) \(Self.place(end))\n")
            case .close: add("h\n")
            }
        }
    }

    private static func place(_ point: PagePoint) -> String { "\(number(point.x)) \(number(point.y))" }
    private static func digits(_ color: InkColor) -> Substring { color.description.dropFirst() }

    /// In thousandths; no page is a thousand kilometres wide.
    private static func number(_ value: Double) -> String {
        value.isFinite ? "\(Int((min(1e8, max(-1e8, value)) * 1000).rounded()))" : "0"
    }
}
