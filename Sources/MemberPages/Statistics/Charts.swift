// SPDX-License-Identifier: Apache-2.0
import MarketPlatform

/// Where the drawing of a chart has its parts, in its own units.
private let (left, top, wide, high) = (36.0, 8.0, 684.0, 180.0)

/// A length of the drawing.
private func length(_ value: Double) -> String { "\((value * 10).rounded() / 10)" }

/// A line across a chart.
struct ChartLevel: Sendable {
    let y: String
    let labelY: String
    let level: Phrase

    /// `part` of the height, from below.
    init(at part: Double, _ level: Phrase) {
        let y = top + high * (1 - part)
        self.y = length(y)
        labelY = length(y + 4)
        self.level = level
    }
}

/// Counts as bars.
struct BarChart: Sendable {
    struct Bar: Sendable {
        let title: Phrase
        let x: String
        let y: String
        let width: String
        let height: String
    }

    let bars: [Bar]
    let levels: [ChartLevel]

    init(_ parts: [(name: Phrase, count: Int)]) {
        let ceiling = Self.ceiling(parts.map(\.count).max() ?? 0)
        levels = [0, ceiling / 2, ceiling].map {
            ChartLevel(at: Double($0) / Double(ceiling), DisplayText.number($0))
        }
        let room = wide / Double(max(parts.count, 1))
        let gap = min(room * 0.25, 4)
        bars = parts.enumerated().map { place, part in
            let height = high * Double(part.count) / Double(ceiling)
            return Bar(
                title: "\(part.name): \(DisplayText.number(part.count))",
                x: length(left + Double(place) * room + gap / 2),
                y: length(top + high - height), width: length(room - gap),
                height: length(height))
        }
    }

    /// The least even of 2, 4, 10, 20, 40, 100 … that no bar is above.
    private static func ceiling(_ most: Int) -> Int {
        var power = 1
        while true {
            for step in [2, 4, 10] where step * power >= most { return step * power }
            power *= 10
        }
    }
}

/// A mean of stars as a line that holds from one day to the next on which it changes.
struct StarChart: Sendable {
    let points: String
    let levels = (1...5).map { ChartLevel(at: Double($0 - 1) / 4, .number($0)) }

    /// Where each mean began, in parts of the time that is shown.
    init(_ means: [(at: Double, mean: Double)]) {
        var corners: [(x: Double, y: Double)] = []
        for mean in means {
            let y = top + high * (1 - (mean.mean - 1) / 4)
            let x = left + wide * mean.at
            if let last = corners.last { corners.append((x, last.y)) }
            corners.append((x, y))
        }
        if let last = corners.last { corners.append((left + wide, last.y)) }
        points = corners.map { "\(length($0.x)),\(length($0.y))" }.joined(separator: " ")
    }
}
