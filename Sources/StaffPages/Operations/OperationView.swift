// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketAccounts
import MarketHTTP
import MarketPages
import MarketPlatform
import SheetCore

struct OperationView: Sendable {
    struct Job: Sendable {
        let what: Phrase
        let subjectAddress: String?
        let error: String
        let attempts: Phrase
        let ended: DisplayTime
        /// Where a form has it done again; `nil` where that would come to nothing.
        let retryAddress: String?
    }

    struct Email: Sendable {
        let template: Phrase
        let state: StateLabel
        let attempts: Phrase
        let made: DisplayTime
        let problem: Phrase?
    }

    /// Files of a kind.
    struct Kept: Sendable {
        let kind: Phrase
        let files: Phrase
        let size: Phrase
    }

    let navigation: StaffNavigation
    let jobs: [Fact]
    let dead: [Job]
    let hasDead: Bool
    let emails: [Fact]
    let troubled: [Email]
    let hasTroubled: Bool
    /// Where the e-mails can be read that are written into a folder.
    let emailsAddress: String?
    let storage: [Kept]
    let storedFiles: Phrase
    let storedBytes: Phrase
    let databaseSize: Phrase
    let settings: [SettingLine]

    init(
        navigation: StaffNavigation, jobs: JobStatistics, dead: [DeadJob], emails: MailSummary,
        place: EmailPlace, hasFolder: Bool, stored: [StorageStore.Kind], databaseBytes: Int, settings: [SettingLine],
        now: Date
    ) {
        self.navigation = navigation
        self.jobs = [
            Fact(label: "Ready to begin", value: DisplayText.number(jobs.ready)),
            Fact(label: "Being done", value: DisplayText.number(jobs.running)),
            Fact(label: "Wait for another attempt", value: DisplayText.number(jobs.delayed)),
            Fact(label: "Given up", value: DisplayText.number(jobs.dead)),
        ]
        self.dead = dead.map { Self.job($0, now: now) }
        hasDead = !dead.isEmpty
        self.emails = [
            Fact(label: "Waiting", value: DisplayText.number(emails.waiting)),
            Fact(label: Self.sent(place), value: DisplayText.number(emails.sent)),
            Fact(label: "Given up", value: DisplayText.number(emails.abandoned)),
        ]
        troubled = emails.troubled.map { email in
            Email(
                template: Phrase(told: email.template.rawValue.replacing("_", with: " ")),
                state: email.isWaiting ? StateLabel("Tried again", "wait") : StateLabel("Given up", "bad"),
                attempts: DisplayText.count(email.attempts, "attempt"),
                made: DisplayTime(email.createdAt, now: now), problem: email.problem.map { Phrase(verbatim: $0) })
        }
        hasTroubled = !troubled.isEmpty
        emailsAddress = hasFolder ? EmailPages.address : nil
        storage = stored.map {
            Kept(
                kind: Self.kind($0.mediaType), files: DisplayText.number($0.files), size: DisplayText.size($0.bytes))
        }
        storedFiles = DisplayText.number(stored.map(\.files).reduce(0, +))
        storedBytes = DisplayText.size(stored.map(\.bytes).reduce(0, +))
        databaseSize = DisplayText.size(databaseBytes)
        self.settings = settings
    }

    /// What the market did with e-mails that are done with.
    static func sent(_ place: EmailPlace) -> Phrase {
        switch place {
        case .folder: "Written in the last two weeks"
        case .sent, .kept: "Sent in the last two weeks"
        }
    }

    private static func kind(_ mediaType: String) -> Phrase {
        switch mediaType {
        case "application/pdf": "Sheets"
        case "image/webp": "Pictures of pages"
        default: Phrase(verbatim: mediaType)
        }
    }

    private static func job(_ job: DeadJob, now: Date) -> Job {
        return Job(
            what: job.kind == .ingestUpload
                ? "Inspect an upload" : Phrase(told: job.kind.rawValue.replacing("_", with: " ")),
            subjectAddress: "/submissions/\(SubmissionID(rawValue: job.subject))", error: job.error,
            attempts: DisplayText.count(job.attempts, "attempt"), ended: DisplayTime(job.endedAt, now: now),
            retryAddress: !job.kind.canBeRevived
                ? nil : "\(StaffNavigation.Place.operation.rawValue)/jobs/\(job.id)/retry")
    }
}
