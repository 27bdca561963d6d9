// SPDX-License-Identifier: Apache-2.0
import Tracing

/// A trace's id: 16 bytes.
package struct TraceID: Sendable, Hashable, CustomStringConvertible {
    let high: UInt64
    let low: UInt64

    static func random() -> TraceID {
        TraceID(high: .random(in: .min ... .max), low: .random(in: 1 ... .max))
    }

    /// 32 digits of lower-case hexadecimal, as everybody writes it.
    package var description: String { high.hexadecimal + low.hexadecimal }
}

/// Where in which trace something is done: what goes along from process to process, as the field `traceparent` writes it
/// (W3C Trace Context).
package struct TraceContext: Sendable, Equatable {
    package let traceID: TraceID
    /// The span that is the parent of what is done next.
    let spanID: UInt64
    /// Whether the trace's spans are recorded.
    package let isSampled: Bool

    init(traceID: TraceID, spanID: UInt64, isSampled: Bool) {
        self.traceID = traceID
        self.spanID = spanID
        self.isSampled = isSampled
    }

    /// Reads the field; `nil` when it is none. A later version of the format may go on after what is known of it.
    package init?(traceparent text: String) {
        let bytes = Array(text.utf8.prefix(56))
        guard bytes.count >= 55, bytes[2] == UInt8(ascii: "-"), bytes[35] == UInt8(ascii: "-"),
            bytes[52] == UInt8(ascii: "-"),
            let version = UInt64(hexadecimal: bytes[0..<2]), version != 0xff,
            bytes.count == 55 || version != 0 && bytes[55] == UInt8(ascii: "-"),
            let high = UInt64(hexadecimal: bytes[3..<19]), let low = UInt64(hexadecimal: bytes[19..<35]),
            let spanID = UInt64(hexadecimal: bytes[36..<52]), let flags = UInt64(hexadecimal: bytes[53..<55]),
            high != 0 || low != 0, spanID != 0
        else { return nil }
        self.init(traceID: TraceID(high: high, low: low), spanID: spanID, isSampled: flags & 1 == 1)
    }

    /// The field for those who go on with the trace.
    package var traceparent: String { "00-\(traceID)-\(spanID.hexadecimal)-\(isSampled ? "01" : "00")" }
}

extension ServiceContext {
    private enum TraceKey: ServiceContextKey {
        typealias Value = TraceContext
    }

    /// Where in which trace this is; `nil` outside of any.
    package var trace: TraceContext? {
        get { self[TraceKey.self] }
        set { self[TraceKey.self] = newValue }
    }
}

extension UInt64 {
    /// 16 digits.
    var hexadecimal: String {
        let digits = String(self, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// Reads up to 16 digits, lower case as the standard demands.
    fileprivate init?(hexadecimal digits: ArraySlice<UInt8>) {
        var value: UInt64 = 0
        for digit in digits {
            switch digit {
            case 0x30...0x39: value = value << 4 | UInt64(digit - 0x30)
            case 0x61...0x66: value = value << 4 | UInt64(digit - 0x57)
            default: return nil
            }
        }
        self = value
    }
}
