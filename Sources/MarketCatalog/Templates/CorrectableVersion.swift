// SPDX-License-Identifier: Apache-2.0
import MarketHTTP
import MarketPlatform
import MarketWire
import SheetCore

/// A published version as those see it who may correct its zoom regions.
package struct CorrectableVersion: Sendable {
    package var template: ManagedTemplate
    package var version: VersionDetail
    package var regions: RegionList
    /// What the inspection proposed, of pages where somebody corrected it.
    package var proposal: RegionList
    /// Whether the operator may learn from corrections; `nil` for whom it is not to say.
    package var consent: TrainingConsent?
}

extension OwnerService {
    /// The version for somebody who may correct its zoom regions; throws `forbidden` for anybody else.
    package func correctable(
        _ version: VersionKey, of key: TemplateKey, for identity: Identity
    ) async throws -> CorrectableVersion {
        guard let template = try await OwnerStore.managed(key, for: identity, catalog.database) else {
            throw CatalogError.notFound("This template")
        }
        try template.permissions.require(.correctRegions)
        let detail = try await VersionReader(database: catalog.database).version(version, of: .id(template.id))
        let exact = VersionKey.number(detail.version)
        return CorrectableVersion(
            template: template, version: detail,
            regions: try await VersionReader(database: catalog.database).regions(exact, of: .id(template.id)),
            proposal: try await VersionStore.proposedRegions(exact, of: template.id, catalog.database),
            consent: template.permissions.may(.allowTraining)
                ? try await trainingConsent(.id(template.id), by: identity) : nil)
    }
}
