// SPDX-License-Identifier: Apache-2.0

/// Zoom regions for a layout, in a file of their own: `templateID, name, version, regions`, and by what pages of that
/// layout are known again.
public struct RegionPreset: JSONFormat, Equatable {
    /// By what a page of the layout is known again.
    public struct Page: Codable, Sendable, Equatable {
        /// From 0; regions name their page by it.
        public var pageIndex: Int
        /// Of the displayed page, in points.
        public var width: Double
        /// Height of the page that it was drawn for, in points.
        public var height: Double
        /// As in a reader's report: 16 hexadecimal digits.
        public var lookHash: String
        /// Likewise; `nil` for a page that says nothing.
        public var textHash: String?

        /// What `signature` says.
        public init(pageIndex: Int, _ signature: PageSignature) {
            self.pageIndex = pageIndex
            width = signature.width
            height = signature.height
            lookHash = signature.look.description
            textHash = signature.text?.description
        }

        /// The same to compare with; `nil` when a fingerprint is malformed.
        public var signature: PageSignature? {
            guard let look = Fingerprint(lookHash) else { return nil }
            var text: Fingerprint?
            if let textHash {
                guard let read = Fingerprint(textHash) else { return nil }
                text = read
            }
            return PageSignature(width: width, height: height, look: look, text: text)
        }
    }

    /// The template that the regions are for: an id or slug of some market, or any other name of a layout.
    public var templateID: String
    /// What people call it.
    public var name: String
    /// The preset's version.
    public var version: String
    /// The page's zoom regions, in their order.
    public var regions: [ZoomRegion]
    /// Pages that sheets of the layout are known by. Without them a preset is for people to look at.
    public var pages: [Page]?

    /// What the market calls a template that holds one.
    public static let kind = TemplateKind.regionPreset
    /// 2 MiB.
    public static let maximumBytes = 2 << 20
    /// Most regions.
    public static let maximumRegions = 2000
    /// Longest version, in characters.
    public static let maximumVersionLength = 64
    /// Most pages that it is known by.
    public static let maximumPages = 200
    /// Longest side of a page, in points.
    public static let maximumSide = 14_400.0
    /// Most regions that a page of a sheet gets.
    public static let maximumRegionsOfPage = 64
    /// Highest page, from 0.
    public static let maximumPageIndex = 9999

    public init(templateID: String, name: String, version: String, regions: [ZoomRegion], pages: [Page]? = nil) {
        self.templateID = templateID
        self.name = name
        self.version = version
        self.regions = regions
        self.pages = pages
    }

    /// Throws what is wrong with it first.
    public func check() throws(FormatFailure) {
        var check = FormatCheck()
        check.line(templateID, most: 200, "/templateID")
        check.line(name, most: 120, "/name")
        check.line(version, most: Self.maximumVersionLength, "/version")
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
        checkPages(&check)
        try check.finish()
    }

    private func checkPages(_ check: inout FormatCheck) {
        guard let pages else { return }
        check.require(
            (1...Self.maximumPages).contains(pages.count), "/pages",
            "From 1 to \(Self.maximumPages) pages, or no such member.")
        let withRegions = Set(regions.map(\.pageIndex))
        var seen: Set<Int> = []
        for (index, page) in pages.prefix(Self.maximumPages).enumerated() {
            let place = "/pages/\(index)"
            check.require(
                withRegions.contains(page.pageIndex), "\(place)/pageIndex", "A page that regions are on, from 0.")
            check.require(seen.insert(page.pageIndex).inserted, "\(place)/pageIndex", "This page is there already.")
            for (name, side) in [("width", page.width), ("height", page.height)] {
                check.require(
                    side.isFinite && (1...Self.maximumSide).contains(side), "\(place)/\(name)", "In points, from 1.")
            }
            check.require(
                Fingerprint(page.lookHash) != nil, "\(place)/lookHash", "16 hexadecimal digits in lower case.")
            check.require(
                page.textHash.map { Fingerprint($0) != nil } ?? true, "\(place)/textHash",
                "16 hexadecimal digits in lower case, or left out.")
        }
    }

    /// The regions that a page of a sheet gets, wherever it stands there: with ids that hold in a version.
    public func regions(of page: Page, at index: Int) -> [ZoomRegion] {
        regions.filter { $0.pageIndex == page.pageIndex }.prefix(Self.maximumRegionsOfPage).map { region in
            ZoomRegion(
                id: (Slug(region.id) ?? Slug(slugging: region.id) ?? Slug(slugging: region.name))?.text ?? "region",
                name: region.name, rect: region.rect, scale: region.scale, pageIndex: index,
                confidence: region.confidence.isFinite ? min(max(region.confidence, 0), 1) : 1, source: .preset,
                kind: region.kind)
        }
    }

    /// Regions by page.
    public var outline: ContentOutline {
        let pages = Dictionary(grouping: regions, by: \.pageIndex).sorted { $0.key < $1.key }
        let noun = regions.count == 1 ? "region" : "regions"
        let known = self.pages.map { " Known by the looks of \($0.count)." } ?? ""
        return ContentOutline(
            cutting: "\(regions.count) \(noun) on \(pages.count) \(pages.count == 1 ? "page" : "pages") of "
                + "'\(templateID)'.\(known)",
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
