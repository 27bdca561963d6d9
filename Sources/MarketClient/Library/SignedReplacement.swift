// SPDX-License-Identifier: Apache-2.0
import MarketWire
import SheetCore

extension TrustSession {
    /// What is signed to be used in the place of a version. `nil` of what is on offer itself, and where the market signs
    /// nothing.
    func replacement(
        of version: SemanticVersion, of template: TemplateSummary
    ) async throws -> Replacement? {
        guard try await root != nil else { return nil }
        do {
            return try await replacement(named: find(TargetPath.of(template.id, version, template.kind)))
        } catch LibraryError.untrusted(.unknownTarget) {
            return nil
        }
    }

    /// What a signed file names in its place, if that can be had.
    func replacement(named target: TrustTarget) async throws -> Replacement? {
        guard let path = target.custom?["replacement"]?.string, let place = TargetPath.version(at: path) else {
            return nil
        }
        let other: TrustTarget
        do {
            other = try await find(path)
        } catch LibraryError.untrusted(.unknownTarget) {
            // What nobody signs is no advice.
            return nil
        }
        guard other.custom?["state"] == nil, let slug = other.custom?["slug"]?.string, Slug(slug) != nil else {
            return nil
        }
        return Replacement(id: place.id, slug: slug, version: place.version)
    }
}
