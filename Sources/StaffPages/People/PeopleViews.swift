// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketAccounts
import MarketHTTP
import MarketPages
import MarketPlatform
import MarketWire
import Moderation
import SheetCore

struct PeopleView: Sendable {
    struct Line: Sendable {
        let address: String
        let handle: String
        let name: String?
        let role: Phrase
        let since: DisplayTime
        let isDisabled: Bool
        /// What keeps them from anything now.
        let sanctions: [StateLabel]
    }

    struct Tab: Sendable {
        let label: Phrase
        let address: String
        let isHere: Bool
    }

    /// What the list can be narrowed to.
    static let kinds = ["suspend", "ban", "warn"]

    let navigation: StaffNavigation
    let tabs: [Tab]
    let kind: String?
    let asked: String
    let lines: [Line]
    let hasLines: Bool
    let next: String?

    init(
        navigation: StaffNavigation, asked: String, kind: String?, people: [UserRecord],
        sanctions: [UserID: [SanctionInfo]], hasMore: Bool, now: Date
    ) {
        self.navigation = navigation
        let home = PageAddress(StaffNavigation.Place.people.rawValue).with("q", asked)
        let names: [(String?, Phrase)] = [
            (nil, "Everybody"), ("suspend", "Suspended"), ("ban", "Banned"), ("warn", "Warned"),
        ]
        tabs = names.map { Tab(label: $1, address: home.with("sanction", $0).text, isHere: $0 == kind) }
        self.kind = kind
        self.asked = asked
        lines = people.map { user in
            Line(
                address: "\(StaffNavigation.Place.people.rawValue)/\(user.handle)", handle: user.handle,
                name: user.displayName == user.handle ? nil : user.displayName, role: Phrase(told: user.role.rawValue),
                since: DisplayTime(user.createdAt, now: now), isDisabled: user.disabledAt != nil,
                sanctions: (sanctions[user.id] ?? []).map { Self.label($0, now: now) })
        }
        hasLines = !lines.isEmpty
        next =
            hasMore
            ? home.with("sanction", kind).with("after", people.last?.handle).text : nil
    }

    private static func label(_ sanction: SanctionInfo, now: Date) -> StateLabel {
        let until: Phrase? = sanction.until.map { "Suspended until \(DisplayTime($0, now: now).day)" }
        return StateLabel(until ?? PersonView.word(sanction.kind), "bad")
    }
}

struct PersonView: Sendable {
    struct Sanction: Sendable {
        let id: String
        let kind: Phrase
        let tone: String
        let reason: Phrase
        let message: String
        let imposed: DisplayTime
        /// Not `until`: the page's form has a field of that name, which would stand in for one that is missing.
        let ends: Phrase?
        let lifted: Phrase?
        /// Where a form takes it back; `nil` for one that is over.
        let liftAddress: String?
    }

    let navigation: StaffNavigation
    let handle: String
    let name: String?
    let role: Phrase
    let since: DisplayTime
    let isDisabled: Bool
    let hasVerifiedEmail: Bool
    let hasSecondFactor: Bool
    let strikes: Phrase
    let proposal: Phrase?
    let sanctions: [Sanction]
    let hasSanctions: Bool
    /// Nobody sanctions themselves or somebody of their own rank or above.
    let maySanction: Bool
    let imposeAddress: String
    let authorAddress: String
    let caseAddress: String
    let kinds: [Choice]
    let until: String
    let reasons: [Choice]
    let message: String
    let problem: Phrase?
    let mistakes: [String: Phrase]

    init(
        navigation: StaffNavigation, _ user: UserRecord, _ list: SanctionList, reasons: [CannedReason],
        viewer: Identity,
        problem: FormProblem?, form: QueryParameters, now: Date
    ) {
        self.navigation = navigation
        handle = user.handle
        name = user.displayName == user.handle ? nil : user.displayName
        role = Phrase(told: user.role.rawValue)
        since = DisplayTime(user.createdAt, now: now)
        isDisabled = user.disabledAt != nil
        hasVerifiedEmail = user.emailVerifiedAt != nil
        hasSecondFactor = user.hasSecondFactor
        strikes =
            list.strikes == list.strikes.rounded()
            ? DisplayText.number(Int(list.strikes)) : DisplayText.tenths(list.strikes)
        proposal = list.proposal.map { next in
            next.days.map { "\(Self.word(next.kind)) for \(DisplayText.count($0, "day"))" } ?? Self.word(next.kind)
        }
        let maySanction =
            user.id != viewer.userID && Moderation.Sanction.mayBeImposed(on: user.role, by: viewer.role)
        let page = "\(StaffNavigation.Place.people.rawValue)/\(user.handle)"
        sanctions = list.sanctions.map { sanction in
            let mayLift =
                maySanction && sanction.inForce
                && Moderation.Sanction.mayBeLifted(isBan: sanction.kind == "ban", by: viewer.role)
            return Sanction(
                id: "\(sanction.id)", kind: Self.word(sanction.kind), tone: sanction.inForce ? "bad" : "quiet",
                reason: reasons.first { $0.code == sanction.reasonCode }.map { Phrase(verbatim: $0.title) }
                    ?? Phrase(told: sanction.reasonCode.replacing("_", with: " ")),
                message: sanction.message,
                imposed: DisplayTime(sanction.imposedAt, now: now),
                ends: sanction.until.map { DisplayTime($0, now: now).day },
                lifted: sanction.liftedAt.map { DisplayTime($0, now: now).day },
                liftAddress: mayLift ? "\(page)/sanctions/\(sanction.id)/lift" : nil)
        }
        hasSanctions = !sanctions.isEmpty
        self.maySanction = maySanction
        imposeAddress = "\(page)/sanctions"
        authorAddress = "/authors/\(user.handle)"
        caseAddress = PagePaths.newCase(.init(kind: .user, id: user.handle))
        let chosen = form["kind"] ?? "warn"
        kinds = ["warn", "suspend"].map { Choice(value: $0, label: Self.word($0), isSelected: $0 == chosen) }
        until = form["until"] ?? ""
        self.reasons = reasons.filter { $0.verdicts.contains(.warn) || $0.verdicts.contains(.suspend) }
            .map {
                Choice(value: $0.code, label: Phrase(verbatim: $0.title), isSelected: $0.code == form["reasonCode"])
            }
        message = form["message"] ?? ""
        self.problem = problem?.summary
        mistakes = problem?.mistakes ?? [:]
    }

    static func word(_ kind: String) -> Phrase {
        switch kind {
        case "warn": "Warning"
        case "suspend": "Suspension"
        case "ban": "Ban"
        default: Phrase(verbatim: kind)
        }
    }
}
