// SPDX-License-Identifier: Apache-2.0

/// How somebody goes through the pages of a sheet: each page remembers how it was looked at, and jumps are gone back
/// from.
public struct ZoomSession: Sendable, Codable, Equatable {
    private struct Stop: Sendable, Codable, Equatable {
        var page: Int
        var view: PageView
        var region: String?
    }

    /// From 0.
    public private(set) var page: Int
    /// The region that was jumped to last on this page; `nil` once the page was moved.
    public private(set) var region: String?
    private var views: [Int: PageView] = [:]
    private var trail: [Stop] = []

    /// Most jumps that can be gone back from.
    public static let maximumTrail = 50

    /// Begins with a whole page.
    public init(page: Int = 0) {
        self.page = page
    }

    /// How the page is looked at.
    public var view: PageView { views[page] ?? .whole }

    /// Whether there is something to go back to.
    public var canGoBack: Bool { !trail.isEmpty }

    /// Turns to a page, as it was looked at before.
    public mutating func turn(to page: Int) {
        guard page != self.page, page >= 0 else { return }
        self.page = page
        region = nil
    }

    /// Jumps to a region, on whatever page it is.
    public mutating func jump(to region: ZoomRegion, _ space: ZoomSpace) {
        trail.append(Stop(page: page, view: view, region: self.region))
        trail.removeFirst(max(0, trail.count - Self.maximumTrail))
        page = region.pageIndex
        views[page] = space.showing(region)
        self.region = region.id
    }

    /// Back to before the last jump; without one, to the whole page.
    public mutating func back() {
        guard let stop = trail.popLast() else {
            views[page] = .whole
            region = nil
            return
        }
        page = stop.page
        views[page] = stop.view
        region = stop.region
    }

    /// Moves the page under the screen.
    public mutating func pan(byX x: Double, y: Double, _ space: ZoomSpace) {
        views[page] = space.panned(view, byX: x, y: y)
        region = nil
    }

    /// Magnifies around a point of the screen.
    public mutating func magnify(by factor: Double, aroundX x: Double, y: Double, _ space: ZoomSpace) {
        views[page] = space.magnified(view, by: factor, aroundX: x, y: y)
        region = nil
    }

    /// Brings the view within the limits of another screen.
    public mutating func fit(_ space: ZoomSpace) {
        views[page] = space.limited(view)
    }
}

/// The regions of a sheet in reading order.
public struct RegionTour: Sendable, Equatable {
    /// Page by page; within a page in the order that they came in.
    public let regions: [ZoomRegion]

    /// Takes regions as a template has them: in reading order.
    public init(_ regions: [ZoomRegion]) {
        self.regions = Self.byPage(regions) { $0 }
    }

    /// Finds the order itself: line by line as people read, regions that stand side by side making a line.
    public init(sorting regions: [ZoomRegion], rightToLeft: Bool = false) {
        self.regions = Self.byPage(regions) { Self.lines($0, rightToLeft) }
    }

    private static func byPage(
        _ regions: [ZoomRegion], _ order: ([ZoomRegion]) -> [ZoomRegion]
    ) -> [ZoomRegion] {
        Dictionary(grouping: regions, by: \.pageIndex).sorted { $0.key < $1.key }.flatMap { order($0.value) }
    }

    private static func lines(_ regions: [ZoomRegion], _ rightToLeft: Bool) -> [ZoomRegion] {
        var lines: [(bottom: Double, regions: [ZoomRegion])] = []
        for region in regions.sorted(by: { ($0.rect.y, $0.rect.x, $0.id) < ($1.rect.y, $1.rect.x, $1.id) }) {
            // It belongs to the line before if more of it than not is level with that line's first region.
            let middle = region.rect.y + region.rect.height / 2
            if let last = lines.last, middle < last.bottom {
                lines[lines.count - 1].regions.append(region)
            } else {
                lines.append((region.rect.y + region.rect.height, [region]))
            }
        }
        return lines.flatMap { line in
            line.regions.sorted { rightToLeft ? $0.rect.x > $1.rect.x : $0.rect.x < $1.rect.x }
        }
    }

    /// The region at a point: of several the smallest, of equal ones the first. `slack` is how far beside it a finger
    /// may be, for regions where nothing is nearer.
    public func hit(_ point: NormalizedPoint, page: Int, slack: Double = 0) -> ZoomRegion? {
        func holds(_ rect: NormalizedRect, _ slack: Double) -> Bool {
            point.x >= rect.x - slack && point.x <= rect.x + rect.width + slack && point.y >= rect.y - slack
                && point.y <= rect.y + rect.height + slack
        }
        let here = regions.filter { $0.pageIndex == page }
        let within = here.filter { holds($0.rect, 0) }
        return (within.isEmpty ? here.filter { holds($0.rect, slack) } : within).min { $0.rect.area < $1.rect.area }
    }

    /// The next region after one, or after the beginning of a page; `nil` at the end.
    public func next(after id: String?, page: Int) -> ZoomRegion? {
        if let place = place(id, page) { return place + 1 < regions.count ? regions[place + 1] : nil }
        return regions.first { $0.pageIndex >= page }
    }

    /// The region before one, or before the beginning of a page; `nil` at the start.
    public func previous(before id: String?, page: Int) -> ZoomRegion? {
        if let place = place(id, page) { return place > 0 ? regions[place - 1] : nil }
        return regions.last { $0.pageIndex < page }
    }

    private func place(_ id: String?, _ page: Int) -> Int? {
        id.flatMap { id in regions.firstIndex { $0.id == id && $0.pageIndex == page } }
    }
}

/// Regions to step through for a purpose, whatever sheet they are on.
public struct ZoomPreset: Sendable, Hashable, Codable {
    /// What people call it.
    public var name: String
    /// The game system's slug; `nil` fits all.
    public var gameSystem: String?
    /// Kinds of regions, or words of their names, in the order in which they are wanted.
    public var stops: [String]

    /// Takes the parts as they are.
    public init(name: String, gameSystem: String? = nil, stops: [String]) {
        self.name = name
        self.gameSystem = gameSystem
        self.stops = stops
    }

    /// Presets that come along; those of a system come before those for all.
    public static func known(for gameSystem: String?) -> [ZoomPreset] {
        all.filter { $0.gameSystem == gameSystem && gameSystem != nil } + all.filter { $0.gameSystem == nil }
    }

    private static let all = [
        ZoomPreset(name: "Combat", gameSystem: "dnd5e", stops: ["combat", "attacks", "spells", "abilities"]),
        ZoomPreset(name: "Spellcasting", gameSystem: "dnd5e", stops: ["spells", "abilities"]),
        ZoomPreset(name: "Encounter", gameSystem: "pathfinder2e", stops: ["combat", "actions", "spells", "abilities"]),
        ZoomPreset(name: "Exploration", gameSystem: "pathfinder2e", stops: ["skills", "features", "equipment"]),
        ZoomPreset(name: "Investigation", gameSystem: "call-of-cthulhu", stops: ["skills", "sanity", "abilities"]),
        ZoomPreset(name: "Firefight", gameSystem: "cyberpunk-red", stops: ["combat", "armor", "equipment"]),
        ZoomPreset(name: "Investigation", gameSystem: "basic-roleplaying", stops: ["skills", "abilities", "combat"]),
        ZoomPreset(name: "Score", gameSystem: "blades-in-the-dark", stops: ["action", "stress", "load", "harm"]),
        ZoomPreset(name: "Exploration", gameSystem: "cairn", stops: ["abilities", "equipment", "hit protection"]),
        ZoomPreset(name: "Firefight", gameSystem: "cepheus-engine", stops: ["combat", "abilities", "equipment"]),
        ZoomPreset(name: "Scene", gameSystem: "fate-core", stops: ["aspects", "skills", "stunts", "consequences"]),
        ZoomPreset(name: "Journey", gameSystem: "ironsworn", stops: ["vows", "momentum", "assets", "abilities"]),
        ZoomPreset(name: "Expedition", gameSystem: "starforged", stops: ["vows", "momentum", "assets", "abilities"]),
        ZoomPreset(name: "Probe", gameSystem: "the-dark-eye", stops: ["skills", "abilities", "features"]),
        ZoomPreset(name: "Kampf", gameSystem: "the-dark-eye", stops: ["combat", "spells", "abilities"]),
        ZoomPreset(name: "Firefight", gameSystem: "traveller", stops: ["combat", "abilities", "equipment"]),
        ZoomPreset(name: "Encounter", gameSystem: "year-zero-engine", stops: ["combat", "skills", "equipment"]),
        ZoomPreset(name: "Combat", stops: ["combat", "abilities", "equipment", "spells"]),
        ZoomPreset(name: "Between scenes", stops: ["identity", "skills", "features", "notes"]),
    ]

    /// The regions of a sheet that it steps through, each once.
    public func regions(of tour: RegionTour) -> [ZoomRegion] {
        var taken: Set<ZoomRegion> = []
        return stops.flatMap { stop in
            let word = stop.lowercased()
            let ofKind = tour.regions.filter { $0.kind == word }
            let found = ofKind.isEmpty ? tour.regions.filter { $0.name.lowercased().contains(word) } : ofKind
            return found.filter { taken.insert($0).inserted }
        }
    }
}
