// SPDX-License-Identifier: Apache-2.0
import SheetCore

/// What can be used in the place of a version that was withdrawn or taken down, as its market signed it.
public struct Replacement: Sendable, Codable, Equatable {
    /// The template: the same one where it has another version on offer, or its successor.
    public var id: TemplateID
    /// That template's short name.
    public var slug: String
    /// The version on offer when that was signed.
    public var version: SemanticVersion

    /// Names what can be used.
    public init(id: TemplateID, slug: String, version: SemanticVersion) {
        (self.id, self.slug, self.version) = (id, slug, version)
    }

    /// A sentence with what to type.
    public var advice: String { "Use \(slug) \(version) instead: `sheets install \(slug)`." }
}
