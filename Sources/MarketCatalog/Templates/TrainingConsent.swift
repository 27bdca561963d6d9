// SPDX-License-Identifier: Apache-2.0
import MarketHTTP
import MarketPlatform
import MarketWire
import Postgres
import SheetCore

// Whether the operator may train the finding of zoom regions with a sheet's pages and what was corrected on them. Only its
// owner says so; nothing is allowed until then.

extension OwnerService {
    /// What the owner has said; to be seen by them alone.
    package func trainingConsent(_ key: TemplateKey, by identity: Identity) async throws -> TrainingConsent {
        guard let template = try await OwnerStore.managed(key, for: identity, catalog.database) else {
            throw CatalogError.notFound("This template")
        }
        try template.permissions.require(.allowTraining)
        return try await OwnerStore.trainingConsent(template.id, catalog.database)
    }

    /// Gives or withdraws it.
    package func set(_ consent: TrainingConsent, of key: TemplateKey, by identity: Identity) async throws {
        try await catalog.database.withTransaction { connection in
            let template = try await OwnerStore.Locked.template(key, for: identity, to: .allowTraining, connection)
            try await OwnerStore.set(consent, of: template.id, connection)
        }
    }
}

extension OwnerStore {
    fileprivate static func trainingConsent(
        _ template: TemplateID, _ database: some PostgresExecutor
    ) async throws -> TrainingConsent {
        TrainingConsent(
            isGiven: try await database.scalar(
                "SELECT is_training_allowed FROM templates WHERE id = \(template)", as: Bool.self))
    }

    fileprivate static func set(
        _ consent: TrainingConsent, of template: TemplateID, _ connection: PostgresConnection
    ) async throws {
        try await connection.execute(
            "UPDATE templates SET is_training_allowed = \(consent.isGiven) WHERE id = \(template)")
    }
}
