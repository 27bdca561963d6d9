// SPDX-License-Identifier: Apache-2.0
import MarketCatalog
import MarketHTTP
import MarketPlatform
import MarketWire
import Postgres
import SheetCore

/// Makes a region preset of a version whose zoom regions somebody corrected, so that others need not.
package struct PresetExport: Sendable {
    private let database: PostgresClient

    /// Why there is no preset; a sentence for the operator.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String

        package init(description: String) {
            self.description = description
        }
    }

    package init(platform: Platform) {
        database = platform.database
    }

    /// The preset of a version: `latest` or a number. Pages that nobody corrected are left out unless `detected`.
    package func preset(of template: String, version: String = "latest", detected: Bool = false) async throws
        -> RegionPreset
    {
        let (key, number): (TemplateKey, VersionKey)
        do throws(CatalogError) {
            (key, number) = (try TemplateKey(template), try VersionKey(version))
        } catch {
            throw Failure(description: "'\(template)' \(version) names no version of a template.")
        }
        let found = try await database.all(
            """
            SELECT t.slug, t.name, v.number, p.page_index, p.width, p.height, p.perceptual_hash, p.text_hash, p.regions
            FROM templates AS t
            JOIN versions AS v ON \(fragment: number.condition)
            JOIN submission_pages AS p ON p.submission_id = v.submission_id
            WHERE \(fragment: key.condition) AND v.state <> 'taken_down'
            ORDER BY p.page_index
            """
        ) { row in
            FoundPage(
                slug: try row.get("slug"), name: try row.get("name"), version: try row.get("number"),
                index: try row.get("page_index"), signature: try PageSimilarityStore.signature(row),
                regions: try row.get("regions", as: PostgresJSON<[ZoomRegion]>.self).value)
        }
        guard let first = found.first else {
            throw Failure(description: "There is no version '\(version)' of '\(template)' with pages.")
        }
        let pages = found.filter { page in
            !page.regions.isEmpty && (detected || page.regions.contains { $0.source != .detected })
        }
        guard !pages.isEmpty else {
            throw Failure(
                description: "Nobody corrected the zoom regions of \(first.slug) \(first.version): correct them first, "
                    + "or say --detected to take them as they were found.")
        }
        let known = pages.compactMap { page in
            page.signature.flatMap { $0.isEmpty ? nil : RegionPreset.Page(pageIndex: page.index, $0) }
        }
        guard known.count == pages.count else {
            throw Failure(
                description: "Pages of \(first.slug) \(first.version) have no fingerprint: run `sheetmarket admin "
                    + "fingerprints` first. Empty pages and those after the 60th never have one.")
        }
        let preset = RegionPreset(
            templateID: first.slug, name: first.name, version: first.version.description,
            regions: pages.flatMap { page in page.regions.map(\.asPreset) }, pages: known)
        try preset.check()
        return preset
    }

    private struct FoundPage: Sendable {
        var slug: String
        var name: String
        var version: SemanticVersion
        var index: Int
        var signature: PageSignature?
        var regions: [ZoomRegion]
    }
}

extension ZoomRegion {
    /// The same, as it stands in a preset.
    var asPreset: ZoomRegion {
        ZoomRegion(
            id: id, name: name, rect: rect, scale: scale, pageIndex: pageIndex, confidence: 1, source: .preset,
            kind: kind)
    }
}
