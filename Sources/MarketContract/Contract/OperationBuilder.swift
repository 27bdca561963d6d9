// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import MarketHTTP
import MarketWire
import SheetCore

/// Makes an OpenAPI operation object of a fragment: expands its shorthands and adds what all calls of its kind have.
struct OperationBuilder {
    let operation: ContractFragments.Operation
    let route: RouteDescription?
    let schemas: [String: JSONValue]
    let problems: ProblemFragments

    private var piece: JSONValue { operation.piece }
    private var access: Access? { route?.access }
    /// Whether calls are counted.
    private var isLimited: Bool { (route?.cost ?? .free) != .free }
    private var traits: Set<String> { Self.traits(of: piece) }

    var made: ContractOperation {
        let codes = codes
        var object: [String: JSONValue] = [
            "tags": [.string(operation.tag)], "security": security, "responses": responses(codes),
            "x-roles": .array(roles.map { .string($0) }),
        ]
        for name in ["operationId", "summary", "description"] { object[name] = piece[name] }
        if let scope = access?.scope { object["x-scope"] = .string(scope.rawValue) }
        if let route { object["x-cost"] = .string(route.cost.rawValue) }
        if route?.deprecation != nil { object["deprecated"] = true }
        if !parameters.isEmpty { object["parameters"] = .array(parameters) }
        if let body { object["requestBody"] = body }
        return ContractOperation(
            path: operation.path, method: operation.method, tag: operation.tag, access: access, problems: codes,
            object: .object(object))
    }

    // MARK: - Who

    /// A session has every scope; a token is tried before it.
    private var security: JSONValue {
        switch access {
        case nil, .withoutAuthentication, .signedAddress: []
        case .optionalAuthentication: [[:], ["bearer": []], ["session": []]]
        case .session, .enrolling: [["session": []]]
        case .user, .moderator, .administrator:
            [["bearer": [.string(access?.scope?.rawValue ?? "")]], ["session": []]]
        }
    }

    private var roles: [String] {
        switch access {
        case nil, .withoutAuthentication, .signedAddress, .optionalAuthentication: ["anyone"]
        case .user, .session, .enrolling: ["user", "moderator", "administrator"]
        case .moderator: ["moderator", "administrator"]
        case .administrator: ["administrator"]
        }
    }

    // MARK: - What goes in

    private static func traits(of piece: JSONValue) -> Set<String> { Set(piece["traits"]?.texts ?? []) }

    /// Whether calls of this path refuse parameters that the contract does not name.
    static func knowsItsParameters(_ path: String) -> Bool { path.hasPrefix("/api/") }

    /// The parameters that a fragment states, in full or by the name of a shared one.
    static func parameters(of piece: JSONValue) -> [JSONValue] {
        let traits = traits(of: piece)
        var names: [JSONValue] = []
        if traits.contains("list") { names += ["limit", "cursor"] }
        if traits.contains("longList") { names += ["longLimit", "cursor"] }
        return (piece["parameters"]?.items ?? []) + names
    }

    private var parameters: [JSONValue] {
        var names: [JSONValue] = []
        if traits.contains("ranges") { names += ["range", "ifRange"] }
        if traits.contains("revalidated") || traits.contains("ranges") { names.append("ifNoneMatch") }
        if route?.acceptsIdempotencyKey == true { names.append("idempotencyKey") }
        if route?.isConditional == true { names += ["ifMatch", "ifNew"] }
        if route?.mayLag == true { names.append("readAfter") }
        return (Self.parameters(of: piece) + names).map { parameter in
            guard let name = parameter.text else { return Self.withEmpty(parameter) }
            return ["$ref": .string("#/components/parameters/\(name)")]
        }
    }

    /// A parameter of the query that is empty counts as absent, as a form sends it.
    static func withEmpty(_ parameter: JSONValue) -> JSONValue {
        parameter["in"] == "query" ? parameter.merging(["allowEmptyValue": true]) : parameter
    }

    private var body: JSONValue? {
        guard let body = piece["body"] else { return nil }
        if let name = body["multipart"]?.text {
            var media = json(name)
            if schemas[name]?["properties"]?["metadata"] != nil {
                media = media.merging(["encoding": ["metadata": ["contentType": "application/json"]]])
            }
            return ["required": true, "content": .object(["multipart/form-data": media])]
        }
        guard let name = body.text ?? body["json"]?.text else { return nil }
        return [
            "required": .bool(body["optional"] == nil), "content": .object(["application/json": json(name)]),
        ]
    }

    private var hasJSONBody: Bool { piece["body"] != nil && piece["body"]?["multipart"] == nil }

    // MARK: - What comes back

    private func responses(_ codes: [String]) -> JSONValue {
        var responses: [String: JSONValue] = [:]
        for (status, answer) in piece["answers"]?.members ?? [:] { responses[status] = response(answer, status) }
        if traits.contains("revalidated") || traits.contains("ranges") {
            responses["304"] = [
                "description": "The caller holds this state of the answer.",
                "headers": .object(ProblemFragments.headers(["X-Request-Id", "ETag"])),
            ]
        }
        if traits.contains("ranges"), let whole = responses["200"] {
            var part = whole
            part["description"] = "The asked part."
            part["headers"] = .object(ProblemFragments.headers(["X-Request-Id", "ETag", "Content-Range"]))
            responses["206"] = part
        }
        if traits.contains("moved") {
            responses["308"] = [
                "description": "The template has another slug now.",
                "headers": .object(ProblemFragments.headers(["X-Request-Id", "Location"])),
            ]
        }
        for (status, codes) in Self.byStatus(codes, problems) where responses[String(status)] == nil {
            responses[String(status)] = problems.response(status, codes)
        }
        // Only what stores a file runs out of room.
        if piece["body"]?["multipart"] != nil { responses["507"] = problems.response(507, ["unavailable"]) }
        return .object(responses)
    }

    private func response(_ answer: JSONValue, _ status: String) -> JSONValue {
        var made: [String: JSONValue] = [:]
        var headers = ProblemFragments.headers(["X-Request-Id"])
        headers.merge(answer["headers"]?.members ?? [:]) { _, new in new }
        if status == "200" {
            let isTagged = traits.contains("revalidated") || traits.contains("ranges")
            if isTagged { headers.merge(ProblemFragments.headers(["ETag"])) { _, new in new } }
            let isList = traits.contains("list") || traits.contains("longList")
            if isList { headers.merge(ProblemFragments.headers(["Link"])) { _, new in new } }
        }
        if status.hasPrefix("2") {
            if isLimited {
                headers.merge(ProblemFragments.headers(["RateLimit", "RateLimit-Policy"])) { old, _ in old }
            }
            if route?.acceptsIdempotencyKey == true {
                headers.merge(ProblemFragments.headers(["Idempotency-Replayed", "Read-After"])) { old, _ in old }
            }
            headers.merge(deprecationHeaders) { old, _ in old }
        }
        made["headers"] = .object(headers)
        made["content"] = answer["content"]
        let name = answer["json"]?.text
        if let name { made["content"] = .object(["application/json": json(name)]) }
        made["description"] = answer["description"] ?? name.flatMap { schemas[$0]?["description"] } ?? "Done."
        return .object(made)
    }

    private var deprecationHeaders: [String: JSONValue] {
        guard let deprecation = route?.deprecation else { return [:] }
        var headers: [String: JSONValue] = [
            "Deprecation": [
                "description": "Since when the call should no longer be made (RFC 9745).", "required": true,
                "schema": ["type": "string"],
            ]
        ]
        if deprecation.sunset != nil {
            headers["Sunset"] = [
                "description": "From when on it may be gone (RFC 8594).", "required": true,
                "schema": ["type": "string"],
            ]
        }
        return headers
    }

    /// Codes that come with who may call, with what is sent, and with any call at all.
    private var codes: [String] {
        var codes = piece["problems"]?.texts ?? []
        if Self.knowsItsParameters(operation.path) { codes.append("unknown_parameter") }
        if traits.contains("ranges") { codes.append("range_not_satisfiable") }
        if hasJSONBody { codes += ["bad_json", "too_large", "unsupported_media_type"] }
        if piece["body"] != nil || !parameters.isEmpty { codes.append("bad_request") }
        switch access {
        case nil, .withoutAuthentication, .signedAddress: break
        case .optionalAuthentication: codes += ["invalid_token", "expired_token"]
        case .user: codes += ["authentication_required", "invalid_token", "expired_token", "insufficient_scope"]
        case .session, .enrolling:
            codes += ["authentication_required", "invalid_token", "expired_token", "forbidden"]
        case .moderator, .administrator:
            codes += ["authentication_required", "invalid_token", "expired_token", "insufficient_scope", "forbidden"]
        }
        switch access {
        case .user, .session, .moderator, .administrator: codes.append("second_factor_enrolment_required")
        case nil, .withoutAuthentication, .signedAddress, .optionalAuthentication, .enrolling: break
        }
        if operation.method != "get", access?.asksWhoCalls == true { codes.append("cross_site") }
        if let access, access.role > .user || (operation.method != "get" && access.scope != nil) {
            codes.append("suspended")
        }
        if isLimited { codes.append("too_many_requests") }
        if route?.cost.isChange == true { codes.append("limits_unavailable") }
        if route?.acceptsIdempotencyKey == true {
            codes += ["idempotency_key_reused", "idempotency_key_in_use", "idempotency_answer_not_kept"]
        }
        if route?.isConditional == true { codes.append("precondition_failed") }
        codes += ["internal_error", "unavailable"]
        var seen: Set<String> = []
        return codes.filter { seen.insert($0).inserted }
    }

    private static func byStatus(_ codes: [String], _ problems: ProblemFragments) -> [Int: [String]] {
        var found: [Int: [String]] = [:]
        for code in codes {
            for status in problems.statuses(code) { found[status, default: []].append(code) }
        }
        return found
    }

    // MARK: - Shorthands

    private func json(_ name: String) -> JSONValue {
        var media: JSONValue = ["schema": Self.schema(name)]
        media["example"] = schemas[name]?["examples"]?.items.first
        return media
    }

    private static func schema(_ name: String) -> JSONValue { ["$ref": .string("#/components/schemas/\(name)")] }
}

extension Access {
    /// Whether the server looks at a credential that is sent.
    fileprivate var asksWhoCalls: Bool {
        switch self {
        case .withoutAuthentication, .signedAddress: false
        case .optionalAuthentication, .user, .session, .enrolling, .moderator, .administrator: true
        }
    }
}
