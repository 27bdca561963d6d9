// SPDX-License-Identifier: Apache-2.0
import Synchronization
import Tracing

/// Makes spans: recorded ones where the trace is sampled, else such that only carry the trace along.
package struct MarketTracer: Tracer {
    let sampler: TraceSampler
    let ratio: Double
    /// Takes each span that has ended. Must not block.
    let take: @Sendable (EndedSpan) -> Void

    /// The one of this process or task; `nil` where nothing is traced.
    package static var current: MarketTracer? { InstrumentationSystem.tracer as? MarketTracer }

    package func startSpan<Instant: TracerInstant>(
        _ operationName: String, context: @autoclosure () -> ServiceContext, ofKind kind: SpanKind,
        at instant: @autoclosure () -> Instant, function: String, file fileID: String, line: UInt
    ) -> MarketSpan {
        var context = context()
        let parent = context.trace
        let traceID = parent?.traceID ?? .random()
        let own = TraceContext(
            traceID: traceID, spanID: .random(in: 1 ... .max),
            isSampled: sampler.samples(traceID, ratio: ratio, under: parent))
        context.trace = own
        guard own.isSampled else { return MarketSpan(context: context, recording: nil) }
        let span = EndedSpan(
            context: own, parent: parent?.spanID, kind: kind, name: operationName,
            begin: instant().nanosecondsSinceEpoch)
        return MarketSpan(context: context, recording: SpanRecording(span, take: take))
    }

    /// Spans are sent by `TraceExport`, when it has some.
    package func forceFlush() {}

    package func extract<Carrier, Extract: Extractor>(
        _ carrier: Carrier, into context: inout ServiceContext, using extractor: Extract
    ) where Extract.Carrier == Carrier {
        guard let text = extractor.extract(key: "traceparent", from: carrier) else { return }
        context.trace = TraceContext(traceparent: text)
    }

    package func inject<Carrier, Inject: Injector>(
        _ context: ServiceContext, into carrier: inout Carrier, using injector: Inject
    ) where Inject.Carrier == Carrier {
        guard let trace = context.trace else { return }
        injector.inject(trace.traceparent, forKey: "traceparent", into: &carrier)
    }
}

/// A span that ended, as it is sent.
struct EndedSpan: Sendable {
    let context: TraceContext
    let parent: UInt64?
    let kind: SpanKind
    var name: String
    /// Nanoseconds since 1970.
    let begin: UInt64
    var end: UInt64 = 0
    var attributes = SpanAttributes([:])
    var hasFailed = false
}

/// A span of ours. Of errors it tells their types alone, and of events nothing: their words may quote what people wrote.
package struct MarketSpan: Tracing.Span {
    package let context: ServiceContext
    fileprivate let recording: SpanRecording?

    package var isRecording: Bool { recording != nil }

    package var operationName: String {
        get { recording?.span.withLock { $0?.name } ?? "" }
        nonmutating set { recording?.span.withLock { $0?.name = newValue } }
    }

    package var attributes: SpanAttributes {
        get { recording?.span.withLock { $0?.attributes } ?? SpanAttributes([:]) }
        nonmutating set { recording?.span.withLock { $0?.attributes = newValue } }
    }

    package func setStatus(_ status: SpanStatus) {
        recording?.span.withLock { $0?.hasFailed = status.code == .error }
    }

    package func addEvent(_ event: SpanEvent) {}

    package func recordError<Instant: TracerInstant>(
        _ error: any Error, attributes: SpanAttributes, at instant: @autoclosure () -> Instant
    ) {
        recording?.span.withLock { span in
            guard span?.attributes.get("error.type") == nil else { return }
            span?.attributes["error.type"] = String(reflecting: type(of: error))
        }
    }

    /// Nothing here has more than one cause.
    package func addLink(_ link: SpanLink) {}

    package func end<Instant: TracerInstant>(at instant: @autoclosure () -> Instant) {
        recording?.end(at: instant().nanosecondsSinceEpoch)
    }
}

/// A span that is under way.
private final class SpanRecording: Sendable {
    /// `nil` once it has ended.
    let span: Mutex<EndedSpan?>
    private let take: @Sendable (EndedSpan) -> Void

    init(_ span: EndedSpan, take: @escaping @Sendable (EndedSpan) -> Void) {
        self.span = Mutex(span)
        self.take = take
    }

    func end(at nanoseconds: UInt64) {
        let ended = span.withLock { span in
            defer { span = nil }
            return span
        }
        guard var ended else { return }
        ended.end = max(ended.begin, nanoseconds)
        take(ended)
    }
}

/// Does `work` as a part of the trace at hand, by this name. Outside of a trace it does just the work.
package func traced<T>(
    _ name: String, isolation: isolated (any Actor)? = #isolation, _ work: () async throws -> T
) async rethrows -> T {
    guard ServiceContext.current != nil else { return try await work() }
    return try await withSpan(name, isolation: isolation) { _ in try await work() }
}

/// Does `work` as the beginning of a trace of its own, where anything is traced.
package func tracedFromHere<T>(
    _ name: String, _ attributes: [String: String],
    isolation: isolated (any Actor)? = #isolation, _ work: () async throws -> T
) async rethrows -> T {
    guard let tracer = MarketTracer.current else { return try await work() }
    return try await tracer.withSpan(name, context: .topLevel, ofKind: .producer, isolation: isolation) { span in
        span.updateAttributes { for (key, value) in attributes { $0[key] = value } }
        return try await work()
    }
}
