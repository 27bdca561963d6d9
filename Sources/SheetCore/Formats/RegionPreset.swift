// SPDX-License-Identifier: Apache-2.0

/// Zoom regions for a layout, in a file of their own: `templateID, name, version, regions`.
public struct RegionPreset: JSONFormat, Equatable {
    /// The template that the regions are for: an id or slug of some market, or any other name of a layout.
    public var templateID: String
    public var name: String
    public var version: String
    public var regions: [ZoomRegion]

    /// What such a file is.
    public static let kind = TemplateKind.regionPreset
    /// 2 MiB.
    public static let maximumBytes = 2 << 20
    /// Most regions.
    public static let maximumRegions = 2000
    /// Highest page, from 0.
    public static let maximumPageIndex = 9999

    /// All parts.
    public init(templateID: String, name: String, version: String, regions: [ZoomRegion]) {
        self.templateID = templateID
        self.name = name
        self.version = version
        self.regions = regions
    }

    /// Says what is wrong with it.
    public func check() throws(FormatFailure) {
        var check = FormatCheck()
        check.line(templateID, most: 200, "/templateID")
        check.line(name, most: 120, "/name")
        check.line(version, most: 64, "/version")
        check.require(
            (1...Self.maximumRegions).contains(regions.count), "/regions", "From 1 to \(Self.maximumRegions) regions.")
        var seen: Set<String> = []
        for (index, region) in regions.prefix(Self.maximumRegions).enumerated() {
            let place = "/regions/\(index)"
            check.line(region.id, most: 100, "\(place)/id")
            check.require(seen.insert(region.id).inserted, "\(place)/id", "Another region has this id.")
            check.line(region.name, most: ZoomRegion.maximumNameLength, "\(place)/name")
            check.require(
                (0...Self.maximumPageIndex).contains(region.pageIndex), "\(place)/pageIndex", "A page, from 0.")
            check.require(
                region.rect.isValid, "\(place)/rect", "A rectangle on the page: x, y, width and height from 0 to 1.")
            check.require(
                region.scale.isFinite && ZoomRegion.scales.contains(region.scale), "\(place)/scale",
                "A number from 1 to 5.")
        }
        try check.finish()
    }

    /// Regions by page.
    public var outline: ContentOutline {
        let pages = Dictionary(grouping: regions, by: \.pageIndex).sorted { $0.key < $1.key }
        let noun = regions.count == 1 ? "region" : "regions"
        return ContentOutline(
            cutting: "\(regions.count) \(noun) on \(pages.count) \(pages.count == 1 ? "page" : "pages") of "
                + "'\(templateID)'.",
            sections: pages.map { page, regions in
                .init(title: "Page \(page + 1)", rows: regions.map { .init($0.name, Self.detail($0)) })
            })
    }

    /// What the file says of itself.
    public var metadata: DraftMetadata {
        DraftMetadata(name: name, summary: outline.summary, version: version)
    }

    private static func detail(_ region: ZoomRegion) -> String {
        func percent(_ value: Double) -> String { "\(Int((value * 100).rounded())) %" }
        let rect = region.rect
        let scale = (region.scale * 10).rounded() / 10
        return "at \(percent(rect.x)), \(percent(rect.y)); \(percent(rect.width)) × \(percent(rect.height)); "
            + "magnified \(scale)×"
    }
}
