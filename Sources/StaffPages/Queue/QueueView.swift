// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketHTTP
import MarketPages
import MarketPlatform
import MarketWire
import MemberPages
import ModerationService
import SheetCore

/// What waits for a decision.
struct QueueView: Sendable {
    struct Line: Sendable {
        let address: String
        let caseID: String
        /// Whether it can be decided together with others.
        let isChoosable: Bool
        let templateName: String
        let version: String
        /// What the case is, unless it is an upload.
        let what: Phrase?
        let gameSystem: String
        let uploader: String
        let risk: StateLabel?
        let riskScore: Int
        let finding: StateLabel?
        let due: StateLabel?
        /// By when it was promised to be decided, while it waits for a moderator.
        let promised: DisplayTime?
        let opened: DisplayTime
        let state: StateLabel
        /// Until when a moderator has it.
        let claimEnds: DisplayTime?
        /// Whether the uploader wrote something that no moderator has answered.
        let hasMessage: Bool
    }

    struct Tab: Sendable {
        let label: Phrase
        let count: Phrase?
        let address: String
        let isHere: Bool
    }

    let navigation: StaffNavigation
    let tabs: [Tab]
    let lines: [Line]
    let hasLines: Bool
    /// Whether several can be decided together.
    let hasChoosable: Bool
    let isDecided: Bool
    let isSifted: Bool
    let isNothingLeft: Bool
    let canTake: Bool
    /// Whether nobody else could decide an appeal.
    let isAlone: Bool
    let text: String
    let kinds: [Choice]
    let gameSystems: [Choice]
    /// What the form keeps of the tab: name and value of a hidden field.
    let tabFields: [Choice]
    let unsifted: String
    let next: String
    let hasNext: Bool

    init(
        _ list: CaseList, navigation: StaffNavigation, asked: QueueQuery, counts: QueueCounts, unanswered: Set<CaseID>,
        systems: [GameSystem],
        viewer: String, isNothingLeft: Bool, isAlone: Bool, now: Date
    ) {
        self.navigation = navigation
        let names = systems.namesBySlug
        tabs = Self.tabs(asked, counts)
        lines = list.cases.map { item in
            Line(
                address: "/moderation/cases/\(item.id)", caseID: "\(item.id)",
                isChoosable: Self.isChoosable(item, viewer: viewer), templateName: item.templateName,
                version: item.version?.description ?? "", what: QueueView.what(item),
                gameSystem: item.gameSystem.map { names[$0] ?? $0 } ?? "", uploader: item.uploader,
                risk: item.kind == .submission || item.risk > 0 ? StateLabel(risk: item.risk) : nil,
                riskScore: item.risk, finding: item.severity.map { StateLabel($0) },
                due: item.due.map { StateLabel($0) },
                promised: item.state == .open || item.state == .claimed
                    ? item.promisedAt.map { DisplayTime($0, now: now) } : nil,
                opened: DisplayTime(item.openedAt, now: now), state: StateLabel(item, viewer: viewer),
                claimEnds: item.claimExpiresAt.map { DisplayTime($0, now: now) },
                hasMessage: unanswered.contains(item.id))
        }
        hasLines = !lines.isEmpty
        hasChoosable = lines.contains(where: \.isChoosable)
        isDecided = asked.state == .decided
        isSifted = asked.isSifted
        self.isNothingLeft = isNothingLeft
        canTake = counts.open > 0
        self.isAlone = isAlone
        text = asked.text ?? ""
        let named: [(CaseSummary.Kind, Phrase)] = [
            (.submission, "Uploads"), (.report, "Reports"), (.appeal, "Appeals"),
        ]
        kinds = named.map {
            Choice(value: $0.rawValue, label: $1, isSelected: $0 == asked.kind)
        }
        gameSystems = systems.map {
            Choice(value: $0.slug, label: Phrase(verbatim: $0.name), isSelected: $0.slug == asked.gameSystem)
        }
        tabFields = [
            ("state", asked.state?.rawValue), ("due", asked.due?.rawValue), ("mine", asked.isMine ? "true" : nil),
        ].compactMap { name, value in value.map { Choice(value: $0, label: Phrase(verbatim: name)) } }
        var whole = PageAddress(StaffNavigation.Place.queue.rawValue)
        for field in tabFields { whole = whole.with(field.label.description, field.value) }
        unsifted = whole.text
        next = asked.address.with("cursor", list.nextCursor).text
        hasNext = list.nextCursor != nil
    }

    private static func tabs(_ asked: QueueQuery, _ counts: QueueCounts) -> [Tab] {
        func tab(_ label: Phrase, _ count: Int?, _ name: String? = nil, _ value: String? = nil) -> Tab {
            let address = name.map { asked.sieve.with($0, value) } ?? asked.sieve
            return Tab(
                label: label, count: count.map(DisplayText.number), address: address.text,
                isHere: address.text == asked.address.text)
        }
        return [
            tab("To do", counts.all), tab("Mine", counts.mine, "mine", "true"),
            tab("Overdue", counts.over, "due", "over"), tab("Open", counts.open, "state", "open"),
            tab("Claimed", counts.claimed, "state", "claimed"), tab("Waiting", counts.waiting, "state", "waiting"),
            tab("Decided", nil, "state", "decided"),
        ]
    }

    private static func isChoosable(_ item: CaseSummary, viewer: String) -> Bool {
        guard CommonDecisions.byKind[item.kind] != nil, !item.isProposed else { return false }
        return item.state == .open || item.state == .claimed && item.claimedBy == viewer
    }

    /// What a case is, unless it is a plain upload.
    static func what(_ item: CaseSummary) -> Phrase? {
        if item.isProposed { return "Second opinion" }
        return switch item.kind {
        case .submission: item.isAudit ? "Audit" : nil
        case .report:
            item.reportCount > 1 ? "\(item.reportCount) reports: \(subject(item))" : "Reported \(subject(item))"
        case .appeal: "Appeal"
        }
    }

    private static func subject(_ item: CaseSummary) -> Phrase {
        // People are told of sheets; a template is what the API calls one.
        item.subject == .template ? "sheet" : Phrase(told: item.part?.rawValue ?? item.subject.rawValue)
    }
}
