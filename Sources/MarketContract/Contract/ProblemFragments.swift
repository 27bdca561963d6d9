// SPDX-License-Identifier: Apache-2.0
import MarketPlatform
import SheetCore

/// The response objects of error codes, made of `web/openapi/problems.json`.
struct ProblemFragments: Sendable {
    private let pieces: JSONValue

    init(_ pieces: JSONValue) {
        self.pieces = pieces
    }

    /// The statuses that a code comes with.
    func statuses(_ code: String) -> [Int] {
        pieces[code]?["statuses"]?.items.compactMap(\.integer) ?? []
    }

    /// Answers to requests that no route takes.
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
        return Self.headers(names)
    }

    private func example(_ code: String, _ status: Int) -> JSONValue {
        let title = code.replacing("_", with: " ")
        return [
            "type": .string("https://sheetmarket.example/problems/\(code)"),
            "title": .string(DisplayText.sentence(title)), "status": .integer(status),
            "code": .string(code), "detail": pieces[code]?["detail"] ?? "", "requestId": "1k2x9fz7q3b0a",
        ]
    }

    /// References to header components, by their names.
    static func headers(_ names: [String]) -> [String: JSONValue] {
        Dictionary(uniqueKeysWithValues: names.map { ($0, ["$ref": .string("#/components/headers/\($0)")]) })
    }
}
