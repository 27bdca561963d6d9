// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketAccounts
import MarketPlatform
import MarketWire
import NIOCore
import Postgres
import SheetCore

/// All that the market knows of a person, as one JSON document that is written while it is read: some rows at a time,
/// holding no connection while the other side takes its time.
package struct PersonalExport: Sendable {
    /// Names the shape of the document.
    package static let format = "sheetmarket.export.1"
    /// Rows that are read at once.
    private static let batch = 200

    private let platform: Platform
    private let user: UserID

    package init(platform: Platform, user: UserID) {
        self.platform = platform
        self.user = user
    }

    /// The export of the account `handle`, with an entry in the audit log that it was made; throws
    /// `AccountError.noSuchUser`. For operators.
    package static func of(handle: String, in platform: Platform) async throws -> PersonalExport {
        guard let user = try await AccountStore.user(handle: handle, in: platform.database) else {
            throw AccountError.noSuchUser(handle)
        }
        let now = platform.now()
        try await platform.database.withTransaction { connection in
            try await AuditLog.append(
                connection, actor: .operatorCommand, action: "user.exported", subject: "user:\(user.id)", at: now)
        }
        return PersonalExport(platform: platform, user: user.id)
    }

    /// Writes the document as text.
    package func writeText(to write: (String) async throws -> Void) async throws {
        try await self.write { try await write(String(buffer: $0)) }
    }

    /// Writes the document.
    package func write(to write: (ByteBuffer) async throws -> Void) async throws {
        let account = try await platform.database.one(
            """
            SELECT (to_jsonb(u) - '{password_hash}'::text[] || jsonb_build_object('has_password', password_hash IS NOT NULL))::text
            FROM users AS u WHERE u.id = \(user)
            """
        ) { try $0.get(0, as: String.self) }
        let time = platform.now().formatted(.iso8601)
        try await write(
            ByteBuffer(string: "{\"format\":\"\(Self.format)\",\"exportedAt\":\"\(time)\",\"account\":\(account)"))
        for section in Self.sections(of: user) {
            try await write(ByteBuffer(string: ",\n\"\(section.name)\":["))
            try await items(of: section, write)
            try await write(ByteBuffer(string: "]"))
        }
        if let picture = try await picture() {
            try await write(ByteBuffer(string: ",\n\"profilePicture\":\(picture)"))
        }
        try await write(ByteBuffer(string: ",\n\"records\":{"))
        try await records(write)
        try await write(ByteBuffer(string: "}}\n"))
    }

    /// The person's picture with its bytes, as JSON.
    private func picture() async throws -> String? {
        guard let hash = try await ProfilePictureStore.own(user, platform.database)?.large,
            try await platform.storage.size(of: hash) != nil
        else { return nil }
        var bytes = Data()
        for try await piece in try await platform.storage.read(hash, range: nil) {
            bytes.append(contentsOf: piece.readableBytesView)
        }
        let text = bytes.base64EncodedString()
        return "{\"mediaType\":\"image/webp\",\"sha256\":\"\(hash.hex)\",\"base64\":\"\(text)\"}"
    }

    private func items(of section: Section, _ write: (ByteBuffer) async throws -> Void) async throws {
        var last = ""
        var isFirst = true
        while true {
            let rows = try await platform.database.all(
                """
                SELECT place, item::text FROM (\(fragment: section.query)) AS found (place, item)
                WHERE place > \(last) COLLATE "C" ORDER BY place COLLATE "C" LIMIT \(literal: Self.batch)
                """
            ) { (place: try $0.get(0, as: String.self), item: try $0.get(1, as: String.self)) }
            for row in rows {
                try await write(ByteBuffer(string: (isFirst ? "\n" : ",\n") + row.item))
                isFirst = false
            }
            guard rows.count == Self.batch, let end = rows.last else { return }
            last = end.place
        }
    }

    /// Every row of every table that refers to the person, by table: what is added to the market later is in it, too.
    private func records(_ write: (ByteBuffer) async throws -> Void) async throws {
        let tables = try await platform.database.all(
            "SELECT DISTINCT table_name::text FROM personal_data_columns ORDER BY 1"
        ) { try $0.get(0, as: String.self) }
        for (index, table) in tables.enumerated() {
            try await write(ByteBuffer(string: "\(index == 0 ? "" : ",")\n\"\(table)\":["))
            try await items(
                of: Section(
                    name: table,
                    query: """
                        SELECT md5(item::text) || lpad(row_number() OVER (PARTITION BY item ORDER BY item)::text, 9, '0'), item
                        FROM person_rows(\(user), \(table)) AS item
                        """), write)
            try await write(ByteBuffer(string: "]"))
        }
    }

    // MARK: - Rows that refer to the person only through others

    private struct Section {
        let name: String
        /// Rows of a text to sort by, no two alike, and a JSON object.
        let query: PostgresQuery
    }

    private static func sections(of user: UserID) -> [Section] {
        [
            Section(
                name: "reviewHistory",
                query: """
                    SELECT h.review_id::text || lpad(h.revision::text, 9, '0'), to_jsonb(h)
                    FROM review_revisions AS h JOIN reviews AS r ON r.id = h.review_id WHERE r.user_id = \(user)
                    """),
            Section(
                name: "decisionsOnUploads",
                query: """
                    SELECT d.id::text, jsonb_build_object('submission_id', s.id, 'decision', d.decision,
                        'reason_code', d.reason_code, 'message', d.message, 'decided_at', d.decided_at)
                    FROM decisions AS d JOIN cases AS c ON c.id = d.case_id
                    JOIN submissions AS s ON s.id = c.submission_id WHERE s.uploader_id = \(user)
                    """),
            Section(
                name: "collectionItems",
                query: """
                    SELECT i.collection_id::text || i.template_id::text, to_jsonb(i) FROM member_collection_items AS i
                    JOIN member_collections AS c ON c.id = i.collection_id WHERE c.owner_id = \(user)
                    """),
            Section(
                name: "versions",
                query: """
                    SELECT v.id::text, jsonb_build_object('template_id', v.template_id, 'number', v.number, 'state', v.state,
                        'file_name', v.file_name, 'size_bytes', v.size_bytes, 'changelog', v.changelog,
                        'sha256', encode(v.artifact_sha256, 'hex'), 'published_at', v.published_at)
                    FROM versions AS v JOIN submissions AS s ON s.id = v.submission_id WHERE s.uploader_id = \(user)
                    """),
            Section(
                name: "auditEntries",
                query: """
                    SELECT lpad(a.sequence::text, 19, '0'), jsonb_build_object('sequence', a.sequence, 'at', a.at,
                        'action', a.action, 'subject', a.subject, 'details', a.details)
                    FROM audit_entries AS a WHERE a.actor_id = \(user) OR a.subject = \("user:\(user)")
                    """),
        ]
    }
}
