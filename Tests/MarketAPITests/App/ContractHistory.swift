// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketAPI
import SheetCore

@testable import MarketContract

/// Compares the contract of some day with a later one: what clients of that day rely on must still be so. What is added is
/// no fault, but for what a request must have, and for words. A request takes all words that it took, and perhaps more. An
/// answer has the words that it had, no more and no fewer: clients decode closed lists, and wait for what they know. Where a
/// list was told to be open (`x-open`), answers may have more.
struct ContractHistory {
    let then: JSONValue
    let now: JSONValue

    /// Everything that clients could rely on and no longer can, each with where it is.
    func faults() -> [String] {
        var found: [String] = []
        for (path, methods) in (then["paths"]?.members ?? [:]).sorted(by: { $0.key < $1.key }) {
            for (method, operation) in methods.members.sorted(by: { $0.key < $1.key }) {
                let call = "\(method) \(path)"
                guard let present = now["paths"]?[path]?[method] else {
                    found.append("\(call): is gone")
                    continue
                }
                found += credentials(operation, present, call)
                found += parameters(operation, present, call) + body(operation, present, call)
                found += answers(operation, present, call)
            }
        }
        return found
    }

    // MARK: - Requests

    /// Each way to show who calls is still one, unless nobody is asked any more.
    private func credentials(_ old: JSONValue, _ new: JSONValue, _ call: String) -> [String] {
        let told = old["security"]?.items ?? []
        let present = new["security"]?.items ?? []
        if present.isEmpty { return [] }
        if told.isEmpty { return present.contains([:]) ? [] : ["\(call): asks who calls now"] }
        return told.filter { !present.contains($0) }.map { way in
            "\(call): takes \(way.members.keys.sorted()) no more as it did"
        }
    }

    private func parameters(_ old: JSONValue, _ new: JSONValue, _ call: String) -> [String] {
        let told = Self.parameters(of: old, in: then)
        let present = Self.parameters(of: new, in: now)
        var found: [String] = []
        for (name, parameter) in told {
            if let other = present[name] {
                var walk = Walk(then: then, now: now, side: .request)
                walk.compare(parameter["schema"] ?? [:], other["schema"] ?? [:], "\(call) \(name)")
                found += walk.faults
            } else {
                found.append("\(call) \(name): is gone")
            }
        }
        for (name, parameter) in present
        where parameter["required"] == true && told[name]?["required"] != true {
            found.append("\(call) \(name): is required now")
        }
        return found.sorted()
    }

    /// By place and name.
    private static func parameters(of operation: JSONValue, in document: JSONValue) -> [String: JSONValue] {
        var found: [String: JSONValue] = [:]
        for item in operation["parameters"]?.items ?? [] {
            let parameter = resolved(item, in: document)
            found["\(parameter["in"]?.text ?? "") \(parameter["name"]?.text ?? "")"] = parameter
        }
        return found
    }

    private func body(_ old: JSONValue, _ new: JSONValue, _ call: String) -> [String] {
        let told = old["requestBody"] ?? [:]
        let present = new["requestBody"] ?? [:]
        var found: [String] = []
        if present["required"] == true && told["required"] != true { found.append("\(call): a body is required now") }
        return found + media(told, present, .request, "\(call) body")
    }

    // MARK: - Answers

    private func answers(_ old: JSONValue, _ new: JSONValue, _ call: String) -> [String] {
        var found: [String] = []
        for (status, told) in (old["responses"]?.members ?? [:]).sorted(by: { $0.key < $1.key })
        where status.hasPrefix("2") || status.hasPrefix("3") {
            guard let present = new["responses"]?[status] else {
                found.append("\(call) \(status): is gone")
                continue
            }
            let before = Self.resolved(told, in: then)
            let after = Self.resolved(present, in: now)
            for (name, field) in (before["headers"]?.members ?? [:]).sorted(by: { $0.key < $1.key }) {
                let told = Self.resolved(field, in: then)
                let sent = after["headers"]?[name].map { Self.resolved($0, in: now) }
                if told["required"] == true, sent?["required"] != true {
                    found.append("\(call) \(status) \(name): may be absent now")
                }
                guard let sent else { continue }
                var walk = Walk(then: then, now: now, side: .answer)
                walk.compare(told["schema"] ?? [:], sent["schema"] ?? [:], "\(call) \(status) \(name)")
                found += walk.faults
            }
            found += media(before, after, .answer, "\(call) \(status)")
        }
        return found
    }

    private func media(_ old: JSONValue, _ new: JSONValue, _ side: Walk.Side, _ place: String) -> [String] {
        var found: [String] = []
        for (type, told) in (old["content"]?.members ?? [:]).sorted(by: { $0.key < $1.key }) {
            guard let present = new["content"]?[type] else {
                found.append("\(place) \(type): is gone")
                continue
            }
            var walk = Walk(then: then, now: now, side: side)
            walk.compare(told["schema"] ?? [:], present["schema"] ?? [:], place)
            found += walk.faults
        }
        return found
    }

    fileprivate static func resolved(_ value: JSONValue, in document: JSONValue) -> JSONValue {
        guard let reference = value["$ref"]?.text else { return value }
        return reference.split(separator: "/").dropFirst().reduce(document) { $0[String($1)] ?? [:] }
    }
}

/// Compares two schemas, member by member.
private struct Walk {
    enum Side { case request, answer }

    let then: JSONValue
    let now: JSONValue
    let side: Side
    var faults: [String] = []
    /// Pairs of references that are being compared: schemas may hold themselves.
    private var within: Set<[String]> = []

    init(then: JSONValue, now: JSONValue, side: Side) {
        self.then = then
        self.now = now
        self.side = side
    }

    mutating func compare(_ old: JSONValue, _ new: JSONValue, _ place: String) {
        let pair = [old["$ref"]?.text ?? "", new["$ref"]?.text ?? ""]
        let isNamed = !pair.contains("")
        if isNamed && !within.insert(pair).inserted { return }
        defer { if isNamed { within.remove(pair) } }
        let told = Shape(old, in: then)
        let present = Shape(new, in: now)
        compareTypes(told, present, place)
        compareWords(told, present, place)
        compareMembers(told, present, place)
        if let items = told.items { compare(items, present.items ?? [:], "\(place)/[]") }
        if let others = told.others { compare(others, present.others ?? [:], "\(place)/*") }
    }

    private mutating func compareTypes(_ told: Shape, _ present: Shape, _ place: String) {
        // What is answered must be what was told; what is taken must be at least that.
        let (narrow, wide) = side == .answer ? (present, told) : (told, present)
        let isWithin =
            wide.types.isEmpty
            || !narrow.types.isEmpty
                && narrow.types.subtracting(wide.types).allSatisfy { type in
                    type == "integer" && wide.types.contains("number")
                }
        if !isWithin {
            faults.append("\(place): was \(told.types.sorted()), is \(present.types.sorted())")
        }
    }

    private mutating func compareWords(_ told: Shape, _ present: Shape, _ place: String) {
        switch side {
        case .request:
            guard let words = present.words else { return }
            let lost = told.words.map { old in old.filter { !words.contains($0) } }
            if lost?.isEmpty != true { faults.append("\(place): words that were taken are not") }
        case .answer:
            guard let old = told.words else { return }
            guard let words = present.words else {
                if !told.isOpen { faults.append("\(place): any word may come now") }
                return
            }
            // Whether there may be nothing is the types' matter.
            let new = words.filter { $0 != .null && !old.contains($0) }
            if !told.isOpen && !new.isEmpty { faults.append("\(place): new words \(new.compactMap(\.text))") }
            let lost = old.filter { $0 != .null && !words.contains($0) }
            if !lost.isEmpty { faults.append("\(place): no more words \(lost.compactMap(\.text))") }
        }
    }

    private mutating func compareMembers(_ told: Shape, _ present: Shape, _ place: String) {
        for (name, schema) in told.members.sorted(by: { $0.key < $1.key }) {
            if let other = present.members[name] {
                compare(schema, other, "\(place)/\(name)")
            } else {
                faults.append("\(place)/\(name): is gone")
            }
        }
        let (fewer, more) = side == .answer ? (present, told) : (told, present)
        for name in more.required.subtracting(fewer.required).sorted() {
            faults.append("\(place)/\(name): \(side == .answer ? "may be absent" : "is required") now")
        }
    }
}

/// What a schema says, with all that it refers to.
private struct Shape {
    /// None for anything.
    var types: Set<String> = []
    /// `nil` for any.
    var words: [JSONValue]?
    /// Whether there may be more words than these.
    var isOpen = false
    var members: [String: JSONValue] = [:]
    var required: Set<String> = []
    var items: JSONValue?
    /// What members are that have no name in it.
    var others: JSONValue?

    init(_ schema: JSONValue, in document: JSONValue) {
        types = Set(schema["type"]?.text.map { [$0] } ?? schema["type"]?.texts ?? [])
        words = schema["enum"]?.items ?? schema["const"].map { [$0] }
        isOpen = schema["x-open"] == true
        members = schema["properties"]?.members ?? [:]
        required = Set(schema["required"]?.texts ?? [])
        items = schema["items"]
        if case .object? = schema["additionalProperties"] { others = schema["additionalProperties"] }
        if schema["$ref"] != nil {
            add(Shape(ContractHistory.resolved(schema, in: document), in: document))
        }
        for part in schema["allOf"]?.items ?? [] { add(Shape(part, in: document)) }
        let choices = schema["anyOf"]?.items ?? []
        let values = choices.filter { $0 != ["type": "null"] }
        // One, or nothing: that is all that the contract uses `anyOf` for.
        if values.count == 1, let only = values.first { add(Shape(only, in: document)) }
        if !types.isEmpty, values.count < choices.count { types.insert("null") }
    }

    private mutating func add(_ other: Shape) {
        if types.isEmpty { types = other.types }
        if words == nil { words = other.words }
        isOpen = isOpen || other.isOpen
        members.merge(other.members) { own, _ in own }
        required.formUnion(other.required)
        items = items ?? other.items
        others = others ?? other.others
    }
}
