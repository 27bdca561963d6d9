// SPDX-License-Identifier: Apache-2.0
#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What a market says of a version besides its file, in one hash among the file's signed custom data: so a mirror cannot
/// invent regions, a licence or a description. docs/trust.md tells how its bytes are made.
public struct SignedRecord: Sendable, Equatable {
    /// The name of the hash among custom data, where it stands in hexadecimal digits.
    public static let member = "record"

    /// What people call the template.
    public var name: String
    /// One sentence.
    public var summary: String
    /// Markdown.
    public var description: String
    /// SPDX identifier.
    public var license: String
    /// Zoom regions by page, in their order.
    public var regions: [(page: Int, region: ZoomRegion)]

    /// All that is signed of a version besides its file.
    public init(
        name: String, summary: String, description: String, license: String, regions: [(page: Int, region: ZoomRegion)]
    ) {
        self.name = name
        self.summary = summary
        self.description = description
        self.license = license
        self.regions = regions
    }

    public static func == (one: SignedRecord, other: SignedRecord) -> Bool { one.json == other.json }

    /// SHA-256 of the canonical form.
    public var hash: ContentHash { ContentHash(hashing: json.canonical) }

    /// Canonical JSON has whole numbers only: lengths and scales are in millionths.
    private var json: TrustJSON {
        [
            "name": .string(name), "summary": .string(summary), "description": .string(description),
            "license": .string(license), "regions": .array(regions.map { Self.json($0.region, page: $0.page) }),
        ]
    }

    private static func json(_ region: ZoomRegion, page: Int) -> TrustJSON {
        var members: [(String, TrustJSON)] = [
            ("id", .string(region.id)), ("name", .string(region.name)), ("page", .integer(Int64(page))),
            ("x", millionths(region.rect.x)), ("y", millionths(region.rect.y)),
            ("width", millionths(region.rect.width)), ("height", millionths(region.rect.height)),
            ("scale", millionths(region.scale)),
        ]
        if let kind = region.kind { members.append(("kind", .string(kind))) }
        return TrustJSON(members: members)
    }

    /// What no region has is no number: it makes another hash than any that is signed.
    private static func millionths(_ value: Double) -> TrustJSON {
        let scaled = (value * 1_000_000).rounded()
        return Int64(exactly: scaled).map { .integer($0) } ?? .string("\(value)")
    }
}
