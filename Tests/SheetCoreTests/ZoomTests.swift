// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

@testable import SheetCore

@Suite("Zoom")
struct ZoomTests {
    private func region(
        _ id: String, _ x: Double, _ y: Double, _ width: Double, _ height: Double, page: Int = 0, kind: String? = nil
    ) -> ZoomRegion {
        ZoomRegion(
            id: id, name: id.capitalized, rect: NormalizedRect(x: x, y: y, width: width, height: height),
            pageIndex: page, kind: kind)
    }

    @Test("of regions at a point the smallest is hit, beside them the nearest finger's width")
    func hits() {
        let tour = RegionTour([
            region("all", 0, 0, 1, 1), region("box", 0.1, 0.1, 0.3, 0.3), region("in", 0.2, 0.2, 0.1, 0.1),
        ])
        #expect(tour.hit(NormalizedPoint(x: 0.25, y: 0.25), page: 0)?.id == "in")
        #expect(tour.hit(NormalizedPoint(x: 0.15, y: 0.15), page: 0)?.id == "box")
        #expect(tour.hit(NormalizedPoint(x: 0.9, y: 0.9), page: 0)?.id == "all")
        #expect(tour.hit(NormalizedPoint(x: 0.9, y: 0.9), page: 1) == nil)
        let lone = RegionTour([region("box", 0.1, 0.1, 0.3, 0.3)])
        #expect(lone.hit(NormalizedPoint(x: 0.41, y: 0.2), page: 0) == nil)
        #expect(lone.hit(NormalizedPoint(x: 0.41, y: 0.2), page: 0, slack: 0.02)?.id == "box")
    }

    @Test("whatever is done, the view keeps within its limits, and a zoomed region is whole on the screen")
    func limits() throws {
        var generator = SeededGenerator(seed: 5)
        func part() -> Double { Double(generator.number(below: 1001)) / 1000 }
        for _ in 0..<2000 {
            let space = try #require(
                ZoomSpace(
                    pageWidth: 100 + 900 * part(), pageHeight: 100 + 900 * part(), screenWidth: 100 + 900 * part(),
                    screenHeight: 100 + 900 * part()))
            var session = ZoomSession()
            let width = 0.25 + 0.5 * part()
            let height = 0.25 + 0.5 * part()
            let target = region("r", (1 - width) * part(), (1 - height) * part(), width, height)
            session.jump(to: target, space)
            let shown = space.visible(session.view)
            #expect(shown.x <= target.rect.x + 1e-9 && shown.y <= target.rect.y + 1e-9)
            #expect(shown.x + shown.width >= target.rect.x + width - 1e-9)
            #expect(shown.y + shown.height >= target.rect.y + height - 1e-9)
            for _ in 0..<5 {
                session.pan(byX: 4000 * (part() - 0.5), y: 4000 * (part() - 0.5), space)
                session.magnify(by: 0.2 + 3 * part(), aroundX: 500 * part(), y: 500 * part(), space)
                let view = session.view
                let shown = space.visible(view)
                #expect(ZoomRegion.scales.contains(view.scale) && space.limited(view) == view)
                #expect(shown.x >= -1e-9 && shown.y >= -1e-9)
                #expect(shown.x + shown.width <= 1 + 1e-9 && shown.y + shown.height <= 1 + 1e-9)
            }
            session.back()
            #expect(session.view == .whole)
        }
    }

    @Test("what is under the fingers stays there while they magnify, where the limits allow")
    func anchors() throws {
        let space = try #require(ZoomSpace(pageWidth: 600, pageHeight: 800, screenWidth: 600, screenHeight: 800))
        let before = PageView(scale: 2, center: NormalizedPoint(x: 0.5, y: 0.5))
        let point = space.point(before, atX: 200, y: 500)
        let after = space.magnified(before, by: 1.7, aroundX: 200, y: 500)
        let same = space.point(after, atX: 200, y: 500)
        #expect(abs(point.x - same.x) < 1e-12 && abs(point.y - same.y) < 1e-12)
        #expect(ZoomSpace(pageWidth: 0, pageHeight: 1, screenWidth: 1, screenHeight: 1) == nil)
    }

    @Test("each page remembers its view; jumps are gone back from, also over pages and a restart")
    func session() throws {
        let space = try #require(ZoomSpace(pageWidth: 600, pageHeight: 800, screenWidth: 400, screenHeight: 600))
        let skills = region("skills", 0.5, 0.5, 0.25, 0.25)
        let spells = region("spells", 0.1, 0.1, 0.3, 0.2, page: 2)
        var session = ZoomSession()
        session.jump(to: skills, space)
        let view = session.view
        session.jump(to: spells, space)
        #expect(session.page == 2 && session.region == "spells")
        session.turn(to: 0)
        #expect(session.view == view)
        session.turn(to: 2)
        var restored = try JSONDecoder().decode(ZoomSession.self, from: JSONEncoder().encode(session))
        #expect(restored == session)
        restored.back()
        #expect(restored.page == 0 && restored.view == view && restored.region == "skills")
        restored.back()
        #expect(restored.view == .whole && !restored.canGoBack)
    }

    @Test("regions follow each other in reading order, over pages")
    func tour() {
        let mixed = [
            region("right", 0.55, 0.11, 0.4, 0.3), region("next", 0.1, 0.1, 0.5, 0.2, page: 1),
            region("low", 0.1, 0.6, 0.8, 0.2), region("left", 0.05, 0.1, 0.4, 0.3),
        ]
        let tour = RegionTour(sorting: mixed)
        #expect(tour.regions.map(\.id) == ["left", "right", "low", "next"])
        #expect(RegionTour(sorting: mixed, rightToLeft: true).regions.map(\.id) == ["right", "left", "low", "next"])
        #expect(RegionTour(mixed).regions.map(\.id) == ["right", "low", "left", "next"])
        #expect(tour.next(after: nil, page: 0)?.id == "left" && tour.next(after: "low", page: 0)?.id == "next")
        #expect(tour.next(after: "next", page: 1) == nil && tour.previous(before: "left", page: 0) == nil)
        #expect(
            tour.previous(before: nil, page: 1)?.id == "low" && tour.previous(before: "right", page: 0)?.id == "left")
    }

    @Test("presets of a system come first and find regions by kind, else by name")
    func presets() {
        let presets = ZoomPreset.known(for: "dnd5e")
        #expect(presets.map(\.name) == ["Combat", "Spellcasting", "Combat", "Between scenes"])
        #expect(ZoomPreset.known(for: nil).map(\.gameSystem) == [nil, nil])
        let tour = RegionTour([
            region("attacks and spells", 0, 0, 0.5, 0.5), region("fight", 0, 0.5, 0.5, 0.5, kind: "combat"),
        ])
        #expect(presets[0].regions(of: tour).map(\.id) == ["fight", "attacks and spells"])
    }

    @Test("a region and its ink are told in a sentence")
    func sentences() throws {
        let skills = region("skills", 0, 0, 0.3, 0.3)
        let tour = RegionTour([skills, region("rest", 0.3, 0.3, 0.7, 0.7)])
        #expect(
            tour.sentence(for: skills)
                == "Skills, region 1 of 2 on page 1: medium-sized, at the top left. Nothing is drawn on it.")
        let strokes = [
            (0..<20).map { NormalizedPoint(x: 0.01 + Double($0) * 0.004, y: 0.02) },
            [NormalizedPoint(x: 0.05, y: 0.05)], [NormalizedPoint(x: 0.8, y: 0.8)],
        ]
        let ink = try #require(InkSummary(strokes, in: skills.rect))
        #expect(ink.marks == 2 && ink.density == .sparse && abs(ink.shares.reduce(0, +) - 1) < 1e-12)
        #expect(tour.sentence(for: skills, ink: ink).hasSuffix("2 marks, sparse, mostly at the top left."))
        #expect(InkSummary([[NormalizedPoint(x: 0.9, y: 0.9)]], in: skills.rect) == nil)
        let everywhere = (0..<900).map { NormalizedPoint(x: 0.3 * Double($0 % 30) / 30, y: 0.3 * Double($0 / 30) / 30) }
        #expect(InkSummary([everywhere], in: skills.rect)?.sentence == "1 mark, dense, all over it.")
    }
}
