// SPDX-License-Identifier: Apache-2.0
import Foundation

/// Where traces go, and which are recorded. Names and meanings of the settings are OpenTelemetry's.
package struct TraceSettings: Sendable {
    /// The collector's address; `nil` means that nothing is traced.
    package var endpoint: String?
    /// Fields of each request to it, such as a key, as `name=value,…`.
    package var headers: [TraceHeader]?
    /// A PEM file of the authorities that the collector's certificate is checked against.
    package var authorities: URL?
    /// How this service is called there.
    package var serviceName = "sheetmarket"
    package var sampler = TraceSampler.parentbasedAlwaysOn
    /// The part of traces that a sampler by ratio records.
    package var ratio = 1.0
    /// How long spans are gathered before they are sent together, in milliseconds.
    package var delayMilliseconds = 5000
    /// Spans that wait to be sent at most.
    package var queueSize = 2048

    package init() {}
}

/// A field of the requests to the collector.
package struct TraceHeader: Sendable, Equatable {
    let name: String
    let value: String

    /// Reads `name=value,…`, values percent-encoded (W3C Baggage); `nil` when a part is none or cannot be sent.
    package static func list(_ text: String) -> [TraceHeader]? {
        var headers: [TraceHeader] = []
        for part in text.split(separator: ",") {
            let sides = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                .map { $0.trimmingCharacters(in: .whitespaces) }
            guard sides.count == 2, !sides[0].isEmpty, sides[0].utf8.allSatisfy({ $0.isTokenByte }),
                let value = sides[1].removingPercentEncoding,
                value.utf8.allSatisfy({ (0x20..<0x7F).contains($0) })
            else { return nil }
            headers.append(TraceHeader(name: sides[0], value: value))
        }
        return headers
    }
}

extension UInt8 {
    /// What names of fields consist of, as far as anybody uses it.
    fileprivate var isTokenByte: Bool {
        switch self {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: true
        default: false
        }
    }
}

/// Which traces are recorded (OpenTelemetry's `OTEL_TRACES_SAMPLER`).
package enum TraceSampler: String, Sendable, CaseIterable {
    case alwaysOn = "always_on"
    case alwaysOff = "always_off"
    case traceIDRatio = "traceidratio"
    /// As whoever called us decided, else all.
    case parentbasedAlwaysOn = "parentbased_always_on"
    /// As whoever called us decided, else none.
    case parentbasedAlwaysOff = "parentbased_always_off"
    /// As whoever called us decided, else a part.
    case parentbasedTraceIDRatio = "parentbased_traceidratio"

    /// Whether a span of this trace is recorded. By ratio the id decides, so that every process decides alike.
    func samples(_ id: TraceID, ratio: Double, under parent: TraceContext?) -> Bool {
        switch self {
        case .alwaysOn: true
        case .alwaysOff: false
        case .traceIDRatio: id.isWithin(ratio)
        case .parentbasedAlwaysOn: parent?.isSampled ?? true
        case .parentbasedAlwaysOff: parent?.isSampled ?? false
        case .parentbasedTraceIDRatio: parent?.isSampled ?? id.isWithin(ratio)
        }
    }
}

extension TraceID {
    /// Whether the id is in the upper part of all: its last 56 bits are random (W3C Trace Context, level 2).
    fileprivate func isWithin(_ ratio: Double) -> Bool {
        let all = Double(UInt64(1) << 56)
        return Double(low & (1 << 56 - 1)) >= (1 - ratio) * all
    }
}
