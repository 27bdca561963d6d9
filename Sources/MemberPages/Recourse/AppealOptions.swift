// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketHTTP
import MarketPages
import MarketPlatform
import MarketWire
import ModerationService
import SheetCore

/// What somebody can do about a decision.
struct AppealOptions: Sendable {
    /// The form of an appeal; `nil` when it cannot be appealed, or no more.
    let appealAddress: String?
    let appealLabel: Phrase
    let appealEnds: DisplayTime?
    let isOwnAppeal: Bool
    /// What became of somebody else's appeal of it.
    let othersAppeal: Phrase?

    init(_ decision: UserDecision, now: Date) {
        appealAddress = decision.appealEnds.map { _ in
            PageAddress("\(PagePaths.appeals)/new").with("case", decision.caseID.description).text
        }
        appealLabel = "Appeal: \(StateLabel(decision.decision.decision).text), \(decision.about)"
        appealEnds = decision.appealEnds.map { DisplayTime($0, now: now) }
        isOwnAppeal = decision.appeal?.isOwn == true
        othersAppeal = decision.othersAppeal
    }
}

extension UserDecision {
    /// What became of somebody else's appeal of it.
    var othersAppeal: Phrase? { appeal.flatMap { $0.isOwn ? nil : Phrase(told: $0.words) } }

    /// What it is about, in words.
    package var about: Phrase {
        switch subject {
        case .submission, .version, .template:
            Phrase(verbatim: [title, version?.description].compactMap { $0 }.joined(separator: " "))
        case .review: "Review of \(title)"
        case .user:
            switch part {
            case .collection: "A collection of \(title)"
            case .profile: "The profile of \(title)"
            case nil: "Account \(title)"
            }
        }
    }
}
