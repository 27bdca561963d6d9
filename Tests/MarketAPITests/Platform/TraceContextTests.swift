// SPDX-License-Identifier: Apache-2.0
import Synchronization
import Testing
import Tracing

@testable import MarketPlatform

@Suite("Trace context and sampling")
struct TraceContextTests {
    private static let id = "4bf92f3577b34da6a3ce929d0e0e4736"
    private static let span = "00f067aa0ba902b7"

    @Test("the field is read as W3C says, and written again")
    func field() throws {
        let text = "00-\(Self.id)-\(Self.span)-01"
        let context = try #require(TraceContext(traceparent: text))
        #expect(context.isSampled && context.traceID.description == Self.id && context.traceparent == text)
        let unsampled = try #require(TraceContext(traceparent: "00-\(Self.id)-\(Self.span)-00"))
        #expect(!unsampled.isSampled && unsampled.traceparent.hasSuffix("-00"))
        // Flags and versions that are not known yet.
        #expect(TraceContext(traceparent: "00-\(Self.id)-\(Self.span)-ff")?.traceparent == text)
        #expect(TraceContext(traceparent: "01-\(Self.id)-\(Self.span)-01-more")?.traceparent == text)
    }

    @Test(
        "what is no such field is none",
        arguments: [
            "", "00", "00-\(id)-\(span)", "00-\(id)-\(span)-01-more", "ff-\(id)-\(span)-01", "00-\(id)-\(span)-0",
            "00-\(id.uppercased())-\(span)-01", "00-00000000000000000000000000000000-\(span)-01",
            "00-\(id)-0000000000000000-01", "01-\(id)-\(span)-01more", "00_\(id)_\(span)_01", "0g-\(id)-\(span)-01",
            "00-\(id)-\(span)-0\u{e9}",
        ])
    func noField(text: String) {
        #expect(TraceContext(traceparent: text) == nil)
    }

    @Test("samplers decide as OpenTelemetry says")
    func samplers() throws {
        let (yes, no) = (
            TraceContext(traceparent: "00-\(Self.id)-\(Self.span)-01"),
            TraceContext(traceparent: "00-\(Self.id)-\(Self.span)-00")
        )
        // Its last 56 bits are 0xce929d0e0e4736, which is 0.807 of all.
        let id = try #require(yes).traceID
        let decisions: [(TraceSampler, Double, TraceContext?, Bool)] = [
            (.alwaysOn, 0, no, true), (.alwaysOff, 1, yes, false), (.traceIDRatio, 0, yes, false),
            (.traceIDRatio, 1, no, true), (.traceIDRatio, 0.2, nil, true), (.traceIDRatio, 0.19, nil, false),
            (.parentbasedAlwaysOn, 0, nil, true), (.parentbasedAlwaysOn, 0, no, false),
            (.parentbasedAlwaysOff, 1, nil, false), (.parentbasedAlwaysOff, 1, yes, true),
            (.parentbasedTraceIDRatio, 0.2, nil, true), (.parentbasedTraceIDRatio, 0.19, nil, false),
            (.parentbasedTraceIDRatio, 0, yes, true), (.parentbasedTraceIDRatio, 1, no, false),
        ]
        for (sampler, ratio, parent, isSampled) in decisions {
            #expect(sampler.samples(id, ratio: ratio, under: parent) == isSampled, "\(sampler) \(ratio)")
        }
    }

    @Test("fields for the collector are read with their percent-encoding, and bad ones refused")
    func headers() {
        #expect(
            TraceHeader.list("api-key=a%20b%2Cc, X-Scope=1=2")
                == [TraceHeader(name: "api-key", value: "a b,c"), TraceHeader(name: "X-Scope", value: "1=2")])
        for text in ["key", "=value", "a b=c", "a=%0D%0Ab: c", "a=%zz", "a=\u{e9}"] {
            #expect(TraceHeader.list(text) == nil, "\(text)")
        }
    }

    @Test("a span tells the type of an error and none of its words, and ends once")
    func errors() throws {
        struct Failure: Error {
            let words = "hunter2"
        }
        let ended = Recorder()
        let tracer = MarketTracer(sampler: .alwaysOn, ratio: 1, take: ended.take)
        let span = tracer.startSpan("one")
        span.recordError(Failure())
        span.addEvent("hunter2")
        span.setStatus(.init(code: .error, message: "hunter2"))
        span.end()
        span.end()
        span.attributes["late"] = "hunter2"
        #expect(ended.spans.count == 1)
        let text = OTLPDocument(resource: []).text(ended.spans)
        #expect(text.contains("Failure") && !text.contains("hunter2") && text.contains("\"code\":2"))
    }
}

/// Keeps what ended.
private final class Recorder: Sendable {
    private let kept = Mutex<[EndedSpan]>([])

    var spans: [EndedSpan] { kept.withLock { $0 } }

    @Sendable func take(_ span: EndedSpan) { kept.withLock { $0.append(span) } }
}
