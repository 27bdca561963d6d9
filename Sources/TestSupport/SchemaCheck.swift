// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketAPI
import MarketContract
import MarketWire
import SheetCore

/// Checks values against JSON Schemas (2020-12), as far as the contract uses it. Objects are closed: a member that no
/// schema names is a fault, so that nothing is answered which the contract does not tell.
package struct SchemaCheck: Sendable {
    /// The keywords that are understood; whoever uses others must teach them to this.
    package static let keywords: Set<String> = [
        "$ref", "type", "enum", "const", "required", "properties", "additionalProperties", "items", "minItems",
        "maxItems", "minimum", "maximum", "exclusiveMinimum", "minLength", "maxLength", "pattern", "format", "allOf",
        "anyOf",
    ]
    /// Keywords that say nothing about values.
    package static let annotations: Set<String> = [
        "description", "examples", "title", "contentMediaType", "contentSchema", "x-open",
    ]

    /// The document that references lead into.
    let document: JSONValue

    /// Checks by the schemas of `document`.
    package init(document: JSONValue) {
        self.document = document
    }

    /// Everything that is wrong with `value`, each with where it is.
    package func faults(of value: JSONValue, by schema: JSONValue) -> [String] {
        var walk = Walk(document: document)
        walk.closed(value, schema, "")
        return walk.faults
    }
}

extension SchemaCheck {
    private struct Walk {
        let document: JSONValue
        var faults: [String] = []

        /// One value, whose members must all be known to its schema.
        mutating func closed(_ value: JSONValue, _ schema: JSONValue, _ place: String) {
            let known = check(value, schema, place)
            guard case .object(let members) = value, let known else { return }
            for name in members.keys.sorted() where !known.contains(name) {
                faults.append("\(place)/\(name): the contract does not know this member")
            }
        }

        /// The members that are known, `nil` for all.
        private mutating func check(_ value: JSONValue, _ schema: JSONValue, _ place: String) -> Set<String>? {
            var known: Set<String>? = []
            func add(_ more: Set<String>?) {
                if let more { known?.formUnion(more) } else { known = nil }
            }
            if let reference = schema["$ref"]?.text {
                guard let target = target(reference) else {
                    faults.append("\(place): \(reference) leads nowhere")
                    return nil
                }
                add(check(value, target, place))
            }
            checkKind(value, schema, place)
            checkText(value, schema, place)
            checkNumber(value, schema, place)
            checkItems(value, schema, place)
            add(checkMembers(value, schema, place))
            for part in schema["allOf"]?.items ?? [] { add(check(value, part, place)) }
            if let choices = schema["anyOf"]?.items { add(checkAny(value, choices, place)) }
            return known
        }

        private func target(_ reference: String) -> JSONValue? {
            reference.split(separator: "/").dropFirst().reduce(document as JSONValue?) { $0?[String($1)] }
        }

        private mutating func checkAny(_ value: JSONValue, _ choices: [JSONValue], _ place: String) -> Set<String>? {
            for choice in choices {
                var trial = Walk(document: document)
                let known = trial.check(value, choice, place)
                if trial.faults.isEmpty { return known }
            }
            faults.append("\(place): fits none of the choices")
            return nil
        }

        private mutating func checkKind(_ value: JSONValue, _ schema: JSONValue, _ place: String) {
            let types = schema["type"]?.text.map { [$0] } ?? schema["type"]?.texts ?? []
            if !types.isEmpty, !types.contains(where: { Self.fits(value, $0) }) {
                faults.append("\(place): should be \(types.joined(separator: " or "))")
            }
            if case .array(let values)? = schema["enum"], !values.contains(value) {
                faults.append("\(place): not one of the values")
            }
            if let only = schema["const"], only != value { faults.append("\(place): not the value") }
        }

        private static func fits(_ value: JSONValue, _ type: String) -> Bool {
            switch (value, type) {
            case (.null, "null"), (.bool, "boolean"), (.integer, "integer"), (.integer, "number"), (.number, "number"),
                (.string, "string"), (.array, "array"), (.object, "object"):
                true
            case (.number(let value), "integer"): value == value.rounded()
            default: false
            }
        }

        private mutating func checkText(_ value: JSONValue, _ schema: JSONValue, _ place: String) {
            guard let text = value.text else { return }
            if let least = schema["minLength"]?.integer, text.unicodeScalars.count < least {
                faults.append("\(place): shorter than \(least)")
            }
            if let most = schema["maxLength"]?.integer, text.unicodeScalars.count > most {
                faults.append("\(place): longer than \(most)")
            }
            if let pattern = schema["pattern"]?.text, text.range(of: pattern, options: .regularExpression) == nil {
                faults.append("\(place): does not match \(pattern)")
            }
            let isGood =
                switch schema["format"]?.text {
                case "uuid": UUID(uuidString: text) != nil
                case "date-time": WireJSON.date(text) != nil
                case "date": WireJSON.date(text + "T00:00:00Z") != nil
                default: true
                }
            if !isGood { faults.append("\(place): no \(schema["format"]?.text ?? "")") }
        }

        private mutating func checkNumber(_ value: JSONValue, _ schema: JSONValue, _ place: String) {
            guard let number = value.number else { return }
            if let least = schema["minimum"]?.number, number < least { faults.append("\(place): below \(least)") }
            if let most = schema["maximum"]?.number, number > most { faults.append("\(place): above \(most)") }
            if let bound = schema["exclusiveMinimum"]?.number, number <= bound {
                faults.append("\(place): not above \(bound)")
            }
        }

        private mutating func checkItems(_ value: JSONValue, _ schema: JSONValue, _ place: String) {
            guard case .array(let items) = value else { return }
            if let least = schema["minItems"]?.integer, items.count < least { faults.append("\(place): too few") }
            if let most = schema["maxItems"]?.integer, items.count > most { faults.append("\(place): too many") }
            guard let each = schema["items"] else { return }
            for (index, item) in items.enumerated() { closed(item, each, "\(place)/\(index)") }
        }

        private mutating func checkMembers(_ value: JSONValue, _ schema: JSONValue, _ place: String) -> Set<String>? {
            guard case .object(let members) = value else { return [] }
            for name in schema["required"]?.texts ?? [] where members[name] == nil {
                faults.append("\(place)/\(name): missing")
            }
            let properties = schema["properties"]?.members ?? [:]
            for (name, member) in properties {
                if let value = members[name] { closed(value, member, "\(place)/\(name)") }
            }
            guard let others = schema["additionalProperties"] else { return Set(properties.keys) }
            if others == true { return nil }
            for (name, value) in members where properties[name] == nil { closed(value, others, "\(place)/\(name)") }
            return nil
        }
    }
}
