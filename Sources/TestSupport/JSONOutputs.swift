// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketContract
import SheetCore

/// What `sheets … --json` prints, compared with `docs/schemas/sheets.schema.json`, whose definitions have the names of the
/// commands.
package enum JSONOutputs {
    /// The schemas; everything that a program may read is in them.
    package static func document() throws -> JSONValue {
        let file = BuildProducts.root.appendingPathComponent("docs/schemas/sheets.schema.json")
        return try JSONDecoder().decode(JSONValue.self, from: Data(contentsOf: file))
    }

    /// Whatever the schema of the command does not allow, each with where it is.
    package static func faults(of output: String, of arguments: [String]) throws -> [String] {
        guard arguments.contains("--json"), !output.isEmpty else { return [] }
        if let folder = ProcessInfo.processInfo.environment["SHEETMARKET_JSON_SAMPLES"] {
            let sample = try JSONEncoder().encode(["\(arguments.joined(separator: " "))", output])
            try sample.write(to: URL(fileURLWithPath: "\(folder)/\(UUID().uuidString).json"))
        }
        let document = try document()
        let words = arguments.prefix { !$0.hasPrefix("-") }
        let schema = (1...max(1, words.count)).reversed().lazy
            .compactMap { document["$defs"]?[words.prefix($0).joined(separator: "-")] }.first
        guard let schema else { return ["\(arguments) has no schema in docs/schemas/sheets.schema.json"] }
        let value = try JSONDecoder().decode(JSONValue.self, from: Data(output.utf8))
        return SchemaCheck(document: document).faults(of: value, by: schema).map { "\(arguments): \($0)" }
    }

    /// Where a schema does not say what something is: the whole, a definition, or a property however deep in one.
    package static func undescribed(in document: JSONValue) -> [String] {
        var places: [String] = isDescribed(document) ? [] : ["the schema"]
        for (name, definition) in document["$defs"]?.members ?? [:] {
            places += undescribed(definition, name, isNamed: true)
        }
        return places.sorted()
    }

    private static func undescribed(_ schema: JSONValue, _ place: String, isNamed: Bool) -> [String] {
        var places: [String] = isDescribed(schema) || !isNamed ? [] : [place]
        for (name, property) in schema["properties"]?.members ?? [:] {
            places += undescribed(property, "\(place)/\(name)", isNamed: true)
        }
        var parts: [JSONValue] = schema["anyOf"]?.items ?? []
        if let items = schema["items"] { parts.append(items) }
        if let others = schema["additionalProperties"] { parts.append(others) }
        for part in parts { places += undescribed(part, place, isNamed: false) }
        return places
    }

    private static func isDescribed(_ schema: JSONValue) -> Bool {
        let text = schema["description"]?.text ?? ""
        return text.contains { !$0.isWhitespace }
    }
}
