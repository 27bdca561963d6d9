// SPDX-License-Identifier: Apache-2.0
import SheetCore

extension PlayerCharacter {
    /// The field that holds the character's own name.
    public static let nameField = "name"
    /// Most fields that a character keeps, the longest name of one in bytes, and what one may hold.
    public static let maximumValues = 5000
    public static let maximumValueNameLength = 500
    public static let maximumValueLength = 100_000
    public static let maximumRolls = 500

    /// What a field of the sheet holds.
    public func value(of field: String) -> String? {
        field == Self.nameField ? name : values[field]
    }

    /// Why a field cannot hold a value, part of a sentence; `count` fields are to be added besides. `nil` if it can.
    public func refusal(of value: String, in field: String, beside count: Int = 0) -> String? {
        if field == Self.nameField {
            let isName = (1...200).contains(value.count) && PlainText.isPlain(value)
            return isName ? nil : "a name is one line of at most 200 characters"
        }
        guard (1...Self.maximumValueNameLength).contains(field.utf8.count) else {
            return "its name has more than \(Self.maximumValueNameLength) bytes"
        }
        guard value.utf8.count <= Self.maximumValueLength else {
            return "it has more than \(Self.maximumValueLength) bytes"
        }
        let isFull = values[field] == nil && values.count + count >= Self.maximumValues
        return isFull ? "a character has at most \(Self.maximumValues) fields" : nil
    }

    /// What puts other values into fields; an empty one forgets the field.
    public func changes(to wanted: [String: String]) -> [SheetEdit.Change] {
        wanted.sorted { $0.key < $1.key }.map { field, value in
            if field == Self.nameField { return .init(.field("name"), .field(.string(value))) }
            return .init(.field("values/\(field)"), value.isEmpty ? nil : .field(.string(value)))
        }
    }

    /// What saves rolls by names; an empty one forgets the roll.
    public func changes(toRolls wanted: [String: String?]) -> [SheetEdit.Change] {
        wanted.sorted { $0.key < $1.key }.map { name, formula in
            .init(.field("rolls/\(name)"), formula.map { .field(.string($0)) })
        }
    }

    /// The number that a field holds, for dice: `16`, `+3`, `-1`.
    public func number(of field: String) -> Int? {
        guard let text = values[field] else { return nil }
        let plain = text.replacing("\u{2212}", with: "-").filter { !$0.isWhitespace }
        return Int(plain)
    }
}
