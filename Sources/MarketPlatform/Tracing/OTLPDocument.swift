// SPDX-License-Identifier: Apache-2.0
import SheetCore
import Tracing

/// Spans as a collector takes them: `ExportTraceServiceRequest` in JSON (OTLP 1, JSON Protobuf Encoding: ids in
/// hexadecimal, 64-bit numbers as text, enumerations as numbers).
struct OTLPDocument {
    private let head: String

    /// `resource` says from whom spans are.
    init(resource: [(String, String)]) {
        var head = "{\"resourceSpans\":[{\"resource\":{\"attributes\":["
        for (index, (key, value)) in resource.enumerated() {
            if index > 0 { head += "," }
            Self.append(key, .string(value), to: &head)
        }
        head += "]},\"scopeSpans\":[{\"scope\":{\"name\":\"sheetmarket\",\"version\":"
        head.appendJSON(ReleaseVersion.current)
        self.head = head + "},\"spans\":["
    }

    func text(_ spans: [EndedSpan]) -> String {
        var text = head
        text.reserveCapacity(head.utf8.count + spans.count * 700)
        for (index, span) in spans.enumerated() {
            if index > 0 { text += "," }
            Self.append(span, to: &text)
        }
        return text + "]}]}]}"
    }

    private static func append(_ span: EndedSpan, to text: inout String) {
        text += "{\"traceId\":\"\(span.context.traceID)\",\"spanId\":\"\(span.context.spanID.hexadecimal)\""
        if let parent = span.parent { text += ",\"parentSpanId\":\"\(parent.hexadecimal)\"" }
        text += ",\"flags\":1,\"name\":"
        text.appendJSON(span.name)
        text += ",\"kind\":\(number(of: span.kind))"
        text += ",\"startTimeUnixNano\":\"\(span.begin)\",\"endTimeUnixNano\":\"\(span.end)\",\"attributes\":["
        var isFirst = true
        span.attributes.forEach { key, value in
            if !isFirst { text += "," }
            isFirst = false
            append(key, value, to: &text)
        }
        text += span.hasFailed ? "],\"status\":{\"code\":2}}" : "],\"status\":{}}"
    }

    /// `SpanKind` of the protocol.
    private static func number(of kind: SpanKind) -> Int {
        switch kind {
        case .internal: 1
        case .server: 2
        case .client: 3
        case .producer: 4
        case .consumer: 5
        }
    }

    private static func append(_ key: String, _ value: SpanAttribute, to text: inout String) {
        text += "{\"key\":"
        text.appendJSON(key)
        text += ",\"value\":{"
        switch value {
        case .int32(let number): text += "\"intValue\":\"\(number)\""
        case .int64(let number): text += "\"intValue\":\"\(number)\""
        case .bool(let flag): text += "\"boolValue\":\(flag)"
        // JSON has no other numbers.
        case .double(let number) where number.isFinite: text += "\"doubleValue\":\(number)"
        case .string(let string): appendString(string, to: &text)
        case .stringConvertible(let other): appendString(other.description, to: &text)
        default: appendString("\(value)", to: &text)
        }
        text += "}}"
    }

    private static func appendString(_ string: String, to text: inout String) {
        text += "\"stringValue\":"
        // As in the log: no secret gets out that way, and none of them needs to be long.
        text.appendJSON(Redaction.clean(String(string.prefix(1024))))
    }
}
