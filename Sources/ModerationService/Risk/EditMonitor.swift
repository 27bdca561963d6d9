// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketCatalog
import MarketPlatform
import MarketWire
import Moderation
import Postgres
import SheetCore

/// Looks at edits of published templates: they take effect at once, so what a moderator would have seen in an upload
/// must not come in afterwards. Where a rule objects to what is new, a case is opened on the template.
package struct EditMonitor: Sendable {
    package let moderation: RiskDependencies

    package init(moderation: RiskDependencies) {
        self.moderation = moderation
    }

    /// Assesses an edit by `author`, in its transaction.
    package func inspect(_ edit: TemplateEdit, by author: UserID, in connection: PostgresConnection) async throws {
        guard let rules = moderation.risk.rules else { return }
        let facts = try await facts(edit, by: author, in: connection)
        guard !facts.passages.isEmpty || !facts.names.isEmpty else { return }
        let assessment = rules.assess(facts)
        guard assessment.hasObjection else { return }
        let now = moderation.now()
        let id = try await CaseLifecycle.open(
            on: .template(edit.template), at: now, sla: moderation.limits.sla, in: connection)
        try await RiskStore.insertEdit(assessment, of: edit.template, case: id, at: now, in: connection)
    }

    /// Only what is new is checked. The author was checked with the upload.
    private func facts(
        _ edit: TemplateEdit, by author: UserID, in connection: PostgresConnection
    ) async throws -> RiskFacts {
        let (old, new) = (edit.before, edit.after)
        func changed(_ value: String, _ before: String?) -> String? { value == before ? nil : value }
        let metadata = UploadMetadata(
            name: changed(new.name, old.name), summary: changed(new.summary, old.summary),
            description: changed(new.description, old.description), tags: new.tags == old.tags ? nil : new.tags)
        var facts = RiskFacts()
        facts.isUpdate = true
        facts.author.accountDays = .greatestFiniteMagnitude
        facts.license = new.license
        facts.passages = RiskFactCollector.passages(metadata, fileName: "", name: nil)
        if let description = metadata.description {
            facts.links = RiskFacts.links(inMarkdown: description, place: .description)
        }
        if new.license != old.license {
            let texts = try await RiskStore.offeredTexts(of: edit.template, in: connection)
            facts.passages += RiskFactCollector.passages(texts.enumerated().map { ($0.offset, $0.element) })
        }
        if let name = metadata.name { facts.names.append(.init(.template, name)) }
        if let slug = edit.slug { facts.names.append(.init(.slug, slug.text)) }
        if !facts.names.isEmpty {
            let known = try await RiskStore.knownNames(besides: author, template: edit.template, in: connection)
            facts.compareNames(to: known.map { .init($0.kind, $0.text) })
        }
        return facts
    }
}

extension RiskStore {
    /// The texts of the pages of the version on offer.
    static func offeredTexts(of template: TemplateID, in database: some PostgresExecutor) async throws -> [String] {
        try await database.all(
            """
            SELECT p.page_text FROM templates AS t
            JOIN versions AS v ON v.id = t.latest_version_id
            JOIN submission_pages AS p ON p.submission_id = v.submission_id
            WHERE t.id = \(template) ORDER BY p.page_index
            """
        ) { try $0.get(0) }
    }

    static func insertEdit(
        _ assessment: RiskAssessment, of template: TemplateID, case id: CaseID, at now: Date,
        in connection: some PostgresExecutor
    ) async throws {
        try await connection.execute(
            """
            INSERT INTO edit_assessments (id, template_id, case_id, rules_version, score, hits, assessed_at)
            VALUES (\(UUID.version7(at: now)), \(template), \(id), \(assessment.rulesVersion), \(assessment.score),
                \(PostgresJSON(assessment.hits)), \(now))
            """)
        try await connection.execute(
            "UPDATE cases SET risk = greatest(risk, \(assessment.score)) WHERE id = \(id)")
    }

    /// What the rules said of the last edit that a case is about.
    static func edit(
        of id: CaseID, in database: some PostgresExecutor
    ) async throws -> (assessment: RiskAssessment, at: Date)? {
        try await database.first(
            """
            SELECT rules_version, score, hits, assessed_at FROM edit_assessments
            WHERE case_id = \(id) ORDER BY assessed_at DESC LIMIT 1
            """
        ) { row in
            var assessment = RiskAssessment(
                rulesVersion: try row.get("rules_version"),
                hits: try row.get("hits", as: PostgresJSON<[RiskHit]>.self).value)
            assessment.score = try row.get("score")
            return (assessment, try row.get("assessed_at"))
        }
    }
}
