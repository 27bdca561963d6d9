// SPDX-License-Identifier: Apache-2.0
import SheetCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension SheetContent {
    /// All of it, key by key.
    var values: [SheetKey: SheetValue] {
        var made: [SheetKey: SheetValue] = [:]
        for (name, value) in character.fields { made[.field(name)] = .field(value) }
        for (page, drawing) in drawings {
            made[.page(page)] = .page(
                PageFrame(
                    size: drawing.size, unknownBlocks: drawing.unknownBlocks, unknown: drawing.unknown))
            for layer in drawing.layers where !DrawingLayer.standard.contains(layer) {
                made[.layer(page: page, id: layer.id)] = .layer(layer)
            }
            for element in drawing.elements { made[.element(page: page, id: element.id)] = .element(element) }
        }
        return made
    }
}

extension FieldConflict {
    /// `nil` of what stands on pages twice instead, and of what JSON cannot say.
    init?(_ value: SheetValue, lostAt key: SheetKey) {
        func json(_ value: some Encodable) -> JSONValue? {
            (try? SheetJSON.encoder().encode(value)).flatMap {
                try? SheetJSON.decoder().decode(JSONValue.self, from: $0)
            }
        }
        switch (key, value) {
        case (.field(let name), .field(let value)): self.init(field: name, value: value)
        case (.layer, .layer(let layer)):
            guard let value = json(layer) else { return nil }
            self.init(field: key.description, value: value)
        case (.page, .page(let frame)):
            guard let value = json(frame) else { return nil }
            self.init(field: key.description, value: value)
        default: return nil
        }
    }

    /// What lost, and where. What names a layer or page and is none is a member of that name.
    var lost: (key: SheetKey, value: SheetValue) {
        func read<Value: Decodable>(_ type: Value.Type) -> Value? {
            (try? SheetJSON.encoder().encode(value)).flatMap { try? SheetJSON.decoder().decode(type, from: $0) }
        }
        let key = SheetKey(field)
        switch key {
        case .layer(_, let id)?:
            if let key, let layer = read(DrawingLayer.self), layer.id == id { return (key, .layer(layer)) }
        case .page?: if let key, let frame = read(PageFrame.self) { return (key, .page(frame)) }
        default: break
        }
        return (.field(field), .field(value))
    }
}
