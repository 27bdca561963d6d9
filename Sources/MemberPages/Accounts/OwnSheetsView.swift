// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketCatalog
import MarketHTTP
import MarketPages
import MarketPlatform
import MarketWire
import ModerationService
import SheetCore

/// What somebody works on, and what waits for them.
struct OwnSheetsView: Sendable {
    /// All that may wait for a person.
    struct Waiting: Sendable {
        let questions: [OpenQuestion]
        let invitations: InvitationList
        /// Uploads that moderators want changed.
        let wanted: [SubmissionStatus]
        let decisions: [UserDecision]
        let appeals: [Appeal]
    }

    /// A thing to do, or to wait for.
    struct Task: Sendable {
        let label: StateLabel
        let about: Phrase
        let words: Phrase
        let address: String
        let since: DisplayTime
        let until: DisplayTime?
        /// Whether an appeal is what there is time for.
        var canAppeal = false
    }

    struct Work: Sendable {
        let sheetName: String
        /// Its page; the page to manage it while nothing of it is on offer.
        let address: String
        let manageAddress: String
        let part: Phrase
        let offered: String?
        let isDeprecated: Bool
        let downloads: Phrase
        let reviews: Phrase
    }

    let tasks: [Task]
    let hasTasks: Bool
    let works: [Work]
    let hasWorks: Bool
    let older: String?
    let uploads: [OwnUpload]
    let hasUploads: Bool

    init(
        _ works: [AuthorStore.Work], hasMore: Bool, uploads: [SubmissionStatus], fates: [SubmissionID: VersionState],
        waiting: Waiting, now: Date
    ) {
        tasks = Self.tasks(waiting, now: now)
        hasTasks = !tasks.isEmpty
        self.works = works.map { work in
            let page = PagePaths.sheet(work.slug)
            return Work(
                sheetName: work.name, address: work.offered == nil ? "\(page)/manage" : page,
                manageAddress: "\(page)/manage", part: Phrase(told: work.part.rawValue),
                offered: work.offered?.description,
                isDeprecated: work.isDeprecated, downloads: DisplayText.count(work.downloads, "download"),
                reviews: DisplayText.count(work.reviews, "review"))
        }
        hasWorks = !works.isEmpty
        older =
            hasMore ? works.last.map { PageAddress(PagePaths.ownSheets).with("before", $0.id.description).text } : nil
        self.uploads = uploads.map { OwnUpload($0, fate: fates[$0.id], now: now) }
        hasUploads = !uploads.isEmpty
    }

    /// What takes an answer first, then what can be objected to, then what others have to do.
    private static func tasks(_ waiting: Waiting, now: Date) -> [Task] {
        let questions = waiting.questions.map {
            Task(
                label: StateLabel("Question", "wait"), about: "\($0.name) \($0.version)", words: excerpt($0.text),
                address: "/submissions/\($0.submission)#messages", since: DisplayTime($0.asked, now: now), until: nil)
        }
        let wanted = waiting.wanted.map {
            Task(
                label: StateLabel($0.state), about: "\($0.templateName) \($0.version)",
                words: $0.decision.map { excerpt($0.message) } ?? "A moderator asks for changes.",
                address: "/submissions/\($0.id)", since: DisplayTime($0.updatedAt, now: now), until: nil)
        }
        let invitations = waiting.invitations.invitations.map {
            Task(
                label: StateLabel("Invitation", "wait"), about: Phrase(verbatim: $0.templateName),
                words: "\($0.inviter) asks you to join.", address: "/account#invitations",
                since: DisplayTime($0.createdAt, now: now), until: DisplayTime($0.expiresAt, now: now))
        }
        let decisions = waiting.decisions.filter { $0.appealEnds != nil }.map { decision in
            Task(
                label: StateLabel(decision.decision.decision), about: decision.about,
                words: excerpt(decision.decision.message), address: PagePaths.appeals + "#decisions",
                since: DisplayTime(decision.decision.decidedAt, now: now),
                until: decision.appealEnds.map { DisplayTime($0, now: now) }, canAppeal: true)
        }
        let appeals = waiting.appeals.filter { $0.state == .open }.map {
            Task(
                label: StateLabel("Appealed", "quiet"), about: Phrase(verbatim: $0.title),
                words: "Your appeal is with the moderators.",
                address: PagePaths.appeals + "#appeals", since: DisplayTime($0.createdAt, now: now), until: nil)
        }
        return questions + wanted + invitations + decisions + appeals
    }

    private static func excerpt(_ text: String) -> Phrase {
        let line = DisplayText.oneLine(text)
        return Phrase(verbatim: line.count > 160 ? line.prefix(159) + "…" : line)
    }
}
