// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketCommunity
import MarketHTTP
import MarketPages
import MarketPlatform
import MarketWire
import SheetCore

/// A person's webhooks, and the form for another.
struct WebhookListView: Sendable {
    struct Row: Sendable {
        let address: String
        let target: String
        let purpose: String?
        let told: Phrase
        let state: StateLabel
        let coversAll: Bool
    }

    let note: Phrase?
    let newSecret: String?
    let newAddress: String?
    let rows: [Row]
    let hasRows: Bool
    let mayAdd: Bool
    let most: Int
    let problem: Phrase?
    let mistakes: [String: Phrase]
    let url: String
    let about: String
    let longestAbout: Int
    let events: [Choice]
    let covers: [Choice]
    let hasCovers: Bool

    init(
        webhooks: [Webhook], made: NewWebhook?, note: WebhookNote?, form: QueryParameters, problem: FormProblem?,
        mayCoverAll: Bool
    ) {
        self.note = problem == nil && made == nil ? note?.text : nil
        newSecret = made?.secret
        newAddress = made.map { "\(PagePaths.webhooks)/\($0.webhook.id)" }
        rows = webhooks.map { webhook in
            Row(
                address: "\(PagePaths.webhooks)/\(webhook.id)", target: webhook.url,
                purpose: webhook.description.isEmpty ? nil : webhook.description,
                told: webhook.events.map(WebhookLabels.event).joined(separator: ", "), state: StateLabel(webhook),
                coversAll: webhook.covers == .all)
        }
        hasRows = !rows.isEmpty
        most = WebhookService.maximumPerPerson
        mayAdd = webhooks.count < most
        self.problem = problem?.summary
        mistakes = problem?.mistakes ?? [:]
        url = form["url"] ?? ""
        about = form["description"] ?? ""
        longestAbout = WebhookService.maximumDescription
        let chosen = problem == nil ? [WebhookEvent.versionPublished.rawValue] : form.all("event")
        events = WebhookEvent.all.filter { mayCoverAll || $0 != .reportCreated }.map {
            Choice(value: $0.rawValue, label: WebhookLabels.event($0), isSelected: chosen.contains($0.rawValue))
        }
        let cover = form["covers"].flatMap { WebhookCover(rawValue: $0) } ?? .own
        covers = WebhookCover.allCases.map {
            Choice(value: $0.rawValue, label: WebhookLabels.cover($0), isSelected: $0 == cover)
        }
        hasCovers = mayCoverAll
    }
}

/// A webhook with what it was sent of late.
struct WebhookView: Sendable {
    struct Attempt: Sendable {
        let at: DisplayTime
        let outcome: Phrase
        let answer: String?
    }

    struct Delivery: Sendable {
        let deliveryID: String
        let what: Phrase
        let progress: StateLabel
        let created: DisplayTime
        let next: DisplayTime?
        let attempts: [Attempt]
        let content: String
        let maySendAgain: Bool
    }

    let id: String
    let target: String
    let about: String?
    let events: Phrase
    let coversAll: Bool
    /// Whether nothing is sent, since its owner is no administrator any more.
    let isWithheld: Bool
    let state: StateLabel
    let isOn: Bool
    let created: DisplayTime
    let failingSince: DisplayTime?
    let secret: String?
    let note: Phrase?
    let problem: Phrase?
    let unsure: Phrase?
    let filters: [Choice]
    let deliveries: [Delivery]
    let hasDeliveries: Bool
    let older: String?

    init(
        webhook: Webhook, deliveries list: WebhookDeliveryList, state wanted: WebhookStore.DeliveryState?,
        mayReceive: Bool, secret: String?, note: WebhookNote?, problem: FormProblem?, now: Date
    ) {
        id = webhook.id.description
        target = webhook.url
        about = webhook.description.isEmpty ? nil : webhook.description
        events = webhook.events.map(WebhookLabels.event).joined(separator: ", ")
        coversAll = webhook.covers == .all
        isWithheld = !mayReceive
        state = StateLabel(webhook)
        isOn = webhook.isEnabled
        created = DisplayTime(webhook.createdAt, now: now)
        failingSince = webhook.failingSince.map { DisplayTime($0, now: now) }
        self.secret = secret
        self.note = problem == nil && secret == nil ? note?.text : nil
        unsure = problem?.mistakes["sure"]
        self.problem = unsure == nil ? problem?.summary : nil
        let page = PageAddress("\(PagePaths.webhooks)/\(webhook.id)")
        let states: [WebhookStore.DeliveryState?] = [nil] + WebhookStore.DeliveryState.allCases.map { Optional($0) }
        filters = states.map { state in
            Choice(
                value: page.with("state", state?.rawValue).text + "#deliveries",
                label: state.map { StateLabel(delivery: $0.rawValue).text } ?? "All", isSelected: state == wanted)
        }
        deliveries = list.deliveries.map { Self.delivery($0, webhook, now) }
        hasDeliveries = !deliveries.isEmpty
        older = list.nextCursor.map {
            page.with("state", wanted?.rawValue).with("cursor", $0).text + "#deliveries"
        }
    }

    private static func delivery(_ sent: WebhookDelivery, _ webhook: Webhook, _ now: Date) -> Delivery {
        Delivery(
            deliveryID: sent.id.description, what: WebhookLabels.event(sent.event),
            progress: StateLabel(delivery: sent.state), created: DisplayTime(sent.createdAt, now: now),
            next: sent.nextAttemptAt.map { DisplayTime($0, now: now) },
            attempts: sent.attempts.map { attempt in
                let end: Phrase =
                    attempt.status.map { "Answered \($0)" } ?? attempt.error.map { Phrase(told: $0) } ?? "No answer"
                let answer = attempt.answer ?? ""
                return Attempt(
                    at: DisplayTime(attempt.at, now: now), outcome: "\(end), after \(attempt.milliseconds) ms",
                    answer: answer.isEmpty ? nil : answer)
            },
            content: sent.body,
            maySendAgain: webhook.isEnabled && sent.state != WebhookStore.DeliveryState.pending.rawValue)
    }
}

/// What the stable words of webhooks mean.
enum WebhookLabels {
    static func event(_ event: WebhookEvent) -> Phrase {
        switch event {
        case .versionPublished: "a version came out"
        case .submissionDecided: "an upload was decided on"
        case .reviewCreated: "a review was written"
        case .reportCreated: "a report was sent"
        case .templateTakenDown: "a sheet was taken down"
        case .ping: "a ping"
        default: Phrase(verbatim: event.rawValue)
        }
    }

    static func cover(_ cover: WebhookCover) -> Phrase {
        switch cover {
        case .own: "your own sheets and uploads"
        case .all: "everybody's"
        }
    }
}

/// What was just done to a webhook.
enum WebhookNote: String, Sendable {
    case pinged, redelivered, deleted
    case turnedOn = "on"
    case turnedOff = "off"

    init?(_ text: String?) {
        guard let note = text.flatMap(WebhookNote.init(rawValue:)) else { return nil }
        self = note
    }

    var text: Phrase {
        switch self {
        case .pinged: "A ping is on its way. Load the page again to see whether it arrives."
        case .redelivered: "It is sent once more."
        case .deleted: "The webhook is deleted, with all that it was sent."
        case .turnedOn: "It is on: what happens from now on is sent."
        case .turnedOff: "It is off: nothing more is sent."
        }
    }
}
