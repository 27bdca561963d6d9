// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketCatalog
import MarketPlatform
import MarketWire
import Postgres
import SheetCore

/// What a sheet's authors are told of its readers.
package struct StatisticsService: Sendable {
    /// Sources that fewer came from are told together.
    static let leastVisits = 3

    private let database: PostgresClient

    package init(database: PostgresClient) {
        self.database = database
    }

    /// Whoever calls has made sure that they may know it.
    package func statistics(
        of template: TemplateID, from: UTCDay, to: UTCDay
    ) async throws -> TemplateStatistics {
        async let timeline = DownloadStore.timeline(of: template, from: from, to: to, database)
        async let byDay = StatisticsStore.byDay(of: template, (from, to), database)
        async let byValue = StatisticsStore.byValue(of: template, (from, to), database)
        async let ratings = StatisticsStore.ratings(of: template, database)
        let sums = try await byValue
        return TemplateStatistics(
            templateId: template, days: Self.days(try await timeline, try await byDay), versions: Self.versions(sums),
            sources: Self.sources(sums),
            searches: sums.filter { $0.kind == "search" }.map { .init(term: $0.name, visits: $0.count) },
            ratings: Self.ratings(try await ratings, from: from.text, to: to.text))
    }

    private static func days(
        _ timeline: DownloadTimeline, _ sums: [StatisticsStore.Sum]
    ) -> [TemplateStatistics.Day] {
        func counts(_ kind: String) -> [String: Int] {
            Dictionary(sums.filter { $0.kind == kind }.map { ($0.name, $0.count) }, uniquingKeysWith: +)
        }
        let (views, installs) = (counts("view"), counts("install"))
        return timeline.days.map {
            .init(
                day: $0.day, downloads: $0.downloads, installs: installs[$0.day] ?? 0, visits: views[$0.day] ?? 0)
        }
    }

    /// The newest first.
    private static func versions(_ sums: [StatisticsStore.Sum]) -> [TemplateStatistics.Version] {
        var found: [SemanticVersion: (downloads: Int, installs: Int)] = [:]
        for sum in sums {
            guard sum.kind == "download" || sum.kind == "install", let version = SemanticVersion(sum.name) else {
                continue
            }
            found[version, default: (0, 0)].downloads += sum.count
            if sum.kind == "install" { found[version, default: (0, 0)].installs += sum.count }
        }
        return found.sorted { $0.key > $1.key }.map {
            .init(version: $0.key, downloads: $0.value.downloads, installs: $0.value.installs)
        }
    }

    private static func sources(_ sums: [StatisticsStore.Sum]) -> [TemplateStatistics.Source] {
        let named = [Visit.direct, Visit.market]
        var others = 0
        var sources: [TemplateStatistics.Source] = []
        for sum in sums where sum.kind == "source" {
            if named.contains(sum.name) || (sum.name != Visit.other && sum.count >= leastVisits) {
                sources.append(.init(source: sum.name, visits: sum.count))
            } else {
                others += sum.count
            }
        }
        return others > 0 ? sources + [.init(source: Visit.other, visits: others)] : sources
    }

    /// The plain mean after each day on which something was written, within the days and at their beginning.
    private static func ratings(
        _ days: [(day: String, count: Int, stars: Int)], from: String, to: String
    ) -> [TemplateStatistics.Rating] {
        var (count, stars) = (0, 0)
        var ratings: [TemplateStatistics.Rating] = []
        for entry in days where entry.day <= to {
            count += entry.count
            stars += entry.stars
            let rating = TemplateStatistics.Rating(
                day: max(entry.day, from), reviews: count, mean: (100 * Double(stars) / Double(count)).rounded() / 100)
            if ratings.last?.day == rating.day { ratings.removeLast() }
            ratings.append(rating)
        }
        return ratings
    }
}
