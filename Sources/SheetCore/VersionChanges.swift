// SPDX-License-Identifier: Apache-2.0

/// Whether what was drawn on the pages of one version still belongs where it would come to lie on another's.
public enum InkVerdict: String, Sendable, Codable, CaseIterable, Comparable {
    /// It fits as it is.
    case compatible
    /// It fits when it is moved: each page by its transform, to its new place among the pages.
    case shifted
    /// It does not fit, or nothing tells that it does.
    case incompatible

    /// From what fits best.
    public static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }

    private var rank: Int {
        switch self {
        case .compatible: 0
        case .shifted: 1
        case .incompatible: 2
        }
    }
}

/// Where a place on one page lies on another: each axis scaled, then moved. Coordinates are 0…1 of the pages' width and
/// height as displayed, origin top left, as in zoom regions.
public struct PageTransform: Hashable, Sendable, Codable {
    /// How much wider.
    public let scaleX: Double
    /// How much higher.
    public let scaleY: Double
    /// How far to the right, as a part of the page's width.
    public let offsetX: Double
    /// How far down, as a part of the page's height.
    public let offsetY: Double

    /// Leaves everything where it is.
    public static let identity = PageTransform(scaleX: 1, scaleY: 1, offsetX: 0, offsetY: 0)

    public init(scaleX: Double, scaleY: Double, offsetX: Double, offsetY: Double) {
        self.scaleX = scaleX
        self.scaleY = scaleY
        self.offsetX = offsetX
        self.offsetY = offsetY
    }

    /// Where a point goes.
    public func point(x: Double, y: Double) -> (x: Double, y: Double) {
        (scaleX * x + offsetX, scaleY * y + offsetY)
    }

    /// Where a rectangle goes.
    public func rect(_ rect: NormalizedRect) -> NormalizedRect {
        let corner = point(x: rect.x, y: rect.y)
        return NormalizedRect(
            x: corner.x, y: corner.y, width: scaleX * rect.width, height: scaleY * rect.height)
    }
}

/// What changed from one version to the next.
public struct VersionChanges: Sendable, Codable, Equatable {
    /// The version that this one was compared with.
    public var since: SemanticVersion
    /// The worst of all pages; pages that are gone count as `incompatible`, pages in another place as `shifted`.
    public var ink: InkVerdict
    /// Pages that are new, by their index in this version.
    public var pagesAdded: [Int]
    /// Pages that are gone, by their index in the version before.
    public var pagesRemoved: [Int]
    /// Pages that are in both, in this version's order.
    public var pages: [PageChange]

    public init(
        since: SemanticVersion, ink: InkVerdict, pagesAdded: [Int], pagesRemoved: [Int], pages: [PageChange]
    ) {
        self.since = since
        self.ink = ink
        self.pagesAdded = pagesAdded
        self.pagesRemoved = pagesRemoved
        self.pages = pages
    }

    /// Reads what changed; indexes that no page has are refused.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        func indexes(_ key: CodingKeys) throws -> [Int] {
            try container.decode([Limited<PageIndexes>].self, forKey: key).map(\.wrappedValue)
        }
        since = try container.decode(SemanticVersion.self, forKey: .since)
        ink = try container.decode(InkVerdict.self, forKey: .ink)
        pagesAdded = try indexes(.pagesAdded)
        pagesRemoved = try indexes(.pagesRemoved)
        pages = try container.decode([PageChange].self, forKey: .pages)
    }
}

extension VersionChanges {
    /// What changed from the version before `earlier` to this one, page by page; what fields, regions and looks did in
    /// between is left out. `earlier` must lead to the version that this one was compared with.
    public func following(_ earlier: VersionChanges) -> VersionChanges {
        let before = Dictionary(earlier.pages.map { ($0.to, $0) }) { first, _ in first }
        var pages: [PageChange] = []
        var added = pagesAdded
        for page in self.pages {
            guard let first = before[page.from] else {
                // It came in between.
                added.append(page.to)
                continue
            }
            pages.append(page.following(first))
        }
        let kept = Set(pages.map(\.from))
        let removed = Set(earlier.pagesRemoved + earlier.pages.map(\.from)).subtracting(kept)
        let worst = pages.map(\.ink).max() ?? .compatible
        let hasMoved = pages.contains { $0.from != $0.to }
        return VersionChanges(
            since: earlier.since,
            ink: removed.isEmpty ? (hasMoved ? max(worst, .shifted) : worst) : .incompatible,
            pagesAdded: added.sorted(), pagesRemoved: removed.sorted(), pages: pages)
    }
}

/// What changed on a page that both versions have.
public struct PageChange: Sendable, Codable, Equatable {
    /// A page's size as displayed, in points.
    public struct Size: Sendable, Codable, Equatable {
        /// Width of the page, in points.
        @Limited<PageSides> public var width: Double
        /// Height of the page, in points.
        @Limited<PageSides> public var height: Double

        public init(width: Double, height: Double) {
            self.width = width
            self.height = height
        }
    }

    /// Names of things that came, went or moved. Long lists are cut.
    public struct Names: Sendable, Codable, Equatable {
        /// Most names in each list.
        public static let maximumCount = 50

        /// Names of regions that are new.
        public var added: [String]
        /// Names of regions that are gone.
        public var removed: [String]
        /// Names of regions that lie elsewhere now.
        public var moved: [String]

        /// The lists, cut; `nil` when all are empty.
        public init?(added: [String], removed: [String], moved: [String]) {
            if added.isEmpty && removed.isEmpty && moved.isEmpty { return nil }
            self.added = Array(added.prefix(Self.maximumCount))
            self.removed = Array(removed.prefix(Self.maximumCount))
            self.moved = Array(moved.prefix(Self.maximumCount))
        }
    }

    /// Its index in the version before.
    @Limited<PageIndexes> public var from: Int
    /// Its index in this version.
    @Limited<PageIndexes> public var to: Int
    /// Whether ink drawn on the old page still fits.
    public var ink: InkVerdict
    /// Where ink goes; `nil` when it does not fit.
    public var transform: PageTransform?
    /// Its size in the version before, where that was another.
    public var sizeBefore: Size?
    /// Its size now, where that is another.
    public var size: Size?
    /// In how many of 64 bits its looks differ; unrelated pages differ in about 32. `nil` when a look is not known.
    public var lookDistance: Int?
    /// Form fields that came, went or moved otherwise than the page.
    public var fields: Names?
    /// Zoom regions that came, went or moved otherwise than the page.
    public var regions: Names?

    public init(
        from: Int, to: Int, ink: InkVerdict, transform: PageTransform?, sizeBefore: Size? = nil, size: Size? = nil,
        lookDistance: Int? = nil, fields: Names? = nil, regions: Names? = nil
    ) {
        self.from = from
        self.to = to
        self.ink = ink
        self.transform = transform
        self.sizeBefore = sizeBefore
        self.size = size
        self.lookDistance = lookDistance
        self.fields = fields
        self.regions = regions
    }
}

extension PageChange {
    /// From where `earlier` began to where this one ends.
    func following(_ earlier: PageChange) -> PageChange {
        let way = earlier.transform.flatMap { first in transform.map { first.followed(by: $0) } }
        return PageChange(
            from: earlier.from, to: to, ink: way == nil ? .incompatible : max(ink, earlier.ink), transform: way,
            sizeBefore: earlier.sizeBefore ?? sizeBefore, size: size ?? earlier.size)
    }
}

extension PageTransform {
    /// First this one, then another.
    func followed(by next: PageTransform) -> PageTransform {
        PageTransform(
            scaleX: scaleX * next.scaleX, scaleY: scaleY * next.scaleY,
            offsetX: next.scaleX * offsetX + next.offsetX, offsetY: next.scaleY * offsetY + next.offsetY)
    }
}
