// SPDX-License-Identifier: Apache-2.0
import Foundation
import Hummingbird
import MarketWire
import SheetCore

/// The parameters of a query as forms write them: `+` is a blank, the rest is percent-encoded UTF-8.
package struct QueryParameters {
    private let items: [(name: Substring, value: String)]
    /// What is not empty, by name: forms have thousands of fields, each of which is asked for.
    private let values: [Substring: [String]]

    package init(_ query: String?) {
        items = Self.parts(of: query).map { ($0.name, Self.decoded($0.value)) }
        values = items.reduce(into: [:]) { values, item in
            if !item.value.isEmpty { values[item.name, default: []].append(item.value) }
        }
    }

    /// The first value of that name in a query of which nothing else is asked; `nil` when absent or empty.
    static func value(of name: String, in query: String?) -> String? {
        for part in parts(of: query) where part.name == name {
            let value = decoded(part.value)
            if !value.isEmpty { return value }
        }
        return nil
    }

    /// Names and values as they are written. Read as bytes: taking a text apart by letters costs ten times as much.
    private static func parts(of query: String?) -> [(name: Substring, value: Substring)] {
        guard let query, !query.isEmpty else { return [] }
        return query.utf8.split(separator: UInt8(ascii: "&")).map { item in
            let end = item.firstIndex(of: UInt8(ascii: "=")) ?? item.endIndex
            return (Substring(item[..<end]), Substring(item[end...].dropFirst()))
        }
    }

    /// The first value of that name; `nil` when absent or empty.
    package subscript(name: String) -> String? {
        values[Substring(name)]?.first
    }

    /// Every value of that name that is not empty.
    package func all(_ name: String) -> [String] {
        values[Substring(name)] ?? []
    }

    /// Throws `unknown_parameter` unless every parameter is one of `known`.
    package func check(against known: Set<String>) throws(APIError) {
        try Self.refuse(items.map { String($0.name) }.filter { !known.contains($0) }, known)
    }

    /// Throws `unknown_parameter` for names that are one of `known` but for a letter or their case. On pages anything
    /// else is let be: other sites hang theirs, such as `utm_source`, on every link.
    package func checkSpelling(against known: Set<String>) throws(APIError) {
        let unknown = items.map { String($0.name) }.filter { !known.contains($0) && $0.count >= Self.leastSpelled }
        try Self.refuse(
            unknown.filter { EditDistance.nearest(to: $0, among: known, atMost: 1) != nil }, known)
    }

    private static func refuse(_ unknown: [String], _ known: Set<String>) throws(APIError) {
        guard !unknown.isEmpty else { return }
        let names = known.sorted().joined(separator: ", ")
        let errors = unknown.prefix(Self.toldParameters).map { name in
            let near = EditDistance.nearest(to: name, among: known).map { "Did you mean '\($0)'?" }
            return ProblemDocument.Detail(
                pointer: String(name.prefix(Self.toldLetters)),
                detail: "There is no such parameter here. "
                    + (near ?? (known.isEmpty ? "There is none." : "Known: \(names).")))
        }
        throw APIError(
            .badRequest, .unknownParameter, "The query has a parameter that this call does not know.",
            errors: Array(errors))
    }

    /// Letters of the shortest name that can be told from another word.
    private static let leastSpelled = 4
    /// How many unknown parameters are named, and how much of each.
    private static let toldParameters = 10
    private static let toldLetters = 64

    private static func decoded(_ text: Substring) -> String {
        guard text.utf8.contains(where: { $0 == 37 || $0 == 43 }) else { return String(text) }
        let blanks = String(decoding: text.utf8.map { $0 == 43 ? 32 : $0 }, as: UTF8.self)
        let plain = blanks.removingPercentEncoding ?? blanks
        // PostgreSQL stores no NUL in text.
        return plain.utf8.contains(0) ? plain.replacing("\0", with: "") : plain
    }
}

extension Request {
    /// All parameters of the query, decoded.
    package var queryParameters: QueryParameters { QueryParameters(uri.query) }

    /// A parameter of the query, decoded; `nil` when absent or empty.
    package func query(_ name: String) -> String? { QueryParameters.value(of: name, in: uri.query) }

    /// A parameter that is `true` or `false`; throws `validation_failed` for anything else.
    package func flag(_ name: String) throws(APIError) -> Bool? {
        switch query(name) {
        case nil: nil
        case "true": true
        case "false": false
        default: throw .validation([.init(pointer: name, detail: "'true' or 'false'.")])
        }
    }

    /// A parameter that is one of a few words; throws `validation_failed` for any other.
    package func word<Word: RawRepresentable & CaseIterable>(
        _ name: String, of words: Word.Type = Word.self
    ) throws(APIError) -> Word? where Word.RawValue == String {
        guard let text = query(name) else { return nil }
        guard let word = Word(rawValue: text) else {
            let known = words.allCases.map(\.rawValue).joined(separator: ", ")
            throw .validation([.init(pointer: name, detail: "One of: \(known).")])
        }
        return word
    }
}
