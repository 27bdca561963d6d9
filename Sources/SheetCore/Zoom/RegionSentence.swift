// SPDX-License-Identifier: Apache-2.0

/// What is drawn within a region: how many marks, how dense, and where most of it.
public struct InkSummary: Sendable, Hashable, Codable {
    /// How much of the region ink covers.
    public enum Density: String, Sendable, Codable {
        /// Less than 3 % of the region's cells.
        case sparse
        /// Less than 15 %.
        case medium
        /// 15 % or more: about as full as writing gets.
        case dense
    }

    /// Strokes with at least one point in the region.
    public let marks: Int
    /// How full it is.
    public let density: Density
    /// The share of points in each ninth of the region, row by row from the top left; they add up to 1.
    public let shares: [Double]

    /// Cells across and down of the grid in which covered cells are counted.
    static let cells = 24

    /// Strokes as points of the page (0…1); `nil` when none has a point in the region.
    public init?(_ strokes: some Sequence<some Sequence<NormalizedPoint>>, in rect: NormalizedRect) {
        var marks = 0
        var points = 0
        var ninths = [Int](repeating: 0, count: 9)
        var covered = Set<Int>()
        for stroke in strokes {
            var isWithin = false
            for point in stroke {
                let x = (point.x - rect.x) / rect.width
                let y = (point.y - rect.y) / rect.height
                guard (0...1).contains(x), (0...1).contains(y) else { continue }
                isWithin = true
                points += 1
                ninths[Self.cell(x, y, 3)] += 1
                covered.insert(Self.cell(x, y, Self.cells))
            }
            if isWithin { marks += 1 }
        }
        guard points > 0 else { return nil }
        self.marks = marks
        shares = ninths.map { Double($0) / Double(points) }
        let part = Double(covered.count) / Double(Self.cells * Self.cells)
        density = part < 0.03 ? .sparse : part < 0.15 ? .medium : .dense
    }

    private static func cell(_ x: Double, _ y: Double, _ count: Int) -> Int {
        min(count - 1, Int(y * Double(count))) * count + min(count - 1, Int(x * Double(count)))
    }

    /// Where most of it is, for people.
    public var place: String {
        let names = [
            "at the top left", "at the top", "at the top right", "on the left", "in the middle", "on the right",
            "at the bottom left", "at the bottom", "at the bottom right",
        ]
        let most = shares.indices.max { shares[$0] < shares[$1] } ?? 4
        if shares[most] >= 0.5 { return "mostly \(names[most])" }
        let strips: [(cells: [Int], name: String)] = [
            ([0, 1, 2], "along the top"), ([3, 4, 5], "across the middle"), ([6, 7, 8], "along the bottom"),
            ([0, 3, 6], "down the left side"), ([1, 4, 7], "down the middle"), ([2, 5, 8], "down the right side"),
        ]
        for strip in strips {
            var share = 0.0
            for cell in strip.cells { share += shares[cell] }
            if share >= 0.7 { return "mostly \(strip.name)" }
        }
        return "all over it"
    }

    /// For people who do not see it.
    public var sentence: String {
        let noun = marks == 1 ? "1 mark" : "\(marks) marks"
        let how =
            switch density {
            case .sparse: "sparse"
            case .medium: "fairly dense"
            case .dense: "dense"
            }
        return "\(noun), \(how), \(place)."
    }
}

extension RegionTour {
    /// One region for people who do not see it, with the ink on it: name, number, page, place and size.
    public func sentence(for region: ZoomRegion, ink: InkSummary? = nil) -> String {
        "\(blankSentence(for: region)) \(ink?.sentence ?? "Nothing is drawn on it.")"
    }

    /// The same of a sheet that nobody has drawn on.
    public func blankSentence(for region: ZoomRegion) -> String {
        let ofPage = regions.filter { $0.pageIndex == region.pageIndex }
        let number = ofPage.firstIndex(of: region).map { ", region \($0 + 1) of \(ofPage.count)" } ?? ""
        let rect = region.rect
        let size =
            switch rect.area {
            case ..<0.05: "small"
            case ..<0.25: "medium-sized"
            default: "large"
            }
        let column = ["left", "", "right"][third(rect.x + rect.width / 2)]
        let row = ["top", "", "bottom"][third(rect.y + rect.height / 2)]
        let spot = [row, column].filter { !$0.isEmpty }.joined(separator: " ")
        let place = spot.isEmpty ? "in the middle" : "at the \(spot)"
        return "\(region.name)\(number) on page \(region.pageIndex + 1): \(size), \(place)."
    }

    private func third(_ value: Double) -> Int { value < 0.37 ? 0 : value > 0.63 ? 2 : 1 }
}
