// SPDX-License-Identifier: Apache-2.0
import CharacterCore
import SheetCore

/// A conflict as people see it: values by numbers, the first is the one that is shown.
struct ConflictView: Encodable {
    let field: String
    let values: [String]

    static func all(of sheet: CharacterSheet) -> [(key: SheetKey, values: [SheetValue])] {
        sheet.conflicts.sorted { $0.key.description < $1.key.description }.map { key, lost in
            (key, [sheet.value(at: key)].compactMap { $0 } + lost)
        }
    }

    init(_ key: SheetKey, _ values: [SheetValue]) {
        field = Self.name(key)
        self.values = values.map(Self.text)
    }

    /// What people type: the member's name, or else the key.
    static func name(_ key: SheetKey) -> String {
        if case .field(let name) = key { name } else { key.description }
    }

    static func text(_ value: SheetValue) -> String {
        switch value {
        case .field(.string(let text)): text
        case .field(let value): value.json
        case .page(let frame): "\(Int(frame.size.width))×\(Int(frame.size.height)) points"
        case .layer(let layer): layer.name + (layer.isVisible ? "" : ", hidden") + (layer.isLocked ? ", locked" : "")
        case .element: "something drawn"
        }
    }
}
