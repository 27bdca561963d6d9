// SPDX-License-Identifier: Apache-2.0
import Mustache

/// Escapes JSON within a `script` element that is data: no `<` ends it, and no browser reads it as anything else.
/// What is escaped stands in strings, where `\u003c` says the same.
struct EscapedData: MustacheContentType {
    static let name = "DATA"
    /// The only template with it.
    static let template = "data"
    static let pragma = "{{% CONTENT_TYPE:\(name)}}"

    func escapeText(_ text: String) -> String {
        text.escapingBytes { byte in
            switch byte {
            case UInt8(ascii: "<"): "\\u003c"
            case UInt8(ascii: ">"): "\\u003e"
            case UInt8(ascii: "&"): "\\u0026"
            default: nil
            }
        }
    }
}
