// SPDX-License-Identifier: Apache-2.0

/// A version number as Semantic Versioning 2.0.0 defines it (semver.org, sections 2, 9, 10 and 11).
public struct SemanticVersion: Hashable, Sendable {
    /// The numeric core.
    public let major, minor, patch: UInt64
    /// Dot-separated identifiers after `-`; empty for a release.
    public let prerelease: [String]
    /// Dot-separated identifiers after `+`; they take no part in precedence (section 10).
    public let build: [String]

    /// Longest text that is read as a version; nothing sensible is longer, and indexes stay small.
    public static let maximumLength = 64

    /// A release or, with identifiers, a pre-release.
    public init(_ major: UInt64, _ minor: UInt64, _ patch: UInt64) {
        self.major = major
        self.minor = minor
        self.patch = patch
        self.prerelease = []
        self.build = []
    }

    /// Reads the exact grammar of the specification; `nil` for anything else (`v1.0.0`, `1.0`, `01.0.0`, …).
    public init?(_ text: String) {
        guard text.utf8.count <= Self.maximumLength else { return nil }
        let (rest, build) = Self.cut(text[...], at: "+")
        let (core, prerelease) = Self.cut(rest, at: "-")
        let numbers = core.split(separator: ".", omittingEmptySubsequences: false)
        guard numbers.count == 3,
            let major = Self.number(numbers[0]), let minor = Self.number(numbers[1]),
            let patch = Self.number(numbers[2]),
            let prerelease = Self.identifiers(prerelease, leadingZeros: false),
            let build = Self.identifiers(build, leadingZeros: true)
        else { return nil }
        self.major = major
        self.minor = minor
        self.patch = patch
        self.prerelease = prerelease
        self.build = build
    }

    /// Whether this is a pre-release, which is offered only to those who ask for it.
    public var isPrerelease: Bool { !prerelease.isEmpty }

    private static func cut(_ text: Substring, at mark: Character) -> (Substring, Substring?) {
        guard let index = text.firstIndex(of: mark) else { return (text, nil) }
        return (text[..<index], text[text.index(after: index)...])
    }

    private static func number(_ text: Substring) -> UInt64? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (48...57).contains($0) }), text == "0" || !text.hasPrefix("0")
        else { return nil }
        return UInt64(text)
    }

    private static func identifiers(_ text: Substring?, leadingZeros: Bool) -> [String]? {
        guard let text else { return [] }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        for part in parts {
            guard !part.isEmpty, part.utf8.allSatisfy(isIdentifierByte) else { return nil }
            let numeric = part.utf8.allSatisfy { (48...57).contains($0) }
            if numeric && !leadingZeros && part.count > 1 && part.hasPrefix("0") { return nil }
        }
        return parts.map(String.init)
    }

    private static func isIdentifierByte(_ byte: UInt8) -> Bool {
        (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte) || byte == 45
    }
}

extension SemanticVersion: Comparable {
    /// Precedence, section 11. Versions that differ in build identifiers alone are ordered by those,
    /// so that sorting is total and agrees with `==`.
    public static func < (left: Self, right: Self) -> Bool {
        let core = (left.major, left.minor, left.patch)
        let otherCore = (right.major, right.minor, right.patch)
        if core != otherCore { return core < otherCore }
        if left.prerelease != right.prerelease {
            if left.prerelease.isEmpty { return false }
            if right.prerelease.isEmpty { return true }
            return precedes(left.prerelease, right.prerelease)
        }
        return left.build.lexicographicallyPrecedes(right.build)
    }

    private static func precedes(_ left: [String], _ right: [String]) -> Bool {
        for (a, b) in zip(left, right) where a != b {
            let aIsNumber = a.utf8.allSatisfy { (48...57).contains($0) }
            let bIsNumber = b.utf8.allSatisfy { (48...57).contains($0) }
            if aIsNumber != bIsNumber { return aIsNumber }
            // Numeric identifiers have no leading zeros: the shorter is the smaller, whatever its size.
            if aIsNumber && a.utf8.count != b.utf8.count { return a.utf8.count < b.utf8.count }
            return a.utf8.lexicographicallyPrecedes(b.utf8)
        }
        return left.count < right.count
    }
}

extension SemanticVersion: CustomStringConvertible, LosslessStringConvertible, Codable {
    /// The canonical text.
    public var description: String {
        var text = "\(major).\(minor).\(patch)"
        if !prerelease.isEmpty { text += "-" + prerelease.joined(separator: ".") }
        if !build.isEmpty { text += "+" + build.joined(separator: ".") }
        return text
    }

    /// Reads the canonical text; throws `DecodingError.dataCorrupted` for anything else.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let version = SemanticVersion(text) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "'\(text)' is not a Semantic Versioning 2.0.0 number")
        }
        self = version
    }

    /// Writes the canonical text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
