// SPDX-License-Identifier: Apache-2.0
import Foundation

/// The grammar of the text format.
enum PrometheusText {
    static let mediaType = "text/plain; version=0.0.4; charset=utf-8"

    static func name(_ text: String) -> String {
        guard text.utf8.contains(where: { !isNameByte($0) }) || text.utf8.first.map({ (48...57).contains($0) }) ?? true
        else {
            return text
        }
        let made = text.unicodeScalars.map { $0.isASCII && isNameByte(UInt8($0.value)) ? Character($0) : "_" }
        return text.utf8.first.map { (48...57).contains($0) } ?? true ? "_" + String(made) : String(made)
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        (48...58).contains(byte) || (65...90).contains(byte) || byte == 95 || (97...122).contains(byte)
    }

    /// `{a="b",c="d"}`, or nothing.
    static func labels(_ labels: [(String, String)]) -> String {
        guard !labels.isEmpty else { return "" }
        var text = "{"
        for (index, label) in labels.enumerated() {
            if index > 0 { text += "," }
            text += "\(name(label.0))=\""
            for character in label.1 {
                switch character {
                case "\\": text += "\\\\"
                case "\"": text += "\\\""
                case "\n", "\r\n": text += "\\n"
                default: text.append(character)
                }
            }
            text += "\""
        }
        return text + "}"
    }

    static func help(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing("\n", with: "\\n")
    }

    static func value(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
        if value == value.rounded(), abs(value) < 9e15 { return String(Int64(value)) }
        return "\(value)"
    }
}
