// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketCatalog
import MarketCommunity
import MarketHTTP
import MarketPages
import MarketPlatform
import MarketWire
import SheetCore

/// How a sheet is found, downloaded and rated over some time, as charts and tables.
struct SheetStatisticsView: Sendable {
    /// Days that are shown.
    enum Span: Int, CaseIterable, Sendable {
        case month = 30
        case quarter = 90
        case year = 365

        /// Days that a bar stands for: so many bars as a narrow screen can show.
        var daysPerBar: Int { self == .year ? 7 : 1 }
    }

    /// What the bars count.
    enum Measure: String, CaseIterable, Sendable {
        case downloads, installs, visits

        var title: Phrase {
            switch self {
            case .downloads: "Downloads"
            case .installs: "Installs"
            case .visits: "Visits"
            }
        }

        func words(_ count: Int) -> Phrase {
            switch self {
            case .downloads: .count(count, "download")
            case .installs: .count(count, "install")
            case .visits: .count(count, "visit")
            }
        }

        func count(_ day: TemplateStatistics.Day) -> Int {
            switch self {
            case .downloads: day.downloads
            case .installs: day.installs
            case .visits: day.visits
            }
        }
    }

    struct Tab: Sendable {
        let address: String
        let label: Phrase
        let isHere: Bool
    }

    /// A line of a table.
    struct Line: Sendable {
        let name: Phrase
        let count: Phrase
        let other: Phrase
    }

    /// A table with its file; no lines where nothing was counted.
    struct Table: Sendable {
        let lines: [Line]
        let hasLines: Bool
        let fileAddress: String
    }

    struct Ratings: Sendable {
        let summary: Phrase
        let chart: StarChart
        let table: Table
    }

    let sheetName: String
    let manageAddress: String
    let tabs: [Tab]
    let measures: [Tab]
    let heading: Phrase
    let total: Phrase
    let summary: Phrase
    let isEmpty: Bool
    let chart: BarChart
    let from: Phrase
    let to: Phrase
    /// What the table's summary says.
    let tableTitle: Phrase
    let columnTitle: Phrase
    /// Newest first.
    let days: Table
    let versions: Table
    let sources: Table
    let searches: Table
    let ratings: Ratings?

    init(_ template: ManagedTemplate, _ statistics: TemplateStatistics, measure: Measure, span: Span) {
        let address = PagePaths.sheet(template.slug, "downloads")
        func page(_ measure: Measure, _ span: Span) -> String {
            PageAddress(address).with("show", measure == .downloads ? nil : measure.rawValue)
                .with("days", "\(span.rawValue)").text
        }
        func table(_ of: StatisticsTable, _ lines: [Line]) -> Table {
            Table(
                lines: lines, hasLines: !lines.isEmpty,
                fileAddress: PageAddress("\(address).csv").with("of", of == .days ? nil : of.rawValue)
                    .with("days", "\(span.rawValue)").text)
        }
        sheetName = template.name
        manageAddress = PagePaths.sheet(template.slug, "manage")
        tabs = Span.allCases.map {
            Tab(address: page(measure, $0), label: "\($0.rawValue) days", isHere: $0 == span)
        }
        measures = Measure.allCases.map { Tab(address: page($0, span), label: $0.title, isHere: $0 == measure) }
        columnTitle = measure.title
        total = DisplayText.count(template.downloads, "download")
        let parts = Self.parts(statistics.days, of: span.daysPerBar, measure)
        let sum = parts.map(\.count).reduce(0, +)
        isEmpty = sum == 0
        let isDaily = span.daysPerBar == 1
        heading = isDaily ? "By day" : "By week"
        tableTitle = isDaily ? "Every day, newest first" : "Every week, newest first"
        summary = Self.summary(parts, sum: sum, span: span, measure)
        chart = BarChart(parts)
        from = statistics.days.first.map { Self.name($0.day) } ?? ""
        to = statistics.days.last.map { Self.name($0.day) } ?? ""
        days = table(
            .days, parts.reversed().map { Line(name: $0.name, count: DisplayText.number($0.count), other: "") })
        versions = table(
            .versions,
            statistics.versions.map {
                Line(
                    name: Phrase(verbatim: $0.version.description), count: DisplayText.number($0.downloads),
                    other: DisplayText.number($0.installs))
            })
        sources = table(
            .sources,
            statistics.sources.map {
                Line(name: Self.source($0.source), count: DisplayText.number($0.visits), other: "")
            })
        searches = table(
            .searches,
            statistics.searches.map {
                Line(name: Phrase(verbatim: $0.term), count: DisplayText.number($0.visits), other: "")
            })
        ratings = Self.ratings(statistics, span: span).map {
            Ratings(summary: $0.summary, chart: $0.chart, table: table(.ratings, $0.lines))
        }
    }

    // MARK: Parts

    /// The days in groups of so many, the last of which ends today.
    private static func parts(
        _ days: [TemplateStatistics.Day], of length: Int, _ measure: Measure
    ) -> [(name: Phrase, count: Int)] {
        var parts: [(name: Phrase, count: Int)] = []
        var end = days.count
        while end > 0 {
            let group = days[max(0, end - length)..<end]
            if let first = group.first, let last = group.last {
                let name: Phrase =
                    first.day == last.day ? Self.name(first.day) : "\(Self.name(first.day)) to \(Self.name(last.day))"
                parts.append((name, group.map(measure.count).reduce(0, +)))
            }
            end -= length
        }
        return parts.reversed()
    }

    private static func name(_ day: String) -> Phrase {
        guard let date = UTCDay(day)?.date else { return Phrase(verbatim: day) }
        return DisplayTime(date, now: date).day
    }

    private static func source(_ source: String) -> Phrase {
        switch source {
        case Visit.direct: "No link, or one that names no site"
        case Visit.market: "This market"
        case Visit.other: "Others, fewer than three visits each"
        default: Phrase(verbatim: source)
        }
    }

    private static func summary(
        _ parts: [(name: Phrase, count: Int)], sum: Int, span: Span, _ measure: Measure
    ) -> Phrase {
        guard sum > 0, let best = parts.max(by: { $0.count < $1.count }) else {
            return "Nothing was counted in the last \(span.rawValue) days."
        }
        let all: Phrase = "\(measure.words(sum)) in the last \(span.rawValue) days."
        let most: Phrase =
            span.daysPerBar == 1
            ? "The best day was \(best.name), with \(DisplayText.number(best.count))."
            : "The best week was \(best.name), with \(DisplayText.number(best.count))."
        return [all, most].joined(separator: " ")
    }

    private static func ratings(
        _ statistics: TemplateStatistics, span: Span
    ) -> (summary: Phrase, chart: StarChart, lines: [Line])? {
        guard let last = statistics.ratings.last, let first = statistics.days.first.flatMap({ UTCDay($0.day) }) else {
            return nil
        }
        func mean(_ rating: TemplateStatistics.Rating) -> Phrase {
            "\(DisplayText.tenths(rating.mean)) of 5 from \(DisplayText.count(rating.reviews, "review"))"
        }
        let means = statistics.ratings.map { rating in
            let days = (UTCDay(rating.day)?.date.timeIntervalSince(first.date) ?? 0) / 86_400
            return (at: days / Double(max(statistics.days.count - 1, 1)), mean: rating.mean)
        }
        let now: Phrase = "\(mean(last)) by now."
        let begun: [Phrase] = statistics.ratings.prefix(1).filter { $0.day != last.day }.map {
            "It began with \(mean($0))."
        }
        return (
            ([now] + begun).joined(separator: " "), StarChart(means),
            statistics.ratings.reversed().map {
                Line(name: name($0.day), count: DisplayText.tenths($0.mean), other: DisplayText.number($0.reviews))
            }
        )
    }
}
