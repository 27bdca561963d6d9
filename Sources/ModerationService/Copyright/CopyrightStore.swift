// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketCatalog
import MarketWire
import Moderation
import Postgres
import SheetCore

package enum CopyrightStore {
    /// A notice with what the rules ask about it.
    package struct Record: Sendable {
        package var id: CopyrightNoticeID
        package var subject: CaseSubject
        package var template: TemplateID
        package var version: SemanticVersion?
        /// Whose work it is against.
        package var owner: UserID
        /// Who else has a part in it.
        var authors: [UserID]
        package var claimant: UserID?
        package var claim: CopyrightClaim
        var hasTakedown: Bool
        package var sanction: SanctionID?
        package var elements: CopyrightNoticeElements
        package var receivedAt: Date
        var changedAt: Date
        package var message: String?
        package var counter: CounterNoticeElements?
        /// What the template is called.
        package var sheet: String
        /// The language of the claimant's e-mails.
        package var language: String?

        package init(
            id: CopyrightNoticeID, subject: CaseSubject, template: TemplateID, version: SemanticVersion? = nil,
            owner: UserID, authors: [UserID] = [], claimant: UserID? = nil, claim: CopyrightClaim, hasTakedown: Bool,
            sanction: SanctionID? = nil, elements: CopyrightNoticeElements, receivedAt: Date, changedAt: Date,
            message: String? = nil, counter: CounterNoticeElements? = nil, sheet: String, language: String? = nil
        ) {
            self.id = id
            self.subject = subject
            self.template = template
            self.version = version
            self.owner = owner
            self.authors = authors
            self.claimant = claimant
            self.claim = claim
            self.hasTakedown = hasTakedown
            self.sanction = sanction
            self.elements = elements
            self.receivedAt = receivedAt
            self.changedAt = changedAt
            self.message = message
            self.counter = counter
            self.sheet = sheet
            self.language = language
        }
    }

    /// The template, or the version, that a notice names; `nil` when there is no such thing that was ever published.
    package static func subject(
        _ subject: ReportSubject, _ database: some PostgresExecutor
    ) async throws -> (template: TemplateID, version: SemanticVersion?)? {
        guard let found = try await ReportStore.subject(subject, database) else { return nil }
        switch found.ofCase {
        case .template(let template): return (template, nil)
        case .version(let template, let number): return (template, number)
        case .submission, .review, .user, .collection, .profile: return nil
        }
    }

    package static func insert(
        _ id: CopyrightNoticeID, on template: TemplateID, _ version: SemanticVersion?, by claimant: UserID?,
        _ elements: CopyrightNoticeElements, language: String?, at now: Date, _ database: some PostgresExecutor
    ) async throws {
        try await database.execute(
            """
            INSERT INTO copyright_notices (id, subject_kind, template_id, version, claimant_id, name, email, address, phone,
                work, explanation, signature, language, received_at, changed_at)
            VALUES (\(id), \(version == nil ? "template" : "version"), \(template), \(version), \(claimant),
                \(elements.name), \(elements.email), \(elements.address), \(elements.phone), \(elements.work),
                \(elements.explanation), \(elements.signature), \(language), \(now), \(now))
            """)
    }

    /// How many notices have come in under an address since a moment.
    package static func count(
        under email: String, since: Date, _ database: some PostgresExecutor
    ) async throws -> Int {
        try await database.scalar(
            """
            SELECT count(*) FROM copyright_notices WHERE lower(email) = lower(\(email)) AND received_at > \(since)
            """, as: Int.self)
    }

    package static func record(_ id: CopyrightNoticeID, _ database: some PostgresExecutor) async throws -> Record? {
        try await database.first(
            "SELECT \(fragment: columns) FROM \(fragment: tables) WHERE n.id = \(id)", Record.init)
    }

    /// A notice, locked until the transaction ends.
    package static func lock(_ id: CopyrightNoticeID, in connection: PostgresConnection) async throws -> Record? {
        try await connection.first(
            "SELECT \(fragment: columns) FROM \(fragment: tables) WHERE n.id = \(id) FOR UPDATE OF n", Record.init)
    }

    /// The notices that some of somebody's strikes are due to, where they still own the work and so may object.
    package static func notices(
        behind strikes: [SanctionID], on owner: UserID, _ database: some PostgresExecutor
    ) async throws -> [(SanctionID, CopyrightNoticeID)] {
        try await database.all(
            """
            SELECT n.sanction_id, n.id FROM copyright_notices AS n JOIN templates AS t ON t.id = n.template_id
            WHERE t.owner_id = \(owner) AND n.sanction_id = ANY(\(strikes)::uuid[])
            """
        ) { row in
            (try row.get(0, as: SanctionID.self), try row.get(1, as: CopyrightNoticeID.self))
        }
    }

    /// Notices in one state or in any, newest first.
    package static func records(
        state: CopyrightClaim.State?, before: (at: Date, id: CopyrightNoticeID)?, limit: Int,
        _ database: some PostgresExecutor
    ) async throws -> [Record] {
        let position: PostgresQuery = before.map { "AND (n.received_at, n.id) < (\($0.at), \($0.id))" } ?? ""
        return try await database.all(
            """
            SELECT \(fragment: columns) FROM \(fragment: tables)
            WHERE (\(state?.rawValue)::text IS NULL OR n.state = \(state?.rawValue)) \(fragment: position)
            ORDER BY n.received_at DESC, n.id DESC LIMIT \(limit)
            """, Record.init)
    }

    /// How many notices stand in each state.
    package static func counts(_ database: some PostgresExecutor) async throws -> [CopyrightClaim.State: Int] {
        let found = try await database.all("SELECT state, count(*) FROM copyright_notices GROUP BY state") { row in
            (try row.get(0, as: String.self), try row.get(1, as: Int.self))
        }
        return found.reduce(into: [:]) { counts, one in
            if let state = CopyrightClaim.State(rawValue: one.0) { counts[state] = one.1 }
        }
    }

    /// Countered notices whose works may be put back now.
    package static func due(at now: Date, _ database: some PostgresExecutor) async throws -> [CopyrightNoticeID] {
        try await database.all(
            """
            SELECT id FROM copyright_notices WHERE state = 'countered' AND restore_from <= \(now)
            ORDER BY restore_from LIMIT 100
            """
        ) { try $0.get(0) }
    }

    /// Stores what has changed in a notice.
    package static func update(_ record: Record, at now: Date, in connection: PostgresConnection) async throws {
        try await connection.execute(
            """
            UPDATE copyright_notices SET state = \(record.claim.state.rawValue), changed_at = \(now),
                message = \(record.message), has_takedown = \(record.hasTakedown), sanction_id = \(record.sanction),
                countered_at = \(record.claim.counteredAt), restore_from = \(record.claim.restoreFrom),
                restore_by = \(record.claim.restoreBy)
            WHERE id = \(record.id)
            """)
    }

    static func insertCounter(
        _ counter: CounterNoticeElements, on id: CopyrightNoticeID, by user: UserID, in connection: PostgresConnection
    ) async throws {
        try await connection.execute(
            """
            UPDATE copyright_notices SET counter_by = \(user), counter_name = \(counter.name),
                counter_address = \(counter.address), counter_phone = \(counter.phone),
                counter_explanation = \(counter.explanation), counter_signature = \(counter.signature)
            WHERE id = \(id)
            """)
    }

    private static let tables: PostgresQuery = "copyright_notices AS n JOIN templates AS t ON t.id = n.template_id"

    private static let columns: PostgresQuery = """
        n.id, n.template_id, n.version, n.claimant_id, n.name, n.email, n.address, n.phone, n.work, n.explanation,
        n.signature, n.state, n.received_at, n.changed_at, n.message, n.has_takedown, n.sanction_id, n.counter_name,
        n.counter_address, n.counter_phone, n.counter_explanation, n.counter_signature, n.countered_at, n.language,
        t.owner_id, t.name AS sheet,
        ARRAY(SELECT a.user_id FROM template_authors AS a WHERE a.template_id = t.id) AS authors
        """
}

extension CopyrightStore.Record {
    fileprivate init(_ row: PostgresRow) throws {
        id = try row.get("id")
        let template: TemplateID = try row.get("template_id")
        let version: SemanticVersion? = try row.get("version")
        self.template = template
        self.version = version
        if let version { subject = .version(template, version) } else { subject = .template(template) }
        owner = try row.get("owner_id")
        authors = try row.get("authors")
        claimant = try row.get("claimant_id")
        claim = CopyrightClaim(
            state: CopyrightClaim.State(rawValue: try row.get("state")) ?? .received,
            counteredAt: try row.get("countered_at"))
        hasTakedown = try row.get("has_takedown")
        sanction = try row.get("sanction_id")
        // Stored notices were complete when they were submitted.
        elements = CopyrightNoticeElements(
            name: try row.get("name"), email: try row.get("email"), address: try row.get("address"),
            phone: try row.get("phone"), work: try row.get("work"), explanation: try row.get("explanation"),
            inGoodFaith: true, underPenaltyOfPerjury: true, signature: try row.get("signature"))
        receivedAt = try row.get("received_at")
        changedAt = try row.get("changed_at")
        message = try row.get("message")
        sheet = try row.get("sheet")
        language = try row.get("language")
        if let name = try row.get("counter_name", as: String?.self) {
            counter = CounterNoticeElements(
                name: name, address: try row.get("counter_address"), phone: try row.get("counter_phone"),
                explanation: try row.get("counter_explanation"), underPenaltyOfPerjury: true,
                consentsToJurisdiction: true, signature: try row.get("counter_signature"))
        }
    }
}
