// SPDX-License-Identifier: Apache-2.0
import Foundation

/// The contract as it is written: the pieces in `web/openapi/`, each call said once and in short. `APIContract` makes
/// the OpenAPI document of them.
struct ContractPieces: Sendable {
    /// One method of one path, in short; see docs/api.md.
    struct Operation: Sendable {
        let path: String
        let method: String
        let tag: String
        let piece: JSONValue
    }

    /// `openapi`, `info`, `tags` and the components that are no schemas.
    let base: JSONValue
    /// Every code: its statuses, what it means, an example of its detail.
    let problems: JSONValue
    /// Every schema by its name.
    let schemas: [String: JSONValue]
    /// Every operation.
    let operations: [Operation]

    /// Reads the pieces in `folder`; throws `WebPages.Broken`.
    init(folder: URL) throws {
        base = try Self.read(folder.appendingPathComponent("base.json"))
        problems = try Self.read(folder.appendingPathComponent("problems.json"))
        var schemas: [String: JSONValue] = [:]
        for file in try Self.files(folder.appendingPathComponent("schemas")) {
            for (name, schema) in try Self.read(file).members {
                guard schemas.updateValue(schema, forKey: name) == nil else {
                    throw WebPages.Broken(description: "web/openapi has two schemas '\(name)'")
                }
            }
        }
        self.schemas = schemas
        var operations: [Operation] = []
        for file in try Self.files(folder.appendingPathComponent("paths")) {
            let piece = try Self.read(file)
            for (path, methods) in piece["paths"]?.members ?? [:] {
                for (method, operation) in methods.members {
                    operations.append(
                        Operation(path: path, method: method, tag: piece["tag"]?.text ?? "", piece: operation))
                }
            }
        }
        self.operations = operations
    }

    private static func files(_ folder: URL) throws -> [URL] {
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder.path) else {
            throw WebPages.Broken(description: "the folder \(folder.path) is missing")
        }
        return names.filter { $0.hasSuffix(".json") }.sorted().map { folder.appendingPathComponent($0) }
    }

    private static func read(_ file: URL) throws -> JSONValue {
        do {
            return try JSONDecoder().decode(JSONValue.self, from: try Data(contentsOf: file))
        } catch {
            throw WebPages.Broken(description: "\(file.path) is not JSON: \(error)")
        }
    }
}
