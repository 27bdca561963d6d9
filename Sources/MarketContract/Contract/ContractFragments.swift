// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketPlatform
import SheetCore

/// The contract as it is written: the pieces in `web/openapi/`, each call said once and in short. `APIContract` makes
/// the OpenAPI document of them.
package struct ContractFragments: Sendable {
    /// One method of one path, in short; see docs/api.md.
    package struct Operation: Sendable {
        package let path: String
        package let method: String
        package let tag: String
        package let piece: JSONValue

        package init(path: String, method: String, tag: String, piece: JSONValue) {
            self.path = path
            self.method = method
            self.tag = tag
            self.piece = piece
        }
    }

    /// `openapi`, `info`, `tags` and the components that are no schemas.
    package let base: JSONValue
    /// For every error code: its statuses, its meaning, and an example of the detail.
    package let problems: JSONValue
    /// Every schema by its name.
    package let schemas: [String: JSONValue]
    package let operations: [Operation]

    /// Reads the pieces in `folder`; throws `AssetError`.
    package init(folder: URL) throws {
        base = try Self.read(folder.appendingPathComponent("base.json"))
        problems = try Self.read(folder.appendingPathComponent("problems.json"))
        var schemas: [String: JSONValue] = [:]
        for file in try Self.files(folder.appendingPathComponent("schemas")) {
            for (name, schema) in try Self.read(file).members {
                guard schemas.updateValue(schema, forKey: name) == nil else {
                    throw AssetError(description: "web/openapi has two schemas '\(name)'")
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
            throw AssetError(description: "the folder \(folder.path) is missing")
        }
        return names.filter { $0.hasSuffix(".json") }.sorted().map { folder.appendingPathComponent($0) }
    }

    private static func read(_ file: URL) throws -> JSONValue {
        do {
            return try JSONValue(parsing: try Data(contentsOf: file))
        } catch {
            throw AssetError(description: "\(file.path) is not JSON: \(error)")
        }
    }
}
