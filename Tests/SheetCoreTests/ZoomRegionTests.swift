// SPDX-License-Identifier: Apache-2.0
import Foundation
import SheetCore
import Testing

@Suite struct ZoomRegionTests {
    static func rect(_ x: Double, _ y: Double, _ width: Double, _ height: Double) -> NormalizedRect {
        NormalizedRect(x: x, y: y, width: width, height: height)
    }

    @Test(
        "the scale shows the whole region and stays within bounds",
        arguments: [
            (rect(0, 0, 1, 1), 1.0), (rect(0, 0, 0.5, 0.25), 2.0), (rect(0.1, 0.1, 0.25, 0.4), 2.5),
            (rect(0, 0, 0.01, 0.01), 5.0), (rect(0, 0, 0, 0), 5.0), (rect(0, 0, 2, 0.1), 1.0),
        ])
    func scale(rect: NormalizedRect, scale: Double) {
        #expect(abs(ZoomRegion.scale(showing: rect) - scale) < 1e-9)
        #expect(ZoomRegion(id: "a", name: "A", rect: rect, pageIndex: 0).scale == ZoomRegion.scale(showing: rect))
    }

    @Test("only rectangles with an area, on the page, are valid")
    func validity() {
        for good in [Self.rect(0, 0, 1, 1), Self.rect(0.5, 0.5, 0.50005, 0.5), Self.rect(-0.00005, 0, 0.1, 0.1)] {
            #expect(good.isValid, "\(good)")
        }
        let bad = [
            Self.rect(0, 0, 0, 1), Self.rect(0, 0, -0.5, 1), Self.rect(0.6, 0, 0.5, 1), Self.rect(-0.1, 0, 0.5, 1),
            Self.rect(.nan, 0, 1, 1), Self.rect(0, 0, .infinity, 1), Self.rect(0, 1, 0.1, 0.1),
        ]
        for rect in bad { #expect(!rect.isValid, "\(rect)") }
    }

    @Test("intersections and unions")
    func arithmetic() throws {
        let left = Self.rect(0, 0, 0.5, 0.5)
        let right = Self.rect(0.25, 0.25, 0.5, 0.5)
        #expect(left.intersection(right) == Self.rect(0.25, 0.25, 0.25, 0.25))
        #expect(left.union(right) == Self.rect(0, 0, 0.75, 0.75))
        #expect(left.intersection(Self.rect(0.5, 0, 0.5, 0.5)) == nil)
        #expect(left.intersection(left) == left && left.union(left) == left)
        #expect(abs(right.area - 0.25) < 1e-12)
    }

    @Test("a preset's region, without confidence and source, is read")
    func preset() throws {
        let json = """
            {"id":"skills","name":"Skills","pageIndex":1,"rect":{"x":0,"y":0,"width":0.5,"height":0.5},"scale":2.5}
            """
        let region = try JSONDecoder().decode(ZoomRegion.self, from: Data(json.utf8))
        #expect(region.source == .preset && region.confidence == 1 && region.scale == 2.5 && region.pageIndex == 1)
        #expect(try JSONDecoder().decode(ZoomRegion.self, from: JSONEncoder().encode(region)) == region)
    }

    @Test("severities, roles and states keep their order and their words")
    func words() throws {
        #expect(Finding.Severity.allCases.sorted() == [.info, .warning, .blocker])
        #expect(UserRole.allCases.sorted() == [.user, .moderator, .administrator])
        #expect(
            SubmissionState.allCases.map(\.rawValue) == [
                "received", "inspecting", "awaiting_review", "published", "rejected", "changes_requested", "withdrawn",
            ])
        #expect(SubmissionState.allCases.filter(\.isFinal) == [.published, .rejected, .withdrawn])
        #expect(VersionState.allCases.map(\.rawValue) == ["published", "yanked", "taken_down"])
    }
}
