// SPDX-License-Identifier: Apache-2.0
import MarketWire
import Postgres
import SheetCore

/// SQL of `POST /updates`.
enum UpdateStore {
    /// What is to be known of each installed template, in the order of `installed`; one statement for all.
    static func entries(
        _ installed: [UpdateQuery.Installed], _ database: some PostgresExecutor
    ) async throws -> [UpdateReport.Entry] {
        let rows = try await database.all(
            """
            SELECT v.state, v.artifact_sha256, v.state_reason, offered.number
            FROM unnest(\(installed.map(\.templateId)), \(installed.map(\.version))::text[])
                WITH ORDINALITY AS i (template_id, number, place)
            LEFT JOIN versions AS v ON v.template_id = i.template_id AND v.number = i.number
            LEFT JOIN templates AS t ON t.id = i.template_id
            LEFT JOIN versions AS offered ON offered.id = t.latest_version_id
            ORDER BY i.place
            """
        ) { row in
            (
                state: try row.get(0, as: VersionState?.self), hash: try row.get(1, as: ContentHash?.self),
                reason: try row.get(2, as: String?.self), offered: try row.get(3, as: SemanticVersion?.self)
            )
        }
        return zip(installed, rows).map { installed, row in
            UpdateReport.Entry(
                templateId: installed.templateId, state: row.state, genuine: row.hash == installed.sha256,
                newer: row.offered.flatMap { $0 > installed.version ? $0 : nil },
                reason: row.state == .published ? nil : row.reason)
        }
    }
}
