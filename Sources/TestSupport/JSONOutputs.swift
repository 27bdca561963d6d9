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
}
