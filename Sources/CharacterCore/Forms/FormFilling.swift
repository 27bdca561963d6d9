// SPDX-License-Identifier: Apache-2.0
import SheetCore

/// What goes from a character into a form, or the other way, decided before anything is written.
public struct FormFilling: Sendable, Hashable {
    /// A field, and the name that characters have for what is in it.
    public struct Entry: Sendable, Hashable, Codable {
        public var field: String
        public var name: String
        public var value: String
    }

    /// A field that cannot hold what the character has.
    public struct Refusal: Sendable, Hashable, Codable {
        public var field: String
        public var name: String
        /// Part of a sentence.
        public var reason: String
    }

    /// In the order of the fields' names.
    public var entries: [Entry] = []
    public var refused: [Refusal] = []
    /// Fields that no name is known for, or that the character has nothing for.
    public var unmatchedFields: [String] = []
    /// What the character has and the form has no field for.
    public var unmatchedNames: [String] = []

    /// What the character has for each field of a form.
    public static func into(_ form: [FormField], from character: PlayerCharacter, _ names: FieldMatcher) -> FormFilling
    {
        var filling = FormFilling()
        let known = Dictionary(
            character.values.sorted { $0.key < $1.key }.map { (FieldMatcher.key($0.key), $0.key) }
        ) { first, _ in first }
        var used: Set<String> = []
        for field in form.sorted(by: { $0.name < $1.name }) where field.kind != .other {
            let meaning = names.meaning(of: field.name)
            let name = [field.name, meaning, known[FieldMatcher.key(field.name)]].compactMap { $0 }
                .first { character.value(of: $0) != nil }
            guard let name, let value = character.value(of: name) else {
                filling.unmatchedFields.append(field.name)
                continue
            }
            used.insert(name)
            let written = field.written(value)
            // What stands there for good is no complaint.
            if field.isReadOnly == true, field.value == written { continue }
            if let reason = field.refusal(of: field.kind == .checkBox ? value : written) {
                filling.refused.append(.init(field: field.name, name: name, reason: reason))
            } else {
                filling.entries.append(.init(field: field.name, name: name, value: written))
            }
        }
        filling.unmatchedNames = character.values.keys.filter { !used.contains($0) }.sorted()
        return filling
    }

    /// What a filled form says of the character, and the edit that takes it over. A field that says what the character
    /// has already changes nothing, and an empty one takes nothing away unless `clearing`.
    public static func out(
        of form: [FormField], into character: PlayerCharacter, _ names: FieldMatcher, clearing: Bool = false
    ) -> (filling: FormFilling, edit: SheetEdit) {
        var filling = FormFilling()
        var wanted: [String: String] = [:]
        for field in form.sorted(by: { $0.name < $1.name }) where field.kind != .other {
            let meaning = names.meaning(of: field.name)
            let known = [field.name, meaning].compactMap { $0 }.first { character.value(of: $0) != nil }
            let name = known ?? meaning ?? field.name
            if meaning == nil { filling.unmatchedFields.append(field.name) }
            let now = character.value(of: name)
            if let now, field.written(now) == field.value { continue }
            var value = field.value
            if value.isEmpty {
                guard let now, !now.isEmpty, name != PlayerCharacter.nameField else { continue }
                if field.kind == .checkBox {
                    value = "no"
                } else if !clearing {
                    continue
                }
            }
            // Of fields that mean the same the first counts.
            guard wanted[name] == nil, now != value else { continue }
            if let reason = character.refusal(of: value, in: name, beside: wanted.count) {
                filling.refused.append(.init(field: field.name, name: name, reason: reason))
                continue
            }
            wanted[name] = value
            filling.entries.append(.init(field: field.name, name: name, value: value))
        }
        return (filling, SheetEdit("Read form", character.changes(to: wanted)))
    }
}
