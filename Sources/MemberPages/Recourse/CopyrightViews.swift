// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketCatalog
import MarketHTTP
import MarketPages
import MarketPlatform
import MarketWire
import Moderation
import ModerationService
import SheetCore

/// What the form of a notice, or of a counter-notice, was filled in with, and how much fits in.
struct CopyrightFields: Sendable {
    /// By the fields' names.
    let typed: [String: String]
    /// Boxes that were ticked, likewise.
    let ticked: [String: Bool]
    let mistakes: [String: Phrase]
    let problem: Phrase?
    let longestLine = CopyrightService.maximumLineLength
    let longestText = CopyrightService.maximumTextLength

    init(_ fields: QueryParameters, _ problem: FormProblem?) {
        let names = ["name", "email", "address", "phone", "work", "explanation", "signature"]
        typed = Dictionary(uniqueKeysWithValues: names.map { ($0, fields[$0] ?? "") })
        let boxes = ["inGoodFaith", "underPenaltyOfPerjury", "consentsToJurisdiction"]
        ticked = Dictionary(uniqueKeysWithValues: boxes.map { ($0, fields[$0] == "yes") })
        mistakes = problem?.mistakes ?? [:]
        self.problem = problem?.summary
    }
}

/// The form of a copyright notice, and what is said once it was sent.
struct CopyrightView: Sendable {
    let sheetName: String
    /// `nil` while nothing of it is on offer, so that it has no page.
    let sheetAddress: String?
    let address: String
    /// The number of the notice that was sent.
    let sent: String?
    /// Whether it is known that it was sent from here.
    let isLedHere: Bool
    let receiptsPerDay = CopyrightEmails.receiptsPerDay
    /// Its page, for who has an account.
    let noticeAddress: String?
    let versions: [Choice]
    let form: CopyrightFields

    init(
        _ sheet: TemplateHeading, versions: [String], sent: CopyrightNoticeID?, isLedHere: Bool,
        isSignedIn: Bool, problem: FormProblem?, fields: QueryParameters
    ) {
        sheetName = sheet.name
        sheetAddress = sheet.isOnOffer ? PagePaths.sheet(sheet.slug) : nil
        address = PagePaths.sheet(sheet.slug, "copyright")
        self.sent = sent?.description
        self.isLedHere = isLedHere
        noticeAddress = isSignedIn ? sent.map { "\(CopyrightPages.home)/\($0)" } : nil
        self.versions = versions.map {
            Choice(value: $0, label: "Version \($0) alone", isSelected: fields["version"] == $0)
        }
        form = CopyrightFields(fields, problem)
    }
}

/// A copyright notice as one of those sees it whom it concerns, with the owner's form to object.
package struct CopyrightNoticeView: Sendable {
    /// Where somebody can be reached.
    struct Contact: Sendable {
        let mail: String?
        let place: String
        let phone: String

        init(_ contact: CopyrightNotice.Contact) {
            mail = contact.email
            place = contact.address
            phone = contact.phone
        }
    }

    /// The owner's objection.
    struct Objection: Sendable {
        let writer: String
        let reasons: String
        let objected: DisplayTime
        let reach: Contact?
    }

    let number: String
    let address: String
    let sheetName: String
    /// Where the sheet can be seen; `nil` while all of it is down.
    let sheetAddress: String?
    let standing: StateLabel
    let meaning: Phrase
    let received: DisplayTime
    let claimant: String
    let work: String
    let claim: String
    let answer: String?
    let contact: Contact?
    let objection: Objection?
    let isCountered: Bool
    /// Whether there is a form: also for what has just been refused, so that nothing typed is lost.
    let mayObject: Bool
    let form: CopyrightFields

    package init(
        _ told: CopyrightNoticeDetail, isCountered: Bool = false, problem: FormProblem? = nil,
        fields: QueryParameters = QueryParameters(nil), now: Date
    ) {
        let notice = told.notice
        let state = CopyrightClaim.State(rawValue: notice.state) ?? .received
        number = notice.id.description
        address = "\(CopyrightPages.home)/\(notice.id)"
        sheetName = told.sheet
        let down: Set<CopyrightClaim.State> = [.takenDown, .countered, .suitFiled]
        sheetAddress = notice.subject.version == nil && down.contains(state) ? nil : PagePaths.sheet(notice.subject.id)
        standing = StateLabel(state)
        meaning = Self.meaning(state, notice, isOwners: told.isOwners, now: now)
        received = DisplayTime(notice.receivedAt, now: now)
        claimant = notice.name
        work = notice.work
        claim = notice.explanation
        answer = notice.message.flatMap { $0.isEmpty ? nil : $0 }
        contact = notice.contact.map { Contact($0) }
        objection = notice.counter.map { counter in
            Objection(
                writer: counter.name, reasons: counter.explanation, objected: DisplayTime(counter.receivedAt, now: now),
                reach: counter.contact.map { Contact($0) })
        }
        self.isCountered = isCountered
        mayObject = told.isOwners && (state == .takenDown || problem != nil)
        form = CopyrightFields(fields, problem)
    }

    /// What a notice's state means, and what comes next.
    private static func meaning(
        _ state: CopyrightClaim.State, _ notice: CopyrightNotice, isOwners: Bool, now: Date
    ) -> Phrase {
        let what: Phrase = notice.subject.version.map { "Version \($0) of the sheet" } ?? "The sheet"
        switch state {
        case .received: return "A moderator looks at it. Nothing is hidden before they have."
        case .takenDown:
            return isOwners
                ? "\(what) can no longer be seen or downloaded. If that is a mistake, object below: it then comes back "
                    + "after ten to fourteen business days, unless the claimant goes to court."
                : "\(what) can no longer be seen or downloaded. Its author was told, and may object with a "
                    + "counter-notice."
        case .countered:
            guard let counter = notice.counter else { return "The author objected." }
            let days = [counter.restoreFrom, counter.restoreBy].map { DisplayTime($0, now: now).day }
            return "The author objected. \(what) comes back between \(days[0]) and \(days[1]) (UTC), unless the "
                + "moderators hear before that the claimant has gone to court."
        case .suitFiled: return "The claimant went to court. \(what) stays down until that has ended."
        case .restored: return "What was taken down is back, unless something else stands against it."
        case .rejected: return "A moderator saw nothing in it that would take the work down."
        case .withdrawn: return "The claimant withdrew it before anything was hidden."
        }
    }
}

extension StateLabel {
    package init(_ state: CopyrightClaim.State) {
        self =
            switch state {
            case .received: .init("With the moderators", "wait")
            case .takenDown: .init("Taken down", "bad")
            case .countered: .init("Objected to", "wait")
            case .suitFiled: .init("In court", "quiet")
            case .restored: .init("Put back", "good")
            case .rejected: .init("Rejected", "quiet")
            case .withdrawn: .init("Withdrawn", "quiet")
            }
    }
}
