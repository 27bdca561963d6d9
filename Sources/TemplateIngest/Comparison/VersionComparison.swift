// SPDX-License-Identifier: Apache-2.0
import IngestWire
import SheetCore

/// Says what changed between two versions of a sheet, and whether ink on the one fits the other. Pure: the same pages,
/// the same answer.
package struct VersionComparison: Sendable {
    private let old: [ComparedPage]
    private let new: [ComparedPage]

    /// Of the version before, and of the new one.
    package init(from old: [ComparedPage], to new: [ComparedPage]) {
        self.old = old
        self.new = new
    }

    /// What changed since the version of that number.
    package func changes(since version: SemanticVersion) -> VersionChanges {
        let pairs = PageMatching(old: old, new: new).pairs()
        let pages = pairs.map { PageComparison(old[$0.old], new[$0.new]).change }
        let kept = (old: Set(pairs.map(\.old)), new: Set(pairs.map(\.new)))
        let removed = old.indices.filter { !kept.old.contains($0) }.map { old[$0].index }
        let added = new.indices.filter { !kept.new.contains($0) }.map { new[$0].index }
        var ink = pages.map(\.ink).max() ?? .compatible
        if pages.contains(where: { $0.from != $0.to }) { ink = max(ink, .shifted) }
        if !removed.isEmpty { ink = .incompatible }
        return VersionChanges(since: version, ink: ink, pagesAdded: added, pagesRemoved: removed, pages: pages)
    }
}

/// Two pages that are one page in two versions.
struct PageComparison {
    let change: PageChange

    /// Words are where the type setter put them.
    private static let wordTolerance = 2.0
    /// Regions are where a detector saw them.
    private static let regionTolerance = 8.0
    /// Points that must be there before their places are believed.
    private static let leastPoints = 4
    /// The part of the points that must agree.
    private static let leastSupport = 0.8
    /// The part of the old page's words that must be on the new one.
    private static let leastWordsKept = 0.5
    /// The part of the old page's fields that may be gone, or elsewhere.
    private static let mostFieldsLost = 0.1
    /// Ink that is off by less than this is where it was, in points.
    private static let leastMove = 1.0
    /// Pages without words and fields whose looks differ in no more bits look the same.
    private static let sameLook = 2
    /// A region that covers less of where it would be has moved.
    private static let leastOverlap = 0.7

    init(_ old: ComparedPage, _ new: ComparedPage) {
        let isResized = abs(old.width - new.width) >= Self.leastMove || abs(old.height - new.height) >= Self.leastMove
        let look: Int? =
            if let one = old.look, let other = new.look { one.distance(to: other) } else { nil }
        let points = Self.correspondences(old, new)
        let fit = TransformFit(points, from: old, to: new)
        let fields = FieldChanges(old, new, fit.transform, tolerance: Self.wordTolerance)
        var transform: PageTransform?
        if points.count >= Self.leastPoints {
            let words =
                old.anchors.isEmpty
                ? 1
                : Double(old.anchors.keys.count { new.anchors[$0] != nil })
                    / Double(old.anchors.count)
            if fit.support >= Self.leastSupport && words >= Self.leastWordsKept
                && fields.lost <= Self.mostFieldsLost
            {
                transform = Self.normalized(fit.transform, old, new)
            }
        } else if let look, look <= Self.sameLook, fields.lost == 0, !isResized {
            transform = .identity
        }
        var ink = InkVerdict.incompatible
        if transform != nil {
            let move = fit.transform.distance(to: AxisTransform(), width: old.width, height: old.height)
            ink = isResized || points.count >= Self.leastPoints && move > Self.leastMove ? .shifted : .compatible
            if ink == .compatible { transform = .identity }
        }
        change = PageChange(
            from: old.index, to: new.index, ink: ink, transform: transform,
            sizeBefore: isResized ? .init(width: old.width, height: old.height) : nil,
            size: isResized ? .init(width: new.width, height: new.height) : nil, lookDistance: look,
            fields: fields.names, regions: Self.regions(old, new, transform ?? .identity))
    }

    /// What is on both pages: words and fields, and regions where there is little else.
    static func correspondences(_ old: ComparedPage, _ new: ComparedPage) -> [Correspondence] {
        var points: [Correspondence] = []
        for word in old.anchors.keys.sorted() {
            guard let before = old.anchors[word], let after = new.anchors[word] else { continue }
            points.append(Correspondence(old: before, new: after, tolerance: wordTolerance))
        }
        for name in old.fields.keys.sorted() {
            guard let before = old.fields[name], let after = new.fields[name], before.count == after.count else {
                continue
            }
            for (one, two) in zip(before, after) {
                for (x, y) in [(0, 1), (2, 3)] {
                    points.append(
                        Correspondence(
                            old: Place(x: one[x], y: one[y]), new: Place(x: two[x], y: two[y]),
                            tolerance: wordTolerance))
                }
            }
        }
        guard points.count < leastPoints else { return points }
        for region in old.regions {
            guard let other = new.regions.first(where: { $0.name == region.name }) else { continue }
            for (one, two) in [
                (Place(x: region.rect.x, y: region.rect.y), Place(x: other.rect.x, y: other.rect.y)),
                (
                    Place(x: region.rect.x + region.rect.width, y: region.rect.y + region.rect.height),
                    Place(x: other.rect.x + other.rect.width, y: other.rect.y + other.rect.height)
                ),
            ] {
                points.append(
                    Correspondence(
                        old: Place(x: one.x * old.width, y: one.y * old.height),
                        new: Place(x: two.x * new.width, y: two.y * new.height), tolerance: regionTolerance))
            }
        }
        return points
    }

    static func normalized(
        _ transform: AxisTransform, _ old: ComparedPage, _ new: ComparedPage
    ) -> PageTransform {
        func rounded(_ value: Double) -> Double { (value * 1e6).rounded() / 1e6 }
        return PageTransform(
            scaleX: rounded(transform.scaleX * old.width / new.width),
            scaleY: rounded(transform.scaleY * old.height / new.height),
            offsetX: rounded(transform.moveX / new.width), offsetY: rounded(transform.moveY / new.height))
    }

    private static func regions(
        _ old: ComparedPage, _ new: ComparedPage, _ transform: PageTransform
    ) -> PageChange.Names? {
        var rest = new.regions
        var removed: [String] = []
        var moved: [String] = []
        for region in old.regions {
            let place =
                rest.firstIndex { $0.id == region.id && $0.name == region.name }
                ?? rest.firstIndex { $0.name == region.name }
            guard let place else {
                removed.append(region.name)
                continue
            }
            let other = rest.remove(at: place)
            if overlap(transform.rect(region.rect), other.rect) < leastOverlap { moved.append(region.name) }
        }
        return PageChange.Names(added: rest.map(\.name), removed: removed, moved: moved)
    }

    /// What both cover, as a part of what either covers.
    private static func overlap(_ one: NormalizedRect, _ two: NormalizedRect) -> Double {
        let both = one.intersection(two)?.area ?? 0
        let all = one.area + two.area - both
        return all > 0 ? both / all : 0
    }
}

/// What became of a page's form fields.
struct FieldChanges {
    let names: PageChange.Names?
    /// The part of the old page's fields that is gone, or not where it should be.
    let lost: Double

    init(_ old: ComparedPage, _ new: ComparedPage, _ transform: AxisTransform, tolerance: Double) {
        var removed: [String] = []
        var moved: [String] = []
        for name in old.fields.keys.sorted() {
            guard let after = new.fields[name] else {
                removed.append(name)
                continue
            }
            let before = old.fields[name] ?? []
            let isInPlace =
                before.count == after.count
                && zip(before, after).allSatisfy { one, two in
                    [(0, 1), (2, 3)].allSatisfy { x, y in
                        let place = transform.place(Place(x: one[x], y: one[y]))
                        return abs(place.x - two[x]) <= tolerance && abs(place.y - two[y]) <= tolerance
                    }
                }
            if !isInPlace { moved.append(name) }
        }
        let added = new.fields.keys.filter { old.fields[$0] == nil }.sorted()
        lost = old.fields.isEmpty ? 0 : Double(removed.count + moved.count) / Double(old.fields.count)
        names = PageChange.Names(added: added, removed: removed, moved: moved)
    }
}
