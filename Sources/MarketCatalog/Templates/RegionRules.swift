// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketPlatform
import MarketWire
import SheetCore

/// What corrected zoom regions must hold to.
package enum RegionRules {
    /// Most regions on a page.
    package static let maximumPerPage = 64

    /// The regions of every page of a version with `pageCount` pages, as they are stored: pages that are not named have
    /// none, and all count as corrected. Throws everything that is wrong at once.
    package static func checked(_ list: RegionList, pageCount: Int) throws(CatalogError) -> RegionList {
        var problems: [ProblemDocument.Detail] = []
        var pages = (0..<pageCount).map { RegionList.Page(index: $0, regions: []) }
        var named: Set<Int> = []
        var ids: Set<String> = []
        for (place, page) in list.pages.prefix(pageCount + 1).enumerated() {
            let pointer = "/pages/\(place)"
            guard pages.indices.contains(page.index) else {
                problems.append(.init(pointer: "\(pointer)/index", detail: "A page from 0 to \(pageCount - 1)."))
                continue
            }
            if !named.insert(page.index).inserted {
                problems.append(.init(pointer: "\(pointer)/index", detail: "This page is there already."))
            }
            if page.regions.count > maximumPerPage {
                problems.append(.init(pointer: "\(pointer)/regions", detail: "At most \(maximumPerPage) on a page."))
            }
            pages[page.index].regions = page.regions.prefix(maximumPerPage).enumerated().compactMap { place, region in
                corrected(region, on: page.index, &ids, at: "\(pointer)/regions/\(place)", &problems)
            }
        }
        if list.pages.count > pageCount {
            let size = DisplayText.count(pageCount, "page")
            problems.append(.init(pointer: "/pages", detail: "The version has \(size)."))
        }
        if !problems.isEmpty { throw .invalid(problems) }
        return RegionList(pages: pages)
    }

    private static func corrected(
        _ region: ZoomRegion, on page: Int, _ ids: inout Set<String>, at pointer: String,
        _ problems: inout [ProblemDocument.Detail]
    ) -> ZoomRegion? {
        let before = problems.count
        let name = region.name.cleanedLine()
        if Slug(region.id) == nil {
            problems.append(.init(pointer: "\(pointer)/id", detail: "Lower-case letters, digits and single hyphens."))
        } else if !ids.insert(region.id).inserted {
            problems.append(.init(pointer: "\(pointer)/id", detail: "Another region of this version has this id."))
        }
        if !(1...ZoomRegion.maximumNameLength).contains(name.count)
            || name.utf8.count > 8 * ZoomRegion.maximumNameLength
        {
            problems.append(
                .init(pointer: "\(pointer)/name", detail: "From 1 to \(ZoomRegion.maximumNameLength) characters."))
        }
        if region.pageIndex != page {
            problems.append(.init(pointer: "\(pointer)/pageIndex", detail: "The page it is listed under, \(page)."))
        }
        if !ZoomRegion.scales.contains(region.scale) {
            problems.append(.init(pointer: "\(pointer)/scale", detail: "A number from 1 to 5."))
        }
        guard region.rect.isValid, let rect = region.rect.intersection(.init(x: 0, y: 0, width: 1, height: 1)) else {
            problems.append(
                .init(pointer: "\(pointer)/rect", detail: "A rectangle on the page: all of it between 0 and 1."))
            return nil
        }
        guard problems.count == before else { return nil }
        return ZoomRegion(
            id: region.id, name: name, rect: rect, scale: region.scale, pageIndex: page, confidence: 1,
            source: .corrected, kind: region.kind)
    }
}
