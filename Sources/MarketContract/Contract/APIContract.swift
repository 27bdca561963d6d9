// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import MarketHTTP
import SheetCore

/// The OpenAPI 3.1 document, made of the pieces in `web/openapi/` and of the table of routes. Who may call, and
/// the problems that come with that, are said by the routes alone.
package struct APIContract: Sendable {
    package let document: JSONValue
    /// Every call, by tag, path and method.
    package let operations: [ContractOperation]

    package init(_ pieces: ContractFragments, routes: [RouteDescription]) {
        let served = Dictionary(
            routes.map { ("\($0.method.rawValue) \($0.path)", $0) }, uniquingKeysWith: { first, _ in first })
        let tags = (pieces.base["tags"]?.items ?? []).compactMap { $0["name"]?.text }
        let problems = ProblemFragments(pieces.problems)
        let made = pieces.operations.map { operation in
            OperationBuilder(
                operation: operation, route: served["\(operation.method.uppercased()) \(operation.path)"],
                schemas: pieces.schemas, problems: problems
            ).made
        }
        operations = made.sorted { Self.order($0, tags) < Self.order($1, tags) }
        var paths: [String: JSONValue] = [:]
        for operation in operations {
            paths[operation.path] = (paths[operation.path] ?? [:]).merging([operation.method: operation.object])
        }
        var document = pieces.base
        var components = document["components"] ?? [:]
        components["schemas"] = .object(pieces.schemas)
        let parameters = components["parameters"]?.members ?? [:]
        components["parameters"] = .object(parameters.mapValues(OperationBuilder.withEmpty))
        components["responses"] = .object(problems.responses)
        document["components"] = components
        document["paths"] = .object(paths)
        self.document = document
    }

    private static let methods = ["get", "post", "put", "patch", "delete"]

    private static func order(_ operation: ContractOperation, _ tags: [String]) -> (Int, String, Int) {
        (
            tags.firstIndex(of: operation.tag) ?? tags.count, operation.path,
            methods.firstIndex(of: operation.method) ?? methods.count
        )
    }
}
