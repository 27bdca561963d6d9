// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketHTTP
import MarketPages
import MarketPlatform
import MarketWire
import MemberPages
import ModerationService
import SheetCore

/// What the team knows beside the case itself: whose work it is about, earlier cases, and notes for each other.
/// Moderators whose own work it is see none of it.
struct CaseBackgroundView: Sendable {
    /// Whose work it is about.
    struct Person: Sendable {
        let heading: Phrase
        let facts: [Fact]
        let since: DisplayTime
        let isDisabled: Bool
        /// Sanctions in force.
        let sanctions: [StateLabel]
        let sheetsAddress: String
        let accountAddress: String
    }

    struct Earlier: Sendable {
        let address: String
        let about: String
        let number: String
        /// `nil` for an upload: the template asks for `.what`, since `what` would find that of the page's own case.
        let what: Phrase?
        let label: StateLabel
        let begun: DisplayTime
    }

    struct Note: Sendable {
        let writer: String
        let words: String
        let written: DisplayTime
    }

    let isShown: Bool
    let person: Person?
    let earlier: [Earlier]
    let hasEarlier: Bool
    let notes: [Note]
    let hasNotes: Bool
    let mayNote: Bool
    let noteAddress: String
    let noteDraft: String
    let noteProblem: Phrase?
    let noteMistake: Phrase?

    /// `sanctions` are those of whose work it is about; `problem` and `form` are of a note that was not taken.
    init(
        _ detail: CaseDetail, _ standing: CaseStanding, sanctions: SanctionList?, viewer: Identity,
        problem: FormProblem?, form: QueryParameters, now: Date
    ) {
        isShown = detail.notes != nil
        person = detail.author.map { Self.person($0, sanctions, now: now) }
        earlier = (detail.history ?? []).map { item in
            Earlier(
                address: "/moderation/cases/\(item.id)", about: item.templateName,
                number: item.version?.description ?? "", what: QueueView.what(item),
                label: StateLabel(item, viewer: viewer.handle), begun: DisplayTime(item.openedAt, now: now))
        }
        hasEarlier = !earlier.isEmpty
        notes = (detail.notes ?? []).map {
            Note(writer: $0.by, words: $0.text, written: DisplayTime($0.createdAt, now: now))
        }
        hasNotes = !notes.isEmpty
        mayNote = standing.bar == nil
        noteAddress = "/moderation/cases/\(detail.summary.id)/notes"
        noteDraft = problem == nil ? "" : form["text"] ?? ""
        noteProblem = problem?.summary
        noteMistake = problem?.mistakes["text"]
    }

    private static func person(_ author: CaseAuthor, _ list: SanctionList?, now: Date) -> Person {
        var facts = [
            Fact(label: "Uploads published", value: DisplayText.number(author.published)),
            Fact(label: "Rejected", value: DisplayText.number(author.rejected)),
            Fact(label: "Waiting to be corrected", value: DisplayText.number(author.changesRequested)),
            Fact(label: "Versions taken down", value: DisplayText.number(author.takenDown)),
            Fact(label: "Open cases", value: DisplayText.number(author.openCases)),
        ]
        if let list { facts.append(Fact(label: "Strikes", value: DisplayText.tenths(list.strikes))) }
        return Person(
            heading: "About \(author.handle)", facts: facts, since: DisplayTime(author.since, now: now),
            isDisabled: author.isDisabled,
            sanctions: (list?.sanctions ?? []).filter(\.inForce).map { sanction in
                let word = PersonView.word(sanction.kind)
                let until = sanction.until.map { DisplayTime($0, now: now).day }
                return StateLabel(until.map { "\(word) until \($0)" } ?? word, "bad")
            },
            sheetsAddress: "/authors/\(author.handle)",
            accountAddress: "\(StaffNavigation.Place.people.rawValue)/\(author.handle)")
    }
}
