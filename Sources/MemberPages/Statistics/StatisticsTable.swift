// SPDX-License-Identifier: Apache-2.0
import MarketWire
import SheetCore

/// A table of a sheet's statistics as a file: RFC 4180.
enum StatisticsTable: String, CaseIterable, Sendable {
    case days, versions, sources, searches, ratings

    var fileName: String { self == .days ? "downloads" : rawValue }

    func text(_ statistics: TemplateStatistics) -> String {
        let lines: [[String]] =
            switch self {
            case .days:
                [["day", "downloads", "installs", "visits"]]
                    + statistics.days.map { [$0.day, "\($0.downloads)", "\($0.installs)", "\($0.visits)"] }
            case .versions:
                [["version", "downloads", "installs"]]
                    + statistics.versions.map { [$0.version.description, "\($0.downloads)", "\($0.installs)"] }
            case .sources: [["source", "visits"]] + statistics.sources.map { [$0.source, "\($0.visits)"] }
            case .searches: [["term", "visits"]] + statistics.searches.map { [Self.safe($0.term), "\($0.visits)"] }
            case .ratings:
                [["day", "reviews", "mean"]]
                    + statistics.ratings.map { [$0.day, "\($0.reviews)", "\($0.mean)"] }
            }
        return lines.map { $0.map(Self.quoted).joined(separator: ",") + "\r\n" }.joined()
    }

    /// What strangers typed must be no formula to a spreadsheet.
    private static func safe(_ text: String) -> String {
        text.utf8.first.map { "=+-@\t\r".utf8.contains($0) } == true ? "'\(text)" : text
    }

    private static func quoted(_ text: String) -> String {
        // By bytes: a mark behind a comma makes another letter of it.
        guard text.utf8.contains(where: ",\"\r\n".utf8.contains) else { return text }
        let quote = UInt8(ascii: "\"")
        let bytes = text.utf8.flatMap { $0 == quote ? [quote, quote] : [$0] }
        return "\"\(String(decoding: bytes, as: UTF8.self))\""
    }
}
