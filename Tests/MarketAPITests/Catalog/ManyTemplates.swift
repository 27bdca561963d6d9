// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketPages
import MarketPlatform
import Postgres
import SheetCore

@testable import MarketCatalog
@testable import MarketSearch

/// An entry with its ids.
private struct ManyRow: Codable, Sendable {
    var id: TemplateID
    var submission: SubmissionID
    var version: VersionID
    var number: Int
    var entry: CatalogScene.Entry
}

extension CatalogScene {
    /// A template of a made-up catalog; only what matters for searching.
    struct Entry: Codable, Sendable {
        var name: String
        var system: String
        var author = "nadia"
        var summary = "A sheet."
        var tags: [String] = []
        var language = "en"
        var downloads = 0
        var text = ""
        var regions: [String] = []

        init(_ name: String, _ system: String = "dnd5e", downloads: Int = 0, tags: [String] = []) {
            self.name = name
            self.system = system
            self.downloads = downloads
            self.tags = tags
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            func value<T: Decodable>(_ key: CodingKeys, _ usual: T) throws -> T {
                try container.decodeIfPresent(T.self, forKey: key) ?? usual
            }
            name = try container.decode(String.self, forKey: .name)
            system = try container.decode(String.self, forKey: .system)
            author = try value(.author, "nadia")
            summary = try value(.summary, "A sheet.")
            tags = try value(.tags, [])
            language = try value(.language, "en")
            downloads = try value(.downloads, 0)
            text = try value(.text, "")
            regions = try value(.regions, [])
        }
    }

    /// Enters many templates at once, the first the oldest, each with a published version of one page.
    func add(_ entries: [Entry]) async throws {
        let begin = Date(timeIntervalSince1970: 1_700_000_000)
        let rows = entries.enumerated().map { index, entry in
            let date = begin.addingTimeInterval(Double(index) * 60)
            return ManyRow(id: .make(at: date), submission: .make(), version: .make(), number: index, entry: entry)
        }
        try await features.database.withTransaction { connection in
            try await connection.execute("SET LOCAL market.bulk = 'on'")
            try await connection.execute(
                "INSERT INTO artifacts (sha256, size_bytes, media_type) VALUES (sha256('many'), 1, 'application/pdf') ON CONFLICT DO NOTHING"
            )
            for start in stride(from: 0, to: rows.count, by: 2000) {
                try await insert(Array(rows[start..<min(start + 2000, rows.count)]), connection)
            }
            try await connection.execute("SET LOCAL market.bulk = 'off'")
        }
    }

    private func insert(_ rows: [ManyRow], _ connection: PostgresConnection) async throws {
        let json = PostgresJSON(rows)
        for statement: PostgresQuery in [
            """
            INSERT INTO templates (id, slug, owner_id, game_system, name, summary, tags, license, language, downloads,
                page_count, created_at, updated_at, published_at, latest_version_id)
            SELECT r.id, 'many-' || r.number, u.id, r.entry ->> 'system', r.entry ->> 'name', r.entry ->> 'summary',
                ARRAY(SELECT jsonb_array_elements_text(r.entry -> 'tags')), 'CC-BY-4.0', r.entry ->> 'language',
                (r.entry ->> 'downloads')::bigint, 1, at, at, at, r.version
            FROM jsonb_to_recordset(\(json)) AS r (id uuid, number integer, version uuid, entry jsonb)
            JOIN users AS u ON u.handle = r.entry ->> 'author'
            CROSS JOIN LATERAL (SELECT timestamptz '2023-11-14' + r.number * interval '1 minute' AS at) AS a
            """,
            """
            INSERT INTO submissions (id, template_id, uploader_id, version, metadata, artifact_sha256, file_name, size_bytes,
                state, page_count)
            SELECT r.submission, r.id, t.owner_id, '1.0.0', '{}', sha256('many'), 'sheet.pdf', 1, 'published', 1
            FROM jsonb_to_recordset(\(json)) AS r (id uuid, submission uuid) JOIN templates AS t ON t.id = r.id
            """,
            """
            INSERT INTO versions (id, template_id, submission_id, number, artifact_sha256, file_name, size_bytes, page_count)
            SELECT r.version, r.id, r.submission, '1.0.0', sha256('many'), 'sheet.pdf', 1, 1
            FROM jsonb_to_recordset(\(json)) AS r (id uuid, submission uuid, version uuid)
            """,
            """
            INSERT INTO submission_pages (submission_id, page_index, width, height, rotation, text_characters, form_fields,
                regions, page_text)
            SELECT r.submission, 0, 595, 842, 0, 100, 0,
                (SELECT coalesce(jsonb_agg(jsonb_build_object('name', name)), '[]')
                    FROM jsonb_array_elements_text(r.entry -> 'regions') AS name),
                r.entry ->> 'text'
            FROM jsonb_to_recordset(\(json)) AS r (submission uuid, entry jsonb)
            """,
        ] {
            try await connection.execute(statement)
        }
    }

    /// Makes the search index of what `add` entered.
    func index(popular: Int = SearchIndex.usualPopular) async throws {
        try await SearchIndex(database: features.database, popular: popular).rebuild()
        features.catalog.catalogChanged()
    }
}
