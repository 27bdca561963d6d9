// SPDX-License-Identifier: Apache-2.0
import Foundation
import Logging
import Outgoing
import ServiceLifecycle
import SheetCore
import Synchronization
import Tracing

/// Sends spans to a collector by OTLP over HTTP, many at once and beside all other work: what cannot be sent waits in a
/// bounded queue, and what does not fit there is dropped and counted. Nobody ever waits for it.
///
/// It should be among the first of a group's services, which end last: at an orderly stop it sends what is left.
package final class TraceExport: Service {
    /// Spans of one request.
    private static let batch = 512
    /// How long a request may take, and then what is left at the end, in seconds.
    private static let requestSeconds = 5.0

    private let queue: SpanQueue
    private let sender: TraceSender
    private let settings: TraceSettings
    private let logger: Logger

    /// `nil` when there is no collector.
    package init?(_ settings: TraceSettings, metrics: MarketMetrics, logger: Logger) {
        guard let endpoint = settings.endpoint else { return nil }
        metrics.registry.describe(
            "sheetmarket_trace_spans_total", .counter,
            "Spans by what became of them: 'sent', 'dropped' for want of room, or 'failed' for a collector that refuses them or is out of reach."
        )
        func counter(_ result: String) -> PrometheusNumber {
            metrics.registry.number(.counter, "sheetmarket_trace_spans_total", [("result", result)])
        }
        let (sent, failed) = (counter("sent"), counter("failed"))
        self.settings = settings
        self.logger = logger
        queue = SpanQueue(size: settings.queueSize, batch: Self.batch, dropped: counter("dropped"))
        let resource = [
            ("service.name", settings.serviceName), ("service.version", ReleaseVersion.current),
            ("service.instance.id", UUID().uuidString.lowercased()),
            ("telemetry.sdk.language", "swift"), ("telemetry.sdk.name", "sheetmarket"),
        ]
        // The operator named it; collectors stand in private networks.
        let client = OutgoingClient(
            policy: .anywhere, authorities: settings.authorities?.path, concurrency: 1, keepsConnections: true,
            logger: logger)
        sender = TraceSender(
            queue: queue, batch: Self.batch, document: OTLPDocument(resource: resource), sent: sent, failed: failed,
            logger: logger
        ) { body, seconds in
            let fields =
                [("Content-Type", "application/json")] + (settings.headers ?? []).map { ($0.name, $0.value) }
            return try await client.send(
                OutgoingRequest(
                    url: endpoint + "/v1/traces", method: "POST", fields: fields.map { (name: $0.0, value: $0.1) },
                    body: Array(body.utf8), seconds: min(seconds, Self.requestSeconds), maximumAnswerBytes: 4096,
                    cutsLongAnswer: true)
            ).status
        }
    }

    /// Makes the spans that this sends.
    package var tracer: MarketTracer {
        MarketTracer(sampler: settings.sampler, ratio: settings.ratio, take: queue.add)
    }

    package func run() async throws {
        let (wakeUps, bell) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        queue.whenFilled { bell.yield() }
        await withGracefulShutdownHandler {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { [delay = settings.delayMilliseconds] in
                    // Sleeping fails only when the task is cancelled.
                    while (try? await Task.sleep(for: .milliseconds(delay))) != nil { bell.yield() }
                }
                for await _ in wakeUps { await sender.sendDue() }
                group.cancelAll()
            }
        } onGracefulShutdown: {
            bell.finish()
        }
        await sender.sendRest(within: Self.requestSeconds)
    }
}

/// Spans that wait to be sent.
private final class SpanQueue: Sendable {
    private struct State {
        var spans: [EndedSpan] = []
        var ring: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())
    private let size: Int
    private let batch: Int
    private let dropped: PrometheusNumber

    init(size: Int, batch: Int, dropped: PrometheusNumber) {
        self.size = size
        self.batch = min(batch, size)
        self.dropped = dropped
    }

    /// Has `ring` called whenever there is enough for a request.
    func whenFilled(_ ring: @escaping @Sendable () -> Void) {
        state.withLock { $0.ring = ring }
    }

    /// Takes the span, or drops it where there is no room.
    @Sendable func add(_ span: EndedSpan) {
        let (hasRoom, ring) = state.withLock { state in
            guard state.spans.count < size else { return (false, nil as (@Sendable () -> Void)?) }
            state.spans.append(span)
            return (true, state.spans.count == batch ? state.ring : nil)
        }
        if !hasRoom { dropped.add(1) }
        ring?()
    }

    /// The oldest ones, which are this queue's no longer.
    func take(_ count: Int) -> [EndedSpan] {
        state.withLock { state in
            let taken = Array(state.spans.prefix(count))
            state.spans.removeFirst(taken.count)
            return taken
        }
    }
}

/// Brings spans on their way, one request after the other.
private actor TraceSender {
    /// Sends a document within so many seconds and gives the answer's status.
    typealias Post = @Sendable (_ document: String, _ seconds: Double) async throws -> Int

    /// How often a request is tried.
    private static let mostTries = 5

    private let queue: SpanQueue
    private let batch: Int
    private let document: OTLPDocument
    private let sent: PrometheusNumber
    private let failed: PrometheusNumber
    private let logger: Logger
    private let post: Post
    /// What is tried again.
    private var unsent: [EndedSpan] = []
    private var tries = 0
    private var mayTryAt = ContinuousClock.now
    private var isDown = false

    init(
        queue: SpanQueue, batch: Int, document: OTLPDocument, sent: PrometheusNumber, failed: PrometheusNumber,
        logger: Logger, post: @escaping Post
    ) {
        self.queue = queue
        self.batch = batch
        self.document = document
        self.sent = sent
        self.failed = failed
        self.logger = logger
        self.post = post
    }

    /// Sends what there is, until a request fails.
    func sendDue() async {
        while ContinuousClock.now >= mayTryAt, await sendOne(within: .infinity) {}
    }

    /// Sends what is left, as far as it gets; the rest is dropped.
    func sendRest(within seconds: Double) async {
        let deadline = ContinuousClock.now + .seconds(seconds)
        var left = seconds
        while left > 0, !Task.isCancelled, await sendOne(within: left) {
            left = ContinuousClock.now.duration(to: deadline).seconds
        }
        let rest = unsent.count + queue.take(.max).count
        guard rest > 0 else { return }
        failed.add(Double(rest))
        logger.warning("spans were not sent before the end", metadata: ["count": "\(rest)"])
    }

    /// Whether there was something, and it arrived or will never.
    private func sendOne(within seconds: Double) async -> Bool {
        if unsent.isEmpty {
            unsent = queue.take(batch)
            tries = 0
        }
        guard !unsent.isEmpty else { return false }
        let problem: String
        do {
            let status = try await post(document.text(unsent), seconds)
            if (200...299).contains(status) {
                if isDown { logger.notice("traces are sent again") }
                isDown = false
                return settle(by: sent)
            }
            problem = "status \(status)"
            // Whatever else it says, it will say again (OTLP, "Failures").
            guard [429, 502, 503, 504].contains(status) else {
                tell(problem)
                return settle(by: failed)
            }
        } catch {
            problem = "\(error)"
        }
        tell(problem)
        tries += 1
        guard tries < Self.mostTries else { return settle(by: failed) }
        mayTryAt = .now + .seconds(Double(1 << tries) * .random(in: 0.5...1))
        return false
    }

    private func settle(by counter: PrometheusNumber) -> Bool {
        counter.add(Double(unsent.count))
        unsent = []
        return true
    }

    /// Once for each time that it is out of reach.
    private func tell(_ problem: String) {
        guard !isDown else { return }
        isDown = true
        logger.warning(
            "traces cannot be sent; spans wait, and are dropped where there is no room",
            metadata: ["setting": "OTEL_EXPORTER_OTLP_ENDPOINT", "reason": "\(problem)"])
    }
}
