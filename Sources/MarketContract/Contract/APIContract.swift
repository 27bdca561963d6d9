// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import MarketHTTP

/// The OpenAPI 3.1 document, made of the pieces and of the table of routes. Who may call, and the problems that come
/// with that, are the routes' own word.
package struct APIContract: Sendable {
    /// One call as the document has it.
    package struct Operation: Sendable {
        package let path: String
        package let method: String
        package let tag: String
        package let access: Access?
        /// Its codes, the usual ones among them.
        package let problems: [String]
        package let object: JSONValue

        package init(
            path: String, method: String, tag: String, access: Access?, problems: [String], object: JSONValue
        ) {
            self.path = path
            self.method = method
            self.tag = tag
            self.access = access
            self.problems = problems
            self.object = object
        }
    }

    package let document: JSONValue
    /// Every call, by tag, path and method.
    package let operations: [Operation]

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

    private static func order(_ operation: Operation, _ tags: [String]) -> (Int, String, Int) {
        (
            tags.firstIndex(of: operation.tag) ?? tags.count, operation.path,
            methods.firstIndex(of: operation.method) ?? methods.count
        )
    }
}

/// What each code looks like.
struct ProblemFragments: Sendable {
    private let pieces: JSONValue

    init(_ pieces: JSONValue) {
        self.pieces = pieces
    }

    /// The statuses it comes with.
    func statuses(_ code: String) -> [Int] {
        pieces[code]?["statuses"]?.items.compactMap(\.integer) ?? []
    }

    /// Answers to what is no call at all.
    var responses: [String: JSONValue] {
        [
            "NotFound": response(404, ["not_found"]),
            "MethodNotAllowed": response(405, ["method_not_allowed"]),
        ]
    }

    /// The response object of a status that can come with `codes`.
    func response(_ status: Int, _ codes: [String]) -> JSONValue {
        let meanings = codes.map { "`\($0)`: \(pieces[$0]?["meaning"]?.text ?? "")" }
        let schema: JSONValue = [
            "allOf": [
                ["$ref": "#/components/schemas/Problem"],
                [
                    "properties": [
                        "status": ["const": .integer(status)],
                        "code": ["enum": .array(codes.map { .string($0) })],
                    ]
                ],
            ]
        ]
        let examples = codes.map { ($0, JSONValue.object(["value": example($0, status)])) }
        return [
            "description": .string(meanings.joined(separator: " ")),
            "headers": .object(headers(status)),
            "content": [
                "application/problem+json": [
                    "schema": schema, "examples": .object(Dictionary(examples, uniquingKeysWith: { $1 })),
                ]
            ],
        ]
    }

    private func headers(_ status: Int) -> [String: JSONValue] {
        var names = ["X-Request-Id"]
        switch status {
        case 401: names.append("WWW-Authenticate")
        case 429: names += ["Retry-After", "RateLimit", "RateLimit-Policy"]
        case 503: names.append("Retry-After")
        default: break
        }
        return OperationBuilder.headers(names)
    }

    private func example(_ code: String, _ status: Int) -> JSONValue {
        let title = code.replacing("_", with: " ")
        return [
            "type": .string("https://sheetmarket.example/problems/\(code)"),
            "title": .string(title.prefix(1).uppercased() + title.dropFirst()), "status": .integer(status),
            "code": .string(code), "detail": pieces[code]?["detail"] ?? "", "requestId": "1k2x9fz7q3b0a",
        ]
    }
}
