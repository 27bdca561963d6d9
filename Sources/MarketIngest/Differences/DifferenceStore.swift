// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketCatalog
import MarketPlatform
import MarketWire
import Moderation
import Postgres
import SheetCore
import TemplateIngest

/// A page as pictures of differences are made of it.
package struct DifferencePage: Sendable {
    package var width: Double
    package var height: Double
    package var layout: PageLayout
    /// The largest picture that its inspection made.
    package var picture: ContentHash?
    private let compared: ComparedPage

    fileprivate init(_ row: PostgresRow) throws {
        let regions = try row.get("regions", as: PostgresJSON<[ZoomRegion]>.self).value
        width = max(try row.get("width"), 1)
        height = max(try row.get("height"), 1)
        layout = try row.get("layout", as: PostgresJSON<PageLayout>?.self)?.value ?? PageLayout()
        picture = try row.get("sha256")
        compared = ComparedPage(
            index: try row.get("page_index"), width: width, height: height, look: nil, layout: layout, regions: regions)
    }

    /// Where a place of this page lies on a newer one.
    package func transform(to other: DifferencePage) -> PageTransform {
        PageAlignment.transform(from: compared, to: other.compared)
    }
}

/// SQL of pictures of what differs between pages.
package enum DifferenceStore {
    /// The pages of a submission, by index.
    package static func pages(of id: SubmissionID, in database: some PostgresExecutor) async throws -> [Int:
        DifferencePage]
    {
        let rows = try await database.all(
            """
            SELECT p.page_index, p.width, p.height, p.regions, l.layout, r.sha256
            FROM submission_pages AS p
            LEFT JOIN page_layouts AS l ON l.submission_id = p.submission_id AND l.page_index = p.page_index
            LEFT JOIN LATERAL (
                SELECT sha256 FROM previews WHERE submission_id = p.submission_id AND page_index = p.page_index
                    AND width <= \(literal: InspectionPictures.largestWidth)
                ORDER BY width DESC LIMIT 1
            ) AS r ON true
            WHERE p.submission_id = \(id)
            """
        ) { row in (try row.get("page_index", as: Int.self), try DifferencePage(row)) }
        return Dictionary(rows, uniquingKeysWith: { first, _ in first })
    }

    /// What a submission is to be compared with.
    package struct Task: Sendable {
        package var template: TemplateID
        package var changes: VersionChanges?
        package var similarities: [RiskFacts.Similarity]

        package init(template: TemplateID, changes: VersionChanges? = nil, similarities: [RiskFacts.Similarity]) {
            self.template = template
            self.changes = changes
            self.similarities = similarities
        }
    }

    /// `nil` when there is no such submission.
    package static func task(_ id: SubmissionID, in database: some PostgresExecutor) async throws -> Task? {
        try await database.first(
            """
            SELECT s.template_id, s.changes, r.facts FROM submissions AS s
            LEFT JOIN risk_assessments AS r ON r.submission_id = s.id AND NOT r.is_shadow
            WHERE s.id = \(id)
            """
        ) { row in
            Task(
                template: try row.get("template_id"),
                changes: try row.get("changes", as: PostgresJSON<VersionChanges>?.self)?.value,
                similarities: try row.get("facts", as: PostgresJSON<RiskFacts>?.self)?.value.similarities ?? [])
        }
    }

    /// Enters pictures that lie in storage in the place of earlier ones, and that there are no more to come.
    package static func replace(
        _ pictures: [RenderedDifference], of id: SubmissionID, at now: Date, in connection: some PostgresExecutor
    ) async throws {
        try await connection.execute("DELETE FROM page_differences WHERE submission_id = \(id)")
        for drawn in pictures {
            try await ArtifactStore.insert(drawn.object, mediaType: "image/webp", in: connection)
            try await connection.execute(
                """
                INSERT INTO page_differences
                    (submission_id, page_index, other_submission_id, other_page_index, width, height, sha256)
                VALUES (\(id), \(drawn.pair.page.map { Int32(clamping: $0) }), \(drawn.pair.other),
                    \(drawn.pair.otherPage.map { Int32(clamping: $0) }), \(Int32(clamping: drawn.width)),
                    \(Int32(clamping: drawn.height)), \(drawn.object.hash))
                """)
        }
        try await connection.execute("UPDATE submissions SET differences_drawn_at = \(now) WHERE id = \(id)")
    }

    /// All pictures of a submission; `nil` while they are to be drawn.
    package static func pictures(of id: SubmissionID, in database: some PostgresExecutor) async throws
        -> RenderedDifferences?
    {
        let isDrawn = try await database.first(
            "SELECT differences_drawn_at IS NOT NULL AS is_drawn FROM submissions WHERE id = \(id)"
        ) { try $0.get("is_drawn", as: Bool.self) }
        guard isDrawn == true else { return nil }
        let entries = try await database.all(
            """
            SELECT d.page_index, d.other_submission_id, d.other_page_index, d.width, d.height, d.sha256,
                v.template_id, v.number
            FROM page_differences AS d LEFT JOIN versions AS v ON v.submission_id = d.other_submission_id
            WHERE d.submission_id = \(id)
            ORDER BY d.page_index NULLS LAST, d.other_page_index, d.other_submission_id
            """
        ) { row in
            RenderedDifferences.Entry(
                pair: PagePair(
                    page: try row.get("page_index", as: Int?.self), other: try row.get("other_submission_id"),
                    otherPage: try row.get("other_page_index", as: Int?.self)),
                template: try row.get("template_id"), version: try row.get("number"), width: try row.get("width"),
                height: try row.get("height"), hash: try row.get("sha256"))
        }
        return RenderedDifferences(entries: entries)
    }
}

/// Two pages that are laid over each other, or one that has no fellow.
package struct PagePair: Hashable, Sendable {
    /// Of the submission.
    package var page: Int?
    /// Whose page it is compared with.
    package var other: SubmissionID
    /// Of the other submission.
    package var otherPage: Int?

    package init(page: Int? = nil, other: SubmissionID, otherPage: Int? = nil) {
        self.page = page
        self.other = other
        self.otherPage = otherPage
    }
}

/// A picture of a difference that lies in storage.
package struct RenderedDifference: Sendable {
    package var pair: PagePair
    package var width: Int
    package var height: Int
    package var object: StoredObject
}

/// The pictures of a submission.
package struct RenderedDifferences: Sendable {
    package struct Entry: Sendable {
        package var pair: PagePair
        package var template: TemplateID?
        package var version: SemanticVersion?
        package var width: Int
        package var height: Int
        package var hash: ContentHash

        package init(
            pair: PagePair, template: TemplateID? = nil, version: SemanticVersion? = nil, width: Int, height: Int,
            hash: ContentHash
        ) {
            self.pair = pair
            self.template = template
            self.version = version
            self.width = width
            self.height = height
            self.hash = hash
        }

        package func wire(under id: CaseID) -> DifferencePicture {
            DifferencePicture(
                url: Paths.difference(id.description, sha256: hash.hex), width: width, height: height, sha256: hash)
        }
    }

    package var entries: [Entry]

    /// Of the pages of both versions, in the newer one's order; pages that are gone at the end.
    package func list(beside other: SubmissionID, under id: CaseID) -> [CaseComparison.Picture] {
        entries.filter { $0.pair.other == other }.map {
            CaseComparison.Picture(from: $0.pair.otherPage, to: $0.pair.page, picture: $0.wire(under: id))
        }
    }

    /// Of two pages that look alike.
    package func picture(of pair: CaseRisk.PagePair, under id: CaseID) -> DifferencePicture? {
        entries.first {
            $0.template == pair.otherTemplateId && $0.version == pair.otherVersion && $0.pair.page == pair.page
                && $0.pair.otherPage == pair.otherPage
        }?.wire(under: id)
    }
}
