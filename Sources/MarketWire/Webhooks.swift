// SPDX-License-Identifier: Apache-2.0
import Foundation
import SheetCore

/// Kinds of things of webhooks that have ids; none of them is ever made.
public enum WebhookEntity {
    /// Stands for a webhook in the type of its identifier.
    public enum Webhook {}
    /// Stands for a delivery of a webhook in the type of its identifier.
    public enum Delivery {}
}

/// Of an address that is told of events.
public typealias WebhookID = Identifier<WebhookEntity.Webhook>
/// An event on its way to a webhook.
public typealias WebhookDeliveryID = Identifier<WebhookEntity.Delivery>

/// Something that a webhook can be told of. Open: there may be more.
public struct WebhookEvent: RawRepresentable, Hashable, Sendable, Codable {
    /// `version.published`, …
    public let rawValue: String

    /// Any word, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// A version of one of the templates came out.
    public static let versionPublished = Self(rawValue: "version.published")
    /// An upload was published, refused or returned.
    public static let submissionDecided = Self(rawValue: "submission.decided")
    /// Somebody reviewed one of the templates.
    public static let reviewCreated = Self(rawValue: "review.created")
    /// Somebody complained; for administrators.
    public static let reportCreated = Self(rawValue: "report.created")
    /// A moderator took one of the templates down.
    public static let templateTakenDown = Self(rawValue: "template.taken_down")
    /// What `POST /webhooks/{id}/ping` sends; nobody subscribes to it.
    public static let ping = Self(rawValue: "webhook.ping")

    /// What can be subscribed to.
    public static let all: [WebhookEvent] = [
        .versionPublished, .submissionDecided, .reviewCreated, .reportCreated, .templateTakenDown,
    ]
}

/// Whose events a webhook is told of.
public enum WebhookCover: String, Sendable, Codable, CaseIterable {
    /// Those of its owner's templates and uploads.
    case own
    /// Everybody's; for administrators.
    case all
}

/// `POST /webhooks`.
public struct WebhookRequest: Sendable, Codable, Equatable {
    /// Where events are sent: `https://…`.
    public var url: String
    /// The events that are told of.
    public var events: [WebhookEvent]
    /// `own` when absent.
    public var covers: WebhookCover?
    /// For its owner's eyes.
    public var description: String?

    public init(
        url: String, events: [WebhookEvent], covers: WebhookCover? = nil, description: String? = nil
    ) {
        self.url = url
        self.events = events
        self.covers = covers
        self.description = description
    }
}

/// `PATCH /webhooks/{id}`; what is absent stays.
public struct WebhookPatch: Sendable, Codable, Equatable {
    /// Where it is sent.
    public var url: String?
    /// The events that are told of.
    public var events: [WebhookEvent]?
    /// More about it.
    public var description: String?
    /// `false` stops deliveries; `true` begins them again, also after too many failures.
    public var isEnabled: Bool?

    public init(
        url: String? = nil, events: [WebhookEvent]? = nil, description: String? = nil, isEnabled: Bool? = nil
    ) {
        self.url = url
        self.events = events
        self.description = description
        self.isEnabled = isEnabled
    }
}

/// An address of another service that is told of events.
public struct Webhook: Sendable, Codable, Equatable {
    /// Its identifier.
    public var id: WebhookID
    /// Where it is sent.
    public var url: String
    /// The events that are told of.
    public var events: [WebhookEvent]
    /// Whose templates are covered.
    public var covers: WebhookCover
    /// More about it, in Markdown.
    public var description: String
    /// When it was made.
    public var createdAt: Date
    /// Whether it works now.
    public var isEnabled: Bool
    /// Why it is not: `owner`, `failing` (for days), `gone` (it answered 410).
    public var disabledReason: String?
    /// Since when nothing has arrived.
    public var failingSince: Date?

    public init(
        id: WebhookID, url: String, events: [WebhookEvent], covers: WebhookCover, description: String,
        createdAt: Date, isEnabled: Bool, disabledReason: String? = nil, failingSince: Date? = nil
    ) {
        self.id = id
        self.url = url
        self.events = events
        self.covers = covers
        self.description = description
        self.createdAt = createdAt
        self.isEnabled = isEnabled
        self.disabledReason = disabledReason
        self.failingSince = failingSince
    }
}

/// The answer to `POST /webhooks` and `POST /webhooks/{id}/secret`: the only time the secret is shown.
public struct NewWebhook: Sendable, Codable, Equatable {
    /// What is shown of it from now on.
    public var webhook: Webhook
    /// `whsec_` and the key's bytes in base64, as Standard Webhooks has it.
    public var secret: String

    public init(webhook: Webhook, secret: String) {
        self.webhook = webhook
        self.secret = secret
    }
}

/// `GET /webhooks`.
public struct WebhookList: Sendable, Codable, Equatable {
    /// The caller's, the oldest first.
    public var webhooks: [Webhook]
    /// Where the next page begins; `nil` on the last.
    @AlwaysWritten public var nextCursor: String?

    public init(webhooks: [Webhook], nextCursor: String? = nil) {
        self.webhooks = webhooks
        self.nextCursor = nextCursor
    }
}

/// An event on its way to a webhook.
public struct WebhookDelivery: Sendable, Codable, Equatable {
    /// One time that it was sent.
    public struct Attempt: Sendable, Codable, Equatable {
        /// Counted from 1.
        public var number: Int
        /// When it happened.
        public var at: Date
        /// How long the answer took.
        public var milliseconds: Int
        /// What the receiver answered, if it did.
        public var status: Int?
        /// Why there was no answer.
        public var error: String?
        /// How the answer's body begins.
        public var answer: String?

        public init(number: Int, at: Date, milliseconds: Int, status: Int?, error: String?, answer: String?) {
            self.number = number
            self.at = at
            self.milliseconds = milliseconds
            self.status = status
            self.error = error
            self.answer = answer
        }
    }

    /// The same in each attempt: `webhook-id`.
    public var id: WebhookDeliveryID
    /// What happened.
    public var event: WebhookEvent
    /// `pending`, `delivered`, or `failed`: then nothing is tried any more.
    public var state: String
    /// When it was made.
    public var createdAt: Date
    /// While it is pending.
    public var nextAttemptAt: Date?
    /// The last ones, the newest first.
    public var attempts: [Attempt]
    /// What is sent, letter by letter.
    public var body: String

    public init(
        id: WebhookDeliveryID, event: WebhookEvent, state: String, createdAt: Date, nextAttemptAt: Date?,
        attempts: [Attempt], body: String
    ) {
        self.id = id
        self.event = event
        self.state = state
        self.createdAt = createdAt
        self.nextAttemptAt = nextAttemptAt
        self.attempts = attempts
        self.body = body
    }
}

/// `GET /webhooks/{id}/deliveries`, the newest first.
public struct WebhookDeliveryList: Sendable, Codable, Equatable {
    /// The page's deliveries, newest first.
    public var deliveries: [WebhookDelivery]
    /// Where the next page begins; `nil` on the last.
    @AlwaysWritten public var nextCursor: String?

    public init(deliveries: [WebhookDelivery], nextCursor: String?) {
        self.deliveries = deliveries
        self.nextCursor = nextCursor
    }
}
