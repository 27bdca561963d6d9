// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketPlatform
import MarketWire
import Outgoing
import Postgres
import ServiceLifecycle
import SheetCore

/// Sends events to webhooks, each at least once, beside the workers. Any number of nodes may run one: a delivery is one
/// node's until its lease ends.
package struct WebhookDispatcher: Service {
    /// How much of an answer is kept for the webhook's owner.
    static let answerBytes = 1000
    /// Deliveries that one node sends at the same time.
    package static let concurrency = OutgoingClient.concurrency

    private let platform: Platform
    private let outbox: WebhookOutbox
    private let schedule: WebhookSchedule

    package init(platform: Platform) {
        self.init(platform: platform, schedule: WebhookSchedule())
    }

    package init(platform: Platform, schedule: WebhookSchedule) {
        self.platform = platform
        self.schedule = schedule
        outbox = WebhookOutbox(database: platform.database, schedule: schedule)
    }

    /// Works until the task is cancelled or the service group shuts down. What is being sent then is sent again later.
    package func run() async throws {
        await cancelWhenGracefulShutdown { [self] in
            await withTaskGroup(of: Void.self) { group in
                let bells = (0..<Self.concurrency).map { _ in
                    let (rings, bell) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
                    group.addTask { for await _ in rings { await sendAll() } }
                    return bell
                }
                group.addTask {
                    for await _ in platform.database.listen(["webhooks"]) { for bell in bells { bell.yield() } }
                }
                group.addTask {
                    // For what falls due later, and what a notification did not tell; it wakes this dispatcher alone.
                    await repeating(every: .seconds(schedule.pollSeconds)) { for bell in bells { bell.yield() } }
                }
                await group.waitForAll()
            }
        }
    }

    /// Sends what is due, one delivery after the other.
    private func sendAll() async {
        await platform.attempt("send to webhooks") {
            while !Task.isCancelled, let claim = try await outbox.claim() { try await send(claim) }
        }
    }

    /// Sends a delivery and notes what came of it.
    package func send(_ claim: WebhookOutbox.Claim) async throws {
        try await tracedFromHere("deliver webhook", ["sheetmarket.webhook.attempt": "\(claim.tries)"]) {
            try await sendTraced(claim)
        }
    }

    private func sendTraced(_ claim: WebhookOutbox.Claim) async throws {
        guard claim.mayReceive else { return try await withhold(claim) }
        let (outcome, asked) = await attempt(claim)
        // Whether it arrived is unknown: the lease expires, and it is sent again.
        if Task.isCancelled { return }
        try await outbox.recordOutcome(claim, outcome, verdict(claim, outcome, asked: asked))
    }

    /// Ends a delivery without sending it: its owner has lost the right to be told since it was entered.
    private func withhold(_ claim: WebhookOutbox.Claim) async throws {
        let why = "Not sent: the webhook's owner may not be told this any more."
        try await outbox.recordOutcome(
            claim, WebhookOutbox.Outcome(at: platform.now(), milliseconds: 0, error: why), .withheld)
    }

    private func verdict(
        _ claim: WebhookOutbox.Claim, _ outcome: WebhookOutbox.Outcome, asked: Double?
    ) -> WebhookOutbox.Verdict {
        switch outcome.status {
        case .some(200...299): return .delivered
        case 410: return .gone
        default:
            return schedule.pause(afterTry: claim.tries, asked: asked).map { .again($0) } ?? .failed
        }
    }

    private func attempt(
        _ claim: WebhookOutbox.Claim
    ) async -> (outcome: WebhookOutbox.Outcome, asked: Double?) {
        let now = platform.now()
        let begin = ContinuousClock.now
        var outcome = WebhookOutbox.Outcome(at: now, milliseconds: 0)
        var asked: Double?
        if let secret = platform.secrets?.open(claim.secret, for: WebhookService.context(claim.webhook)) {
            let request = OutgoingRequest(
                url: claim.url, method: "POST",
                fields: WebhookSecret(bytes: secret).fields(id: claim.id.description, body: claim.body, at: now)
                    + [("Content-Type", "application/json"), ("User-Agent", "Sheetmarket-Webhooks/1")],
                body: Array(claim.body.utf8), seconds: schedule.attemptSeconds,
                maximumAnswerBytes: Self.answerBytes, cutsLongAnswer: true)
            do throws(OutgoingError) {
                let answer = try await platform.outgoing.send(request)
                outcome.status = answer.status
                outcome.answer = Self.text(answer.body)
                asked = answer.fields.first { $0.name == "retry-after" }.flatMap { Double($0.value) }
            } catch {
                outcome.error = error.description
            }
        } else {
            outcome.error = "The webhook's secret cannot be opened: the operator has to look after the market's keys."
        }
        outcome.milliseconds = Int(begin.duration(to: .now).seconds * 1000)
        return (outcome, asked)
    }

    /// The part of the receiver's bytes that the database can hold: text without NUL and broken characters.
    private static func text(_ bytes: [UInt8]) -> String {
        let scalars = String(decoding: bytes, as: UTF8.self).unicodeScalars.filter { $0 != "\0" && $0 != "\u{FFFD}" }
        return String(String.UnicodeScalarView(scalars))
    }
}
