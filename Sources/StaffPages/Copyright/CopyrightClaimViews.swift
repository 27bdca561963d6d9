// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketHTTP
import MarketPages
import MarketPlatform
import MarketWire
import MemberPages
import Moderation
import ModerationService
import SheetCore

/// Which notices a list shows: those in one state, or all.
struct CopyrightTab: Sendable {
    private static let all = "all"

    /// `nil` for all.
    let state: CopyrightClaim.State?

    /// What waits for a moderator, unless the address says otherwise.
    init(_ asked: String?) {
        state = asked == Self.all ? nil : asked.flatMap { CopyrightClaim.State(rawValue: $0) } ?? .received
    }

    private init(state: CopyrightClaim.State?) {
        self.state = state
    }

    static let every: [Self] = CopyrightClaim.State.allCases.map { Self(state: $0) } + [Self(state: nil)]

    var value: String { state?.rawValue ?? Self.all }
    var label: Phrase { state.map { StateLabel($0).text } ?? "All" }
}

struct CopyrightClaimsView: Sendable {
    struct Tab: Sendable {
        let label: Phrase
        let count: Phrase?
        let address: String
        let isHere: Bool
    }

    struct Line: Sendable {
        let address: String
        let sheet: String
        let claimant: String
        let standing: StateLabel
        let received: DisplayTime
    }

    let navigation: StaffNavigation
    let tabs: [Tab]
    let lines: [Line]
    let hasLines: Bool
    let isWaiting: Bool
    let next: String?

    init(
        navigation: StaffNavigation, _ notices: [CopyrightNoticeDetail], at here: CopyrightTab,
        counts: [CopyrightClaim.State: Int], next: String?, now: Date
    ) {
        self.navigation = navigation
        tabs = CopyrightTab.every.map { tab in
            let count = tab.state.map { counts[$0] ?? 0 } ?? counts.values.reduce(0, +)
            return Tab(
                label: tab.label, count: count == 0 ? nil : DisplayText.number(count),
                address: PageAddress(StaffNavigation.Place.copyright.rawValue).with("state", tab.value).text,
                isHere: tab.state == here.state)
        }
        lines = notices.map { told in
            Line(
                address: "\(StaffNavigation.Place.copyright.rawValue)/\(told.notice.id)", sheet: told.sheet,
                claimant: told.notice.name,
                standing: StateLabel(CopyrightClaim.State(rawValue: told.notice.state) ?? .received),
                received: DisplayTime(told.notice.receivedAt, now: now))
        }
        hasLines = !lines.isEmpty
        isWaiting = here.state == .received
        self.next = next
    }
}

struct CopyrightClaimView: Sendable {
    struct Option: Sendable {
        let value: String
        let label: Phrase
        let hint: Phrase
        let isSelected: Bool
    }

    let navigation: StaffNavigation
    let notice: CopyrightNoticeView
    let isDecided: Bool
    /// Whether the moderator has a part in it, so that another has to decide.
    let isParty: Bool
    let decideAddress: String
    let options: [Option]
    let mayDecide: Bool
    let message: String
    let longestMessage = Decision.maximumMessageLength
    let problem: Phrase?
    let mistakes: [String: Phrase]

    init(
        navigation: StaffNavigation, _ told: CopyrightNoticeDetail, isDecided: Bool,
        problem: FormProblem?, form: QueryParameters, now: Date
    ) {
        self.navigation = navigation
        notice = CopyrightNoticeView(told, now: now)
        self.isDecided = isDecided
        let claim = CopyrightClaim(
            state: CopyrightClaim.State(rawValue: told.notice.state) ?? .received,
            counteredAt: told.notice.counter?.receivedAt)
        decideAddress = "\(StaffNavigation.Place.copyright.rawValue)/\(told.notice.id)/decision"
        isParty = !told.mayDecide
        let events = claim.decisions(at: now)
        let offered = events.compactMap { Self.option($0, claim.state, form["decision"]) }
        // What is the only choice need not be chosen.
        options =
            offered.count == 1 ? events.compactMap { Self.option($0, claim.state, offered.first?.value) } : offered
        mayDecide = !isParty && !options.isEmpty
        message = form["message"] ?? ""
        self.problem = problem?.summary
        mistakes = problem?.mistakes ?? [:]
    }

    private static func option(
        _ event: CopyrightClaim.Event, _ state: CopyrightClaim.State, _ chosen: String?
    ) -> Option? {
        func option(_ value: String, _ label: Phrase, _ hint: Phrase) -> Option {
            Option(value: value, label: label, hint: hint, isSelected: value == chosen)
        }
        return switch event {
        case .accepted:
            option(
                "accept", "Accept it",
                "It is taken down at once. Its author is told, gets a strike, and may object.")
        case .rejected: option("reject", "Reject it", "Nothing in it would take the work down.")
        case .suitFiled:
            option(
                "suit", "The claimant went to court",
                "They told you of an action in court: it stays down until that has ended.")
        case .withdrawn:
            option(
                "withdraw", "The claimant withdrew it",
                state == .received ? "Nothing more happens." : "What was taken down is put back.")
        case .countered, .tick: nil
        }
    }
}
