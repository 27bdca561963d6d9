// SPDX-License-Identifier: Apache-2.0
import IngestWire
import MarketCatalog
import MarketPlatform
import MarketWire
import Postgres
import SheetCore
import TemplateIngest

// Zoom regions that somebody drew once stand in the place of detected ones wherever their page comes again: what the
// author or a moderator corrected in the version on offer, else what a preset has for the layout, else what was corrected
// in another sheet that looks the same.

extension InspectionOutcome {
    /// Gives the regions that somebody corrected in the version on offer to the pages that look as they did there, and
    /// to those that changed but on which the same things are still found. Corrections that came with the file are newer.
    mutating func applyCorrections(of template: TemplateID, in database: some PostgresExecutor) async throws {
        guard !report.pages.isEmpty else { return }
        let corrected = try await PageSimilarityStore.correctedPages(of: template, in: database)
        guard !corrected.isEmpty else { return }
        let offered = try await ComparisonStore.offered(by: template, on: .stable, in: database)
        let changes =
            offered.map { offered in
                VersionComparison(from: offered.pages, to: report.pages.map { ComparedPage($0) })
                    .changes(since: offered.version).pages
            } ?? []
        // What moved by little looks the same.
        keep(corrected, besides: Set(changes.filter { $0.ink == .shifted }.map(\.to)))
        move(corrected, along: changes)
    }

    /// Pages `besides` must look exactly the same.
    package mutating func keep(
        _ corrected: [PageSimilarityStore.CorrectedPage], besides shifted: Set<Int> = []
    ) {
        var known: [Int: [ZoomRegion]] = [:]
        let done = correctedPages
        for page in report.pages where !done.contains(page.index) {
            guard let same = nearest(to: page, in: corrected),
                same.distance <= 0 || !shifted.contains(page.index)
            else { continue }
            known[page.index] = same.regions
        }
        guard !known.isEmpty else { return }
        carryOver(known)
        report.findings.append(
            Finding(
                .correctionKept, .info,
                message: "Corrected zoom regions were kept for pages that look the same as before: "
                    + Self.listed(known.keys) + "."))
    }

    /// Takes corrections along to where what they are about has moved. Somebody has to look at these, and at pages of
    /// which nothing tells where it went.
    private mutating func move(_ corrected: [PageSimilarityStore.CorrectedPage], along changes: [PageChange]) {
        var moved: [Int: [ZoomRegion]] = [:]
        var lost: [Int] = []
        let done = correctedPages
        for page in report.pages where !done.contains(page.index) {
            guard let change = changes.first(where: { $0.to == page.index }),
                let before = corrected.first(where: { $0.index == change.from })
            else { continue }
            let regions = change.transform.map { transform in before.regions.compactMap { $0.moved(by: transform) } }
            if let regions, before.regions.isEmpty || !regions.isEmpty {
                moved[page.index] = regions
            } else {
                lost.append(page.index)
            }
        }
        if !moved.isEmpty {
            carryOver(moved)
            report.findings.append(
                Finding(
                    .correctionMoved, .info,
                    message: "Corrected zoom regions were moved to where their parts of the page are now. See whether "
                        + "they fit, on pages that changed: " + Self.listed(moved.keys) + "."))
        }
        guard !lost.isEmpty else { return }
        report.findings.append(
            Finding(
                .correctionLost, .info,
                message: "Corrected zoom regions of the version before found no place on pages that changed too much, "
                    + "which have those that the reader found. Correct them where they do not fit: "
                    + Self.listed(lost) + "."))
    }

    /// Puts what somebody made of pages in the version on offer in the place of what was found on them, which may be no
    /// region at all.
    private mutating func carryOver(_ known: [Int: [ZoomRegion]]) {
        place(known)
        emptied.formUnion(known.filter(\.value.isEmpty).keys)
    }

    /// The corrected page that is most like `page`, and nearest to it in the file.
    private func nearest(
        to page: ReaderReport.Page, in corrected: [PageSimilarityStore.CorrectedPage]
    ) -> (distance: Int, regions: [ZoomRegion])? {
        let narrowest = pictures.filter { $0.page == page.index }.min { $0.width < $1.width }?.object.hash
        let same = corrected.compactMap { candidate -> (distance: Int, shift: Int, regions: [ZoomRegion])? in
            let shift = abs(candidate.index - page.index)
            if let narrowest, candidate.picture == narrowest { return (-1, shift, candidate.regions) }
            guard let mine = page.signature, let theirs = candidate.signature, mine.isSamePage(as: theirs) else {
                return nil
            }
            return (mine.distance(to: theirs), shift, candidate.regions)
        }
        return same.min { ($0.distance, $0.shift) < ($1.distance, $1.shift) }.map { ($0.distance, $0.regions) }
    }

    /// Pages whose regions are the reader's alone, with what they look like.
    private var openPages: [(index: Int, signature: PageSignature)] {
        report.pages.filter { page in
            !emptied.contains(page.index) && page.regions.allSatisfy { $0.source == .detected }
        }.compactMap { page in
            page.signature.map { (index: page.index, signature: $0) }
        }
    }

    /// Gives pages of known layouts the regions of their presets: the operator's first, then the published ones. Pages
    /// whose regions came with the file keep these.
    mutating func applyPresets(
        _ folder: PresetFolder, to template: TemplateID, in database: some PostgresExecutor
    ) async throws {
        guard !isRefused else { return }
        let pages = openPages
        guard !pages.isEmpty else { return }
        var matches = folder.matches(for: pages)
        let open = pages.filter { page in !matches.contains { $0.page == page.index } }
        matches += try await PageSimilarityStore.presets(for: open, of: template, in: database)
        use(matches)
    }

    package mutating func use(_ matches: [PresetMatch]) {
        take(matches, .presetUsed) { preset in
            "Zoom regions were taken from the preset \(preset) for pages that look like its own: "
        }
    }

    /// Gives pages that nobody corrected and that no preset knows what somebody corrected in another sheet on offer that
    /// looks the same.
    mutating func applyOtherCorrections(
        besides template: TemplateID, in database: some PostgresExecutor
    ) async throws {
        guard !isRefused else { return }
        let matches = try await PageSimilarityStore.otherCorrections(
            for: openPages, of: template, in: database)
        take(matches, .correctionShared) { sheet in
            "Zoom regions were taken from \(sheet), where somebody corrected them, for pages that look the same: "
        }
    }

    /// Places what was found elsewhere; a finding for each of these says for which pages.
    private mutating func take(_ matches: [PresetMatch], _ code: FindingCode, _ words: (String) -> String) {
        guard !matches.isEmpty else { return }
        place(Dictionary(matches.map { ($0.page, $0.regions) }, uniquingKeysWith: { first, _ in first }))
        for (source, matches) in Dictionary(grouping: matches, by: \.source).sorted(by: { $0.key < $1.key }) {
            report.findings.append(
                Finding(code, .info, message: words(source) + Self.listed(matches.map(\.page)) + "."))
        }
    }

    /// Puts known regions in the place of a page's own, which are kept beside. Ids are a version's: where two regions have
    /// one, that of the correction stays as it is, then that of the preset.
    private mutating func place(_ known: [Int: [ZoomRegion]]) {
        for place in report.pages.indices {
            guard let regions = known[report.pages[place].index] else { continue }
            proposals[report.pages[place].index] = report.pages[place].regions
            report.pages[place].regions = regions
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

extension PresetMatch {
    /// Name and version of what the regions are from, for people.
    fileprivate var source: String {
        "'\(PlainText.cleaned(presetName, most: 120))' "
            + PlainText.cleaned(presetVersion, most: RegionPreset.maximumVersionLength)
    }
}

extension ZoomRegion {
    /// Less of a region than this part is not worth having, where the rest has left the page.
    private static let leastLeft = 0.5

    /// The same where a transform takes it, cut to the page; `nil` where hardly anything is left.
    fileprivate func moved(by transform: PageTransform) -> ZoomRegion? {
        let whole = transform.rect(rect)
        guard let left = whole.intersection(NormalizedRect(x: 0, y: 0, width: 1, height: 1)), left.isValid,
            left.area >= Self.leastLeft * whole.area
        else { return nil }
        return ZoomRegion(
            id: id, name: name, rect: left, scale: scale, pageIndex: pageIndex, confidence: confidence, source: source,
            kind: kind)
    }

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
