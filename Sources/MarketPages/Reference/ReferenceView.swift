// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketContract
import SheetCore

/// The contract as a page shows it: everything there is in words, nothing left to be looked up by a script.
struct ReferenceView: Sendable {
    /// Calls that belong together: a page.
    struct Group: Sendable {
        let title: String
        let anchor: String
        let address: String
        let about: String
        let calls: [Call]
    }

    /// A call as lists name it.
    struct CallLink: Sendable {
        let anchor: String
        let address: String
        let method: String
        let verb: String
        let path: String
        let title: String
    }

    struct Call: Sendable {
        let address: String
        let anchor: String
        let method: String
        let verb: String
        let path: String
        let title: String
        let spans: [MarkdownBlocks.Span]
        let who: String
        let scope: String
        let hasScope: Bool
        let inputs: [ReferenceField]
        let hasInputs: Bool
        let bodies: [Body]
        let answers: [Answer]
        let faults: [ErrorResponse]

        var link: CallLink {
            CallLink(anchor: anchor, address: address, method: method, verb: verb, path: path, title: title)
        }
    }

    /// What is sent.
    struct Body: Sendable {
        let mediaType: String
        let shape: ReferenceType
        let isOptional: Bool
        let sample: String
        let hasSample: Bool
    }

    /// What comes back when all is well.
    struct Answer: Sendable {
        let status: String
        let spans: [MarkdownBlocks.Span]
        let shapes: [ReferenceType]
        let sample: String
        let hasSample: Bool
    }

    /// What comes back when not.
    struct ErrorResponse: Sendable {
        let status: String
        let codes: [String]
    }

    /// A schema with a name.
    struct Shape: Sendable {
        let name: String
        let address: String
        let spans: [MarkdownBlocks.Span]
        let base: ReferenceType
        let hasMembers: Bool
        let members: [ReferenceField]
    }

    let version: String
    let introduction: [MarkdownBlocks.Item]
    let groups: [Group]
    let shapes: [Shape]

    init(_ contract: APIContract) {
        let document = contract.document
        let info = document["info"] ?? [:]
        version = info["version"]?.text ?? ""
        introduction = (info["description"]?.text ?? "").split(separator: "\n\n").map {
            MarkdownBlocks.Item(spans: MarkdownBlocks.spans(String($0)))
        }
        groups = (document["tags"]?.items ?? []).map { tag in
            let name = tag["name"]?.text ?? ""
            let address = "/docs/\(name.lowercased())"
            return Group(
                title: name, anchor: name.lowercased(), address: address, about: tag["description"]?.text ?? "",
                calls: contract.operations.filter { $0.tag == name }.map { Self.call($0, in: document, page: address) })
        }
        shapes = (document["components"]?["schemas"]?.members ?? [:]).map(Self.shape).sorted { $0.name < $1.name }
    }

    private static func call(_ operation: ContractOperation, in document: JSONValue, page: String) -> Call {
        let object = operation.object
        let parameters = (object["parameters"]?.items ?? []).map { parameter in
            let name = parameter["$ref"]?.text?.split(separator: "/").last.map(String.init)
            return name.flatMap { document["components"]?["parameters"]?[$0] } ?? parameter
        }
        let responses = (object["responses"]?.members ?? [:]).sorted { $0.key < $1.key }
        let inputs = parameters.map(ReferenceField.init(parameter:))
        let anchor = object["operationId"]?.text ?? ""
        return Call(
            address: "\(page)/\(anchor)", anchor: anchor, method: operation.method.uppercased(), verb: operation.method,
            path: operation.path, title: object["summary"]?.text ?? "",
            spans: MarkdownBlocks.spans(object["description"]?.text ?? ""), who: who(object),
            scope: object["x-scope"]?.text ?? "", hasScope: object["x-scope"] != nil, inputs: inputs,
            hasInputs: !inputs.isEmpty,
            bodies: (object["requestBody"]?["content"]?.members ?? [:]).map { type, media in
                body(type, media, isOptional: object["requestBody"]?["required"] == false)
            },
            answers: responses.filter { $0.value["content"]?["application/problem+json"] == nil }.map(answer),
            faults: responses.compactMap(errorResponse))
    }

    private static func who(_ object: JSONValue) -> String {
        switch object["x-roles"]?.texts.first ?? "" {
        case "user": "Signed in"
        case "moderator": "Moderators"
        case "administrator": "Administrators"
        default: "Anyone"
        }
    }

    private static func body(_ type: String, _ media: JSONValue, isOptional: Bool) -> Body {
        let sample = self.sample(media["example"])
        return Body(
            mediaType: type, shape: ReferenceType(media["schema"] ?? [:]), isOptional: isOptional,
            sample: sample, hasSample: !sample.isEmpty)
    }

    private static func answer(_ status: String, _ response: JSONValue) -> Answer {
        let content = (response["content"]?.members ?? [:]).sorted { $0.key < $1.key }
        let sample = self.sample(content.first?.value["example"])
        let shapes = content.map { type, media in
            let shape = ReferenceType(media["schema"] ?? [:])
            return shape.isLinked ? shape : ReferenceType(words: type)
        }
        return Answer(
            status: status, spans: MarkdownBlocks.spans(response["description"]?.text ?? ""), shapes: shapes,
            sample: sample, hasSample: !sample.isEmpty)
    }

    private static func errorResponse(_ status: String, _ response: JSONValue) -> ErrorResponse? {
        guard let media = response["content"]?["application/problem+json"] else { return nil }
        return ErrorResponse(status: status, codes: media["examples"]?.members.keys.sorted() ?? [])
    }

    private static func sample(_ value: JSONValue?) -> String {
        guard let value else { return "" }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        // What was read as JSON can be written as JSON.
        return (try? encoder.encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    private static func shape(_ name: String, _ schema: JSONValue) -> Shape {
        let members = ReferenceField.members(of: schema)
        return Shape(
            name: name, address: ReferenceType.address(name),
            spans: MarkdownBlocks.spans(schema["description"]?.text ?? ""), base: ReferenceType(schema),
            hasMembers: !members.isEmpty, members: members)
    }
}

/// A kind of value in words, with a link where it has a name of its own.
struct ReferenceType: Sendable {
    /// What stands before the name: `list of `.
    let lead: String
    /// The name, or all the words.
    let words: String
    /// Where the name leads.
    let target: String
    let isLinked: Bool

    init(words: String) {
        lead = ""
        self.words = words
        target = ""
        isLinked = false
    }

    init(_ schema: JSONValue) {
        var schema = schema
        var lead = ""
        if let choice = schema["anyOf"]?.items.first { schema = choice }
        while let item = schema["items"] {
            lead += "list of "
            schema = item
        }
        self.lead = lead
        if let name = schema["$ref"]?.text?.split(separator: "/").last.map(String.init) {
            words = name
            target = Self.address(name)
            isLinked = true
        } else {
            words = Self.words(schema)
            target = ""
            isLinked = false
        }
    }

    static func address(_ name: String) -> String { "/docs/shapes/\(name)" }

    private static func words(_ schema: JSONValue) -> String {
        if case .array(let values)? = schema["enum"] {
            return values.compactMap(\.text).map { "“\($0)”" }.joined(separator: " or ")
        }
        let types = schema["type"]?.text.map { [$0] } ?? schema["type"]?.texts ?? []
        let type = types.first { $0 != "null" } ?? "anything"
        let mayBeNull = type != "anything" && types.contains("null") && types.first == "string" && types.count > 1
        var words = schema["format"]?.text.map { "\(type), \($0)" } ?? type
        words += bounds(schema)
        return mayBeNull ? "\(words), or null" : words
    }

    private static func bounds(_ schema: JSONValue) -> String {
        let isText = schema["maxLength"] != nil || schema["minLength"] != nil
        let least = schema[isText ? "minLength" : "minimum"]?.number
        let most = schema[isText ? "maxLength" : "maximum"]?.number
        func plain(_ number: Double) -> String { number == number.rounded() ? String(Int(number)) : String(number) }
        let unit = isText ? " characters" : ""
        switch (least, most) {
        case (let least?, let most?): return ", \(plain(least)) to \(plain(most))\(unit)"
        case (let least?, nil): return least == 0 ? "" : ", from \(plain(least))\(unit)"
        case (nil, let most?): return ", at most \(plain(most))\(unit)"
        case (nil, nil): return ""
        }
    }
}

/// A parameter of a call, or a member of a schema.
struct ReferenceField: Sendable {
    let label: String
    /// `path`, `query` or `header`; empty for a member.
    let place: String
    let hasPlace: Bool
    let kind: ReferenceType
    let isNeeded: Bool
    let spans: [MarkdownBlocks.Span]

    init(parameter: JSONValue) {
        label = parameter["name"]?.text ?? ""
        place = parameter["in"]?.text ?? ""
        hasPlace = true
        kind = ReferenceType(parameter["schema"] ?? [:])
        isNeeded = parameter["required"] == true
        spans = MarkdownBlocks.spans(parameter["description"]?.text ?? "")
    }

    private init(label: String, schema: JSONValue, isNeeded: Bool) {
        self.label = label
        place = ""
        hasPlace = false
        kind = ReferenceType(schema)
        self.isNeeded = isNeeded
        spans = MarkdownBlocks.spans(schema["description"]?.text ?? "")
    }

    /// The members of an object, those of nested objects behind a dot: the needed ones in their order, then the others.
    static func members(of schema: JSONValue, under prefix: String = "") -> [ReferenceField] {
        let properties = schema["properties"]?.members ?? [:]
        let needed = schema["required"]?.texts ?? []
        let names = needed.filter { properties[$0] != nil } + properties.keys.filter { !needed.contains($0) }.sorted()
        return names.flatMap { name -> [ReferenceField] in
            let member = properties[name] ?? [:]
            let label = prefix + name
            let own = ReferenceField(label: label, schema: member, isNeeded: needed.contains(name))
            let items = member["items"]
            return [own] + members(of: items ?? member, under: items == nil ? "\(label)." : "\(label)[].")
        }
    }
}
