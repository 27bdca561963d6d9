// SPDX-License-Identifier: Apache-2.0
import SheetCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What the fields of a game system's sheets mean: names that characters use, and those that sheets give such fields.
/// docs/formats.md has its JSON.
public struct FieldNames: Sendable, Hashable {
    public static let formatVersion = 1

    /// The game system's slug; `nil` for any.
    public var gameSystem: String?
    /// By a character's name for it, the sheets' names. `#` in one stands for any number, and in a character's name for
    /// the same.
    public var fields: [String: [String]]

    public init(gameSystem: String? = nil, fields: [String: [String]]) {
        self.gameSystem = gameSystem
        self.fields = fields
    }

    /// Most fields, most names of all of them, and the longest name in bytes.
    public static let maximumFields = 2000
    public static let maximumNames = 10_000
    public static let maximumNameLength = 500

    /// Reads a mapping of somebody's own.
    public static func read(_ data: Data) throws(FormatFailure) -> FieldNames {
        let value: FieldNames
        do {
            value = try SheetJSON.decoder().decode(FieldNames.self, from: data)
        } catch {
            throw FormatFailure(error)
        }
        var check = FormatCheck()
        check.require(value.fields.count <= maximumFields, "/fields", "At most \(maximumFields) fields.")
        let count = value.fields.values.reduce(0) { $0 + $1.count }
        check.require(count <= maximumNames, "/fields", "At most \(maximumNames) names.")
        for (name, names) in value.fields {
            let isFitting = ([name] + names).allSatisfy { (1...maximumNameLength).contains($0.utf8.count) }
            check.require(isFitting, "/fields/\(name)", "A name has 1 to \(maximumNameLength) bytes.")
        }
        try check.finish()
        return value
    }
}

extension FieldNames: Codable {
    private enum CodingKeys: String, CodingKey { case format, formatVersion, gameSystem, fields }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        guard try container.decode(String.self, forKey: .format) == "fieldnames" else {
            throw FormatFailure("/format", "This should say \"fieldnames\".")
        }
        guard try container.decode(Int.self, forKey: .formatVersion) == Self.formatVersion else {
            throw FormatFailure("/formatVersion", "Only version \(Self.formatVersion) is read here.")
        }
        gameSystem = try container.decodeIfPresent(String.self, forKey: .gameSystem)
        fields = try container.decode([String: [String]].self, forKey: .fields)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode("fieldnames", forKey: .format)
        try container.encode(Self.formatVersion, forKey: .formatVersion)
        try container.encodeIfPresent(gameSystem, forKey: .gameSystem)
        try container.encode(fields, forKey: .fields)
    }
}

/// Finds what a sheet's field means. Case, accents, blanks and punctuation do not matter, nor zeros before a number; a
/// field without a number is the first of those that are counted.
public struct FieldMatcher: Sendable {
    /// A name as it is compared: its letters, `#` for each number, and the numbers.
    private struct Key: Hashable {
        var letters = ""
        var numbers: [String?] = []

        init(_ name: String) {
            var digits = ""
            func isDigit(_ scalar: Unicode.Scalar) -> Bool { ("0"..."9").contains(scalar) }
            let scalars = UnicodeText.folded(name).unicodeScalars
            var end = scalars.startIndex
            while end < scalars.endIndex {
                let scalar = scalars[end]
                end = scalars.index(after: end)
                if isDigit(scalar) { digits.unicodeScalars.append(scalar) }
                if !digits.isEmpty, end == scalars.endIndex || !isDigit(scalars[end]) {
                    letters += "#"
                    let significant = digits.drop { $0 == "0" }
                    numbers.append(significant.isEmpty ? "0" : String(significant))
                    digits = ""
                } else if scalar == "#" {
                    letters += "#"
                    numbers.append(nil)
                } else if scalar.properties.isAlphabetic {
                    letters.unicodeScalars.append(scalar)
                }
            }
        }
    }

    private struct Meaning {
        var name: String
        /// Those that are wanted; `nil` for any.
        var numbers: [String?]
        /// Of a field that is the first of several and has no number.
        var implied: String?
    }

    private var meanings: [String: [Meaning]] = [:]

    /// Where several mappings have a name, the earlier one counts.
    public init(_ mappings: [FieldNames]) {
        for mapping in mappings {
            for (name, names) in mapping.fields.sorted(by: { $0.key < $1.key }) {
                for alias in [name] + names {
                    let key = Key(alias)
                    meanings[key.letters, default: []].append(Meaning(name: name, numbers: key.numbers))
                }
            }
            // Below what is named so itself.
            for (name, names) in mapping.fields.sorted(by: { $0.key < $1.key }) where name.contains("#") {
                for key in ([name] + names).map(Key.init) where key.numbers == [nil] {
                    let letters = key.letters.filter { $0 != "#" }
                    meanings[letters, default: []].append(Meaning(name: name, numbers: [], implied: "1"))
                }
            }
        }
    }

    /// The matcher for sheets of a game system: its names, and those of every system's sheets. A mapping of one's own
    /// counts before both.
    public init(gameSystem: String?, own: FieldNames? = nil) {
        self.init([own, gameSystem.flatMap(FieldNames.preset), FieldNames.common].compactMap { $0 })
    }

    /// What a field means; `nil` if nobody knows.
    public func meaning(of field: String) -> String? {
        if let found = find(field) { return found }
        // In forms that were made with layers: form[0].page[0].name[0].
        let last = field.split(separator: ".").last.map { $0.prefix { $0 != "[" } }.map(String.init)
        return last.flatMap { $0 == field ? nil : find($0) }
    }

    private func find(_ field: String) -> String? {
        let key = Key(field)
        for meaning in meanings[key.letters] ?? [] {
            guard meaning.numbers.count == key.numbers.count,
                zip(meaning.numbers, key.numbers).allSatisfy({ $0 == nil || $0 == $1 })
            else { continue }
            var free = zip(meaning.numbers, key.numbers).filter { $0.0 == nil }.compactMap(\.1)[...]
            if let implied = meaning.implied { free = [implied] }
            return meaning.name.reduce(into: "") { made, letter in
                made += letter == "#" ? free.popFirst() ?? "#" : String(letter)
            }
        }
        return nil
    }

    /// Whether two names are the same to people.
    static func isSame(_ one: String, _ other: String) -> Bool { Key(one) == Key(other) }

    /// A name that is the same for names that are the same to people.
    static func key(_ name: String) -> String {
        let key = Key(name)
        return key.letters + key.numbers.map { " " + ($0 ?? "#") }.joined()
    }
}
