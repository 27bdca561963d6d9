// SPDX-License-Identifier: Apache-2.0
import MarketWire

/// Why something cannot be done with a webhook.
package enum WebhookError: Error, Equatable, Sendable {
    /// The caller has no such webhook.
    case noSuchWebhook
    case noSuchDelivery
    /// The person has as many webhooks as there can be.
    case tooMany(maximum: Int)
    /// The market has no key to seal secrets with.
    case cannotSeal
    /// Nothing is sent to a webhook that is turned off.
    case turnedOff
    /// The webhook hears of everybody's events, and its owner is no administrator any more.
    case ownerIsNoAdministrator
    /// Values do not hold.
    case invalid([ProblemDocument.Detail])
}
