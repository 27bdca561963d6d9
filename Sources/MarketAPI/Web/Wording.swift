// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketWire
import SheetCore

/// How the pages put values into words.
enum Wording {
    private static let english = Locale(identifier: "en_GB")

    /// `1 page`, `3 pages`.
    static func count(_ number: Int, _ one: String, _ many: String? = nil) -> String {
        "\(number.formatted(.number.locale(english))) \(number == 1 ? one : many ?? "\(one)s")"
    }

    /// `412 KB`.
    static func size(_ bytes: Int) -> String {
        func text(_ value: Double, digits: ClosedRange<Int>) -> String {
            value.formatted(.number.precision(.fractionLength(digits)).locale(english))
        }
        switch bytes {
        case ..<1000: return count(bytes, "byte")
        case ..<1_000_000: return "\(text(Double(bytes) / 1000, digits: 0...0)) KB"
        case ..<10_000_000: return "\(text(Double(bytes) / 1_000_000, digits: 0...1)) MB"
        default: return "\(bytes / 1_000_000) MB"
        }
    }

    /// `4.3`.
    static func tenths(_ value: Double) -> String { String((value * 10).rounded() / 10) }

    /// `1,204`.
    static func number(_ value: Int) -> String { value.formatted(.number.locale(english)) }

    /// `en`: `English`; the tag itself when it has no name.
    static func language(_ tag: String) -> String { english.localizedString(forIdentifier: tag) ?? tag }

    /// The paper that a page of so many points is for.
    static func paper(width: Double, height: Double) -> String {
        let known: [(name: String, short: Double, long: Double)] = [
            ("A3", 842, 1191), ("A4", 595, 842), ("A5", 420, 595), ("A6", 298, 420), ("Letter", 612, 792),
            ("Legal", 612, 1008), ("Tabloid", 792, 1224), ("Half Letter", 396, 612),
        ]
        let short = min(width, height)
        let long = max(width, height)
        let direction = width > height ? ", landscape" : ""
        if let paper = known.first(where: { abs($0.short - short) < 4 && abs($0.long - long) < 4 }) {
            return paper.name + direction
        }
        func millimetres(_ points: Double) -> Int { Int((points / 72 * 25.4).rounded()) }
        return "\(millimetres(width)) × \(millimetres(height)) mm"
    }
}

/// A time as pages show it.
struct Moment: Sendable {
    /// For programs.
    let iso: String
    /// `21 November 2026`.
    let day: String
    /// `21 Nov 2026, 13:04 UTC`.
    let exact: String
    /// `3 minutes ago`, up to a month; then the day.
    let ago: String

    init(_ date: Date, now: Date) {
        iso = date.formatted(.iso8601)
        day = date.formatted(Self.style.day().month(.wide).year())
        let minute = Self.style.hour(.twoDigits(amPM: .omitted)).minute(.twoDigits)
        exact = "\(date.formatted(Self.style.day().month(.abbreviated).year())), \(date.formatted(minute)) UTC"
        ago = Self.ago(now.timeIntervalSince(date)) ?? day
    }

    private static let style = Date.FormatStyle(locale: Locale(identifier: "en_GB"), timeZone: .gmt)

    private static func ago(_ seconds: Double) -> String? {
        switch seconds {
        case ..<60: "just now"
        case ..<3600: Wording.count(Int(seconds / 60), "minute") + " ago"
        case ..<86_400: Wording.count(Int(seconds / 3600), "hour") + " ago"
        case ..<(30 * 86_400): Wording.count(Int(seconds / 86_400), "day") + " ago"
        default: nil
        }
    }
}

/// A state as a coloured word; `tone` is a class of the style sheet.
struct StateLabel: Sendable {
    let text: String
    let tone: String

    /// Words of a page's own, where no value stands for the state.
    init(_ text: String, _ tone: String) {
        self.text = text
        self.tone = tone
    }

    init(_ state: SubmissionState) {
        self =
            switch state {
            case .received: .init("Received", "wait")
            case .inspecting: .init("Being read", "wait")
            case .awaitingReview: .init("Waiting for a moderator", "wait")
            case .published: .init("Published", "good")
            case .rejected: .init("Not accepted", "bad")
            case .changesRequested: .init("Changes wanted", "wait")
            case .withdrawn: .init("Withdrawn", "quiet")
            }
    }

    init(_ summary: CaseSummary, viewer: String) {
        self =
            switch summary.state {
            case .open: .init("Open", "wait")
            case .claimed where summary.claimedBy == viewer: .init("Yours", "good")
            case .claimed: .init("With \(summary.claimedBy ?? "a moderator")", "quiet")
            case .waiting: .init("Waits for the uploader", "quiet")
            case .decided: .init("Decided", "quiet")
            case .appealed: .init("Appealed", "wait")
            case .closed: .init("Closed", "quiet")
            }
    }

    init(_ severity: Finding.Severity) {
        self =
            switch severity {
            case .info: .init("Note", "quiet")
            case .warning: .init("Warning", "wait")
            case .blocker: .init("Refused for this", "bad")
            }
    }

    /// How much the automatic checks have against an upload: 0…100.
    init(risk score: Int) {
        self =
            switch score {
            case ..<1: .init("No risk seen", "good")
            case ..<30: .init("Low risk", "quiet")
            case ..<60: .init("Some risk", "wait")
            default: .init("High risk", "bad")
            }
    }

    init(_ due: CaseSummary.Due) {
        self =
            switch due {
            case .soon: .init("Due soon", "wait")
            case .over: .init("Overdue", "bad")
            }
    }

    init(_ ink: InkVerdict) {
        self =
            switch ink {
            case .compatible: .init("Ink still fits", "good")
            case .shifted: .init("Ink fits when moved", "wait")
            case .incompatible: .init("Ink does not fit", "bad")
            }
    }

    /// Whether a webhook is sent anything, and how that goes.
    init(_ webhook: Webhook) {
        self =
            switch webhook.disabledReason {
            case nil where webhook.isEnabled && webhook.failingSince != nil: .init("Nothing arrives", "wait")
            case nil where webhook.isEnabled: .init("On", "good")
            case "failing": .init("Off, nothing arrived", "bad")
            case "gone": .init("Off, nobody is there", "bad")
            default: .init("Off", "quiet")
            }
    }

    init(delivery state: String) {
        self =
            switch WebhookStore.DeliveryState(rawValue: state) {
            case .pending: .init("On its way", "wait")
            case .delivered: .init("Delivered", "good")
            case .failed: .init("Failed", "bad")
            case nil: .init(state, "quiet")
            }
    }

    init(_ decision: DecisionKind) {
        self =
            switch decision {
            case .approve: .init("Approved", "good")
            case .requestChanges: .init("Changes wanted", "wait")
            case .reject: .init("Rejected", "bad")
            case .takeDown: .init("Taken down", "bad")
            case .restore: .init("Put back", "good")
            case .dismiss: .init("Dismissed", "good")
            case .warn: .init("Warned", "wait")
            case .suspend: .init("Suspended", "bad")
            case .ban: .init("Banned", "bad")
            case .lift: .init("Sanctions ended", "good")
            case .uphold: .init("Decision kept", "quiet")
            case .overturn: .init("Decision undone", "good")
            }
    }
}
