// SPDX-License-Identifier: Apache-2.0
import IngestWire
import MarketPlatform
import Postgres
import SheetCore

// Zoom regions that somebody drew once stand in the place of detected ones wherever their page comes again: what the
// author or a moderator corrected in the version on offer, else what a preset has for the layout.

extension InspectionOutcome {
    /// Gives pages that look as they did in the version on offer the regions that somebody corrected there. Corrections
    /// that came with the file are newer.
    mutating func applyCorrections(of template: TemplateID, in database: some PostgresExecutor) async throws {
        guard !report.pages.isEmpty else { return }
        keep(try await PageSimilarityStore.correctedPages(of: template, in: database))
    }

    package mutating func keep(_ corrected: [PageSimilarityStore.CorrectedPage]) {
        guard !corrected.isEmpty else { return }
        var known: [Int: [ZoomRegion]] = [:]
        for page in report.pages where !page.regions.contains(where: { $0.source == .corrected }) {
            known[page.index] = regions(of: page, in: corrected)
        }
        guard !known.isEmpty else { return }
        place(known)
        report.findings.append(
            Finding(
                .correctionKept, .info,
                message: "Corrected zoom regions were kept for pages that look the same as before: "
                    + Self.listed(known.keys) + "."))
    }

    /// The regions of the corrected page that is most like `page`, and nearest to it in the file.
    private func regions(
        of page: ReaderReport.Page, in corrected: [PageSimilarityStore.CorrectedPage]
    ) -> [ZoomRegion]? {
        let narrowest = pictures.filter { $0.page == page.index }.min { $0.width < $1.width }?.object.hash
        let same = corrected.compactMap { candidate -> (distance: Int, shift: Int, regions: [ZoomRegion])? in
            let shift = abs(candidate.index - page.index)
            if let narrowest, candidate.picture == narrowest { return (-1, shift, candidate.regions) }
            guard let mine = page.signature, let theirs = candidate.signature, mine.isSamePage(as: theirs) else {
                return nil
            }
            return (mine.distance(to: theirs), shift, candidate.regions)
        }
        return same.min { ($0.distance, $0.shift) < ($1.distance, $1.shift) }?.regions
    }

    /// Gives pages of known layouts the regions of their presets: the operator's first, then the published ones. Pages
    /// whose regions came with the file keep these.
    mutating func applyPresets(_ folder: PresetFolder, in database: some PostgresExecutor) async throws {
        guard !isRefused else { return }
        let pages = report.pages.filter { page in page.regions.allSatisfy { $0.source == .detected } }.compactMap {
            page in page.signature.map { (index: page.index, signature: $0) }
        }
        guard !pages.isEmpty else { return }
        var matches = folder.matches(for: pages)
        let open = pages.filter { page in !matches.contains { $0.page == page.index } }
        matches += try await PageSimilarityStore.presets(for: open, in: database)
        use(matches)
    }

    package mutating func use(_ matches: [PresetMatch]) {
        guard !matches.isEmpty else { return }
        place(Dictionary(matches.map { ($0.page, $0.regions) }, uniquingKeysWith: { first, _ in first }))
        let byPreset = Dictionary(grouping: matches) { match in
            "'\(PlainText.cleaned(match.presetName, most: 120))' "
                + PlainText.cleaned(match.presetVersion, most: RegionPreset.maximumVersionLength)
        }
        for (preset, matches) in byPreset.sorted(by: { $0.key < $1.key }) {
            report.findings.append(
                Finding(
                    .presetUsed, .info,
                    message: "Zoom regions were taken from the preset \(preset) for pages that look like its own: "
                        + Self.listed(matches.map(\.page)) + "."))
        }
    }

    /// Puts known regions in the place of a page's own. Ids are a version's: where two regions have one, that of the
    /// correction stays as it is, then that of the preset.
    private mutating func place(_ known: [Int: [ZoomRegion]]) {
        for place in report.pages.indices {
            report.pages[place].regions = known[report.pages[place].index] ?? report.pages[place].regions
        }
        var ids: Set<String> = []
        for source in [ZoomRegion.Source.corrected, .preset, .detected] {
            for place in report.pages.indices {
                let page = report.pages[place]
                for (number, region) in page.regions.enumerated() where region.source == source {
                    report.pages[place].regions[number] = region.placed(on: page.index, &ids)
                }
            }
        }
    }

    /// Page numbers for people.
    private static func listed(_ pages: some Sequence<Int>) -> String {
        let sorted = pages.sorted()
        let rest = sorted.count > 20 ? " and \(sorted.count - 20) more" : ""
        return sorted.prefix(20).map { "\($0 + 1)" }.joined(separator: ", ") + rest
    }
}

extension ZoomRegion {
    /// The same on page `index`, with a number behind its id where another region has that.
    fileprivate func placed(on index: Int, _ ids: inout Set<String>) -> ZoomRegion {
        var fresh = id
        var number = 2
        while !ids.insert(fresh).inserted {
            let tail = "-\(number)"
            var stem = id.prefix(Slug.maximumLength - tail.utf8.count)
            while stem.hasSuffix("-") { stem.removeLast() }
            fresh = stem + tail
            number += 1
        }
        return ZoomRegion(
            id: fresh, name: name, rect: rect, scale: scale, pageIndex: index, confidence: confidence, source: source,
            kind: kind)
    }
}
