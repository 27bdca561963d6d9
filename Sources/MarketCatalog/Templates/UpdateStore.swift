// SPDX-License-Identifier: Apache-2.0
import MarketWire
import Postgres
import SheetCore

enum UpdateStore {
    /// What is to be known of each installed template, in the order of `installed`; one statement for all.
    static func entries(
        _ installed: [UpdateQuery.Installed], channel: ReleaseChannel, _ database: some PostgresExecutor
    ) async throws -> [UpdateReport.Entry] {
        let offered: PostgresQuery =
            switch channel {
            case .stable: "t.latest_version_id"
            case .beta: "coalesce(t.newest_version_id, t.latest_version_id)"
            }
        let rows = try await database.all(
            """
            SELECT v.state, v.artifact_sha256, v.state_reason, offered.number, offered.minimum_client_version,
                CASE WHEN v.id IS NOT NULL OR offered.id IS NOT NULL THEN t.slug END,
                t.deprecation_message, t.deprecated_at, n.id, n.slug, n.name, v.takedown_code
            FROM unnest(\(installed.map(\.templateId)), \(installed.map(\.version))::text[])
                WITH ORDINALITY AS i (template_id, number, place)
            LEFT JOIN versions AS v ON v.template_id = i.template_id AND v.number = i.number
            LEFT JOIN templates AS t ON t.id = i.template_id
            LEFT JOIN versions AS offered ON offered.id = \(fragment: offered)
            LEFT JOIN templates AS n ON n.id = t.successor_id
            ORDER BY i.place
            """
        ) { row in
            (
                state: try row.get(0, as: VersionState?.self), hash: try row.get(1, as: ContentHash?.self),
                reason: try row.get(2, as: String?.self), offered: try row.get(3, as: SemanticVersion?.self),
                minimum: try row.get(4, as: SemanticVersion?.self), slug: try row.get(5, as: String?.self),
                deprecation: try Deprecation(row, at: 6), code: try row.get(11, as: String?.self)
            )
        }
        return zip(installed, rows).map { installed, row in
            let newer = row.offered.flatMap { $0 > installed.version ? $0 : nil }
            return UpdateReport.Entry(
                templateId: installed.templateId, state: row.state, genuine: row.hash == installed.sha256,
                newer: newer, reason: row.state == .published ? nil : row.reason,
                minimumClientVersion: newer == nil ? nil : row.minimum, slug: row.slug, deprecation: row.deprecation,
                reasonCode: row.state == .takenDown ? row.code : nil)
        }
    }
}
