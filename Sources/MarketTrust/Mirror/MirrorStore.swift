// SPDX-License-Identifier: Apache-2.0
import MarketWire
import Postgres
import SheetCore

/// SQL of what a mirror has of templates besides their details.
enum MirrorStore {
    /// Width of the pictures in a mirror, or of those that are nearest to it.
    private static let pictureWidth = 1200

    /// Regions, outlines and pictures of all versions that can be had.
    static func extras(of templates: [TemplateID], _ database: some PostgresExecutor) async throws
        -> [TemplateID: [MirrorEntry.Extras]]
    {
        let rows = try await database.all(
            """
            SELECT v.template_id, v.number, s.outline, p.page_index, p.regions, (
                SELECT r.sha256 FROM previews AS r
                WHERE r.submission_id = v.submission_id AND r.page_index = p.page_index
                ORDER BY r.width >= \(literal: pictureWidth) DESC, abs(r.width - \(literal: pictureWidth))
                LIMIT 1)
            FROM versions AS v
            JOIN submissions AS s ON s.id = v.submission_id
            LEFT JOIN submission_pages AS p ON p.submission_id = v.submission_id
            WHERE v.template_id = ANY (\(templates)::uuid[]) AND v.state <> 'taken_down'
            ORDER BY v.template_id, v.id, p.page_index
            """
        ) { row in
            (
                template: try row.get(0, as: TemplateID.self), version: try row.get(1, as: SemanticVersion.self),
                outline: try row.get(2, as: PostgresJSON<ContentOutline>?.self)?.value,
                page: try row.get(3, as: Int?.self),
                regions: try row.get(4, as: PostgresJSON<[ZoomRegion]>?.self)?.value ?? [],
                picture: try row.get(5, as: ContentHash?.self)
            )
        }
        var all: [TemplateID: [MirrorEntry.Extras]] = [:]
        for row in rows {
            var own = all[row.template] ?? []
            if own.last?.version != row.version {
                own.append(MirrorEntry.Extras(version: row.version, outline: row.outline))
            }
            if let page = row.page {
                own[own.count - 1].regions.append(RegionList.Page(index: page, regions: row.regions))
                if let picture = row.picture {
                    own[own.count - 1].pictures.append(MirrorEntry.Picture(page: page, sha256: picture))
                }
            }
            all[row.template] = own
        }
        return all
    }

    /// Versions that were withdrawn or taken down.
    static func withdrawn(of templates: [TemplateID], _ database: some PostgresExecutor) async throws
        -> [TemplateID: [MirrorEntry.Withdrawn]]
    {
        let rows = try await database.all(
            """
            SELECT v.template_id, v.number, v.state, v.artifact_sha256, v.state_reason, v.takedown_code
            FROM versions AS v
            WHERE v.template_id = ANY (\(templates)::uuid[]) AND v.state <> 'published'
            ORDER BY v.id
            """
        ) { row in
            let state: VersionState = try row.get(2)
            return (
                template: try row.get(0, as: TemplateID.self),
                version: MirrorEntry.Withdrawn(
                    version: try row.get(1), state: state, sha256: try row.get(3), reason: try row.get(4),
                    reasonCode: state == .takenDown ? try row.get(5) : nil)
            )
        }
        return Dictionary(grouping: rows, by: \.template).mapValues { $0.map(\.version) }
    }
}
