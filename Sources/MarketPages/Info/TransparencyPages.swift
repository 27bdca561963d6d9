// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Hummingbird
import MarketCatalog
import MarketHTTP
import MarketPlatform
import MarketWire
import ModerationService

/// The page of the public numbers.
package struct TransparencyPages: Sendable {
    package let features: Features
    package let pages: WebPages

    package init(features: Features, pages: WebPages) {
        self.features = features
        self.pages = pages
    }

    package func register(on routes: APIRoutes) {
        routes.get("/transparency", access: .optionalAuthentication, show)
    }

    private func show(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let viewer = context.identity
        return try await features.catalog.responses.response(
            to: request, context: context, variant: context.language.rawValue
        ) {
            [features, pages] in
            let report = try await TransparencyService(platform: features.platform).report()
            var headers = PageSecurity.headers
            headers[.cacheControl] = "private, no-cache"
            let head = PageHead(
                title: "Transparency", viewer: viewer,
                summary: "What moderators did, month by month: uploads, decisions, appeals and take-downs.",
                language: context.language)
            return .init(body: try pages.render(.transparency, TransparencyView(report), head: head), headers: headers)
        }
    }
}

/// The numbers in words.
struct TransparencyView: Sendable {
    struct Line: Sendable {
        let label: Phrase
        let value: Phrase
    }

    struct Section: Sendable {
        let title: Phrase
        let lines: [Line]
    }

    struct Month: Sendable {
        let name: Phrase
        let anchor: String
        let facts: [Line]
        let sections: [Section]
        let isQuiet: Bool
    }

    let months: [Month]

    init(_ report: TransparencyReport) {
        months = report.months.map { month in
            var facts = [Line(label: "Uploads", value: DisplayText.number(month.submissions))]
            if let median = month.medianHours, let most = month.p90Hours {
                facts.append(
                    Line(
                        label: "Time to a decision",
                        value: "half within \(Self.hours(median)), nine in ten within \(Self.hours(most))"))
            }
            if let share = month.automaticShare {
                facts.append(
                    Line(label: "Approved by the rules for trusted authors", value: "\(Int((share * 100).rounded()))%"))
            }
            let sections: [Section] =
                ([
                    ("Decisions", month.decisions), ("Appeals", month.appeals), ("Reports", month.reports),
                    ("Take-downs", month.takeDowns), ("Sanctions", month.sanctions),
                    ("Copyright notices", month.copyright),
                ] as [(Phrase, [TransparencyReport.Tally])]).filter { !$0.1.isEmpty }.map {
                    Section(title: $0.0, lines: $0.1.map(Self.line))
                }
            return Month(
                name: Self.name(month.month), anchor: "month-\(month.month)", facts: facts, sections: sections,
                isQuiet: month.submissions == 0 && sections.isEmpty)
        }
    }

    private static func hours(_ hours: Double) -> Phrase {
        switch hours {
        case ..<1: "an hour"
        case ..<48: DisplayText.count(Int(hours.rounded(.up)), "hour")
        default: DisplayText.count(Int((hours / 24).rounded(.up)), "day")
        }
    }

    /// `2026-11`: `November 2026`.
    private static func name(_ month: String) -> Phrase {
        guard let day = UTCDay("\(month)-01") else { return Phrase(verbatim: month) }
        return .time(day.date, .month)
    }

    private static func line(_ tally: TransparencyReport.Tally) -> Line {
        func words(_ code: String) -> String { code.replacing("_", with: " ") }
        let code = RiskLabels.plain(tally.code)
        return Line(
            label: tally.reasonCode.map { "\(Phrase(told: code)) (\(Phrase(told: words($0))))" } ?? Phrase(told: code),
            value: tally.count.map { DisplayText.number($0) } ?? "fewer than 5")
    }
}
