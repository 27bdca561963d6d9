// SPDX-License-Identifier: Apache-2.0
import Hummingbird
import MarketHTTP
import MarketPages
import MarketPlatform
import MarketWire
import ModerationService

/// What the rules of the risk score did, and how moderation is doing.
struct RulePages: Sendable {
    let features: Features
    let pages: WebPages

    private static let trial = "\(StaffNavigation.Place.rules.rawValue)/trial"

    func register(on routes: APIRoutes) {
        routes.get(StaffNavigation.Place.rules.rawValue, access: .moderator, rules)
        // It assesses all that came in of late anew.
        routes.withCost(.upload).get(Self.trial, access: .moderator, rules)
        routes.get(StaffNavigation.Place.statistics.rawValue, access: .moderator, statistics)
    }

    private func rules(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let viewer = try context.requireIdentity()
        let review = RiskReview(moderation: features.moderation)
        let list = try await review.rules()
        let current = features.moderation.risk.rules
        let query = request.uri.path == Self.trial ? QueryParameters(request.uri.query) : QueryParameters(nil)
        let trial = RuleTrial(query, of: current)
        let isRight = trial.map(\.mistakes.isEmpty) ?? true
        var comparison: RiskReview.Comparison?
        if let trial, isRight { comparison = try await review.compare(trial.rules) }
        var view = RulesView(navigation: StaffNavigation(at: .rules, for: viewer), list)
        view.trial = current.map { RuleTrialView($0, trial, query, comparison) }
        return try pages.answer(
            .rules, view, head: PageHead(title: "Rules", place: .moderation, viewer: viewer),
            status: isRight ? .ok : .unprocessableContent)
    }

    private func statistics(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let viewer = try context.requireIdentity()
        let service = TransparencyService(platform: features.platform)
        let figures = try await service.statistics()
        let view = StatisticsView(
            navigation: StaffNavigation(at: .statistics, for: viewer), figures, try await service.kept(),
            promised: features.moderation.limits.sla)
        return try pages.answer(
            .statistics, view,
            head: PageHead(title: "Statistics", place: .moderation, viewer: viewer))
    }
}

struct RulesView: Sendable {
    struct Line: Sendable {
        let code: String
        let weight: String
        let mode: Phrase
        let tone: String
        let hits: Phrase
        let published: Phrase
        let refused: Phrase
    }

    struct Edition: Sendable {
        let title: Phrase
        let version: String
        let assessments: Phrase
        let mean: Phrase?
        let lines: [Line]
    }

    let navigation: StaffNavigation
    let days: Phrase
    let editions: [Edition]
    let trust: Phrase
    /// `nil` where no rules are in force.
    var trial: RuleTrialView?

    init(navigation: StaffNavigation, _ list: RiskRuleList) {
        self.navigation = navigation
        days = DisplayText.count(list.days, "day")
        let named: [(Phrase, RiskRuleList.Edition?)] = [("In force", list.current), ("On trial", list.shadow)]
        editions = named.compactMap { title, edition in
            edition.map { Self.edition(title, $0) }
        }
        let terms = list.trusted
        trust =
            terms.isOn
            ? "Authors with \(DisplayText.count(terms.approvals, "approval")) and an account of "
                + "\(DisplayText.count(Int(terms.accountDays), "day")) publish harmless updates at once: "
                + "\(DisplayText.number(terms.approved)) in this time. Of \(DisplayText.number(terms.auditsDecided)) that a moderator "
                + "looked at afterwards, \(DisplayText.number(terms.auditsAgreed)) would have been approved."
            : "Every upload waits for a moderator: the rules for trusted authors are off."
    }

    private static func edition(_ title: Phrase, _ edition: RiskRuleList.Edition) -> Edition {
        Edition(
            title: title, version: edition.version,
            assessments: DisplayText.count(edition.assessments, "submission"),
            mean: edition.meanScore.map(DisplayText.tenths),
            lines: edition.rules.map { rule in
                Line(
                    code: rule.code, weight: String(rule.weight), mode: Phrase(told: rule.mode),
                    tone: rule.mode == "on" ? "good" : "quiet", hits: DisplayText.number(rule.hits),
                    published: DisplayText.number(rule.published), refused: DisplayText.number(rule.refused))
            })
    }
}

struct StatisticsView: Sendable {
    struct Person: Sendable {
        let handle: String
        let decisions: Phrase
        let reviewed: Phrase
        let agreement: String?
    }

    let navigation: StaffNavigation
    let queue: [Fact]
    let forecast: [Fact]
    let people: [Person]
    let hasPeople: Bool
    let levels: [Level]

    /// What was promised for one kind of case, and how it was kept.
    struct Level: Sendable {
        let label: Phrase
        let promised: Phrase
        let decided: Phrase
        let median: Phrase
        let inTime: String?
    }

    init(
        navigation: StaffNavigation, _ figures: ModerationStatistics, _ kept: [KeptPromises], promised: CaseSLA
    ) {
        self.navigation = navigation
        let tracks: [(String, Phrase, Double)] = [
            ("first", "New sheets", promised.upload), ("update", "New versions", promised.upload),
            ("trusted", "New versions of trusted authors", promised.trustedUpdate),
            ("report", "Reports", promised.report), ("appeal", "Appeals", promised.upload),
        ]
        levels = tracks.map { track, label, seconds in
            let found = kept.first { $0.track == track }
            return Level(
                label: label, promised: Self.time(seconds), decided: DisplayText.number(found?.decided ?? 0),
                median: found.map { Self.time($0.medianSeconds) } ?? "–",
                inTime: found.map { "\(Int((Double($0.inTime) / Double(max($0.decided, 1)) * 100).rounded(.down)))%" })
        }
        let queue = figures.queue
        self.queue = [
            Fact(label: "Waiting", value: DisplayText.number(queue.waiting)),
            Fact(label: "Overdue", value: DisplayText.number(queue.overdue)),
            Fact(label: "Half have waited for", value: Self.time(queue.medianAgeSeconds)),
            Fact(label: "The oldest for", value: Self.time(queue.oldestAgeSeconds)),
        ]
        let forecast = figures.forecast
        self.forecast = [
            Fact(label: "Arrive each day", value: DisplayText.tenths(forecast.arrivalsPerDay)),
            Fact(label: "Are decided each day", value: DisplayText.tenths(forecast.decisionsPerDay)),
            Fact(
                label: "Nothing waits any more in",
                value: forecast.daysToClear.map { DisplayText.count(Int($0.rounded(.up)), "day") }
                    ?? (queue.waiting == 0 ? "nothing waits" : "not as it goes now: more arrive than are decided")),
        ]
        people = figures.moderators.map { person in
            Person(
                handle: person.handle, decisions: DisplayText.number(person.decisions),
                reviewed: DisplayText.number(person.reviewed),
                agreement: person.agreement.map { "\(Int(($0 * 100).rounded()))%" })
        }
        hasPeople = !people.isEmpty
    }

    private static func time(_ seconds: Double) -> Phrase {
        switch seconds {
        case ...0: "–"
        case ..<3600: DisplayText.count(Int(seconds / 60) + 1, "minute")
        case ..<172_800: DisplayText.count(Int(seconds / 3600), "hour")
        default: DisplayText.count(Int(seconds / 86_400), "day")
        }
    }
}
