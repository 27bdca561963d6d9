// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketAPI
import MarketContract
import SheetCore

/// Holds answers against the contract (`/openapi.json`): status, header fields, media type, and the body's schema.
package struct ContractCheck: Sendable {
    /// An answer that the contract does not tell of.
    package struct Violation: Error, CustomStringConvertible {
        /// The call, and what is wrong with the answer.
        package let description: String
    }

    package let document: JSONValue
    private let schemas: SchemaCheck
    private let paths: [(segments: [String], methods: JSONValue)]

    package init(document: JSONValue) {
        self.document = document
        schemas = SchemaCheck(document: document)
        // A path that is written out goes before one with variable parts.
        paths = (document["paths"]?.members ?? [:]).sorted { $0.key > $1.key }.sorted {
            $0.key.count(where: { $0 == "{" }) < $1.key.count(where: { $0 == "{" })
        }.map { ($0.key.split(separator: "/").map(String.init), $0.value) }
    }

    /// Throws a `Violation` unless the contract tells of such an answer. Addresses that it does not know are not its
    /// business, but for those of the API, where nothing else may be.
    package func check(
        _ method: String, _ address: String, status: Int, header: (String) -> String?, body: Data
    ) throws {
        let path = address.prefix { $0 != "?" }
        let segments = path.split(separator: "/").map(String.init)
        func fail(_ why: String) -> Violation {
            let text = String(decoding: body.prefix(2000), as: UTF8.self)
            return Violation(description: "the contract: \(method) \(address) → \(status): \(why)\n\(text)")
        }
        guard method != "HEAD" else { return }
        guard let methods = paths.first(where: { Self.fits(segments, $0.segments) })?.methods else {
            if segments.starts(with: ["api", "v1"]), status != 404 { throw fail("no such path") }
            return
        }
        guard let operation = methods[method.lowercased()] else {
            if status != 405, !(method == "OPTIONS" && status == 204) { throw fail("no such method") }
            return
        }
        guard var response = operation["responses"]?[String(status)] else { throw fail("no such status") }
        if let name = response["$ref"]?.text?.split(separator: "/").last {
            response = document["components"]?["responses"]?[String(name)] ?? response
        }
        for (name, field) in response["headers"]?.members ?? [:] where isRequired(field) && header(name) == nil {
            throw fail("the field \(name) is missing")
        }
        guard let content = response["content"]?.members, !content.isEmpty else {
            if !body.isEmpty { throw fail("there should be no body") }
            return
        }
        let type = (header("content-type") ?? "").split(separator: ";").first.map(String.init) ?? ""
        guard let media = content[type] else { throw fail("no such media type: \(type)") }
        // Files may be JSON, too, and what is compressed was looked at as it was before.
        guard type.hasSuffix("json"), media["schema"]?["format"] == nil, header("content-encoding") == nil else {
            return
        }
        guard let value = try? JSONDecoder().decode(JSONValue.self, from: body) else { throw fail("no JSON") }
        let faults = schemas.faults(of: value, by: media["schema"] ?? [:])
        if !faults.isEmpty { throw fail(faults.joined(separator: "\n")) }
    }

    private func isRequired(_ field: JSONValue) -> Bool {
        var field = field
        if let name = field["$ref"]?.text?.split(separator: "/").last {
            field = document["components"]?["headers"]?[String(name)] ?? field
        }
        return field["required"] == true
    }

    private static func fits(_ segments: [String], _ pattern: [String]) -> Bool {
        segments.count == pattern.count
            && zip(segments, pattern).allSatisfy { $0 == $1 || $1.hasPrefix("{") }
    }
}
