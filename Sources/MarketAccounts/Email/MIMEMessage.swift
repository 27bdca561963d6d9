// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketPlatform

/// A mailbox: an address, perhaps with a name (RFC 5322, section 3.4).
package struct MailAddress: Sendable, Equatable {
    /// What people see.
    package let name: String?
    /// `local@domain`.
    package let address: String

    /// Reads `local@domain` or `Name <local@domain>`; `nil` for anything else.
    package init?(_ text: String) {
        let text = text.trimmingCharacters(in: .whitespaces)
        guard text.hasSuffix(">"), let open = text.lastIndex(of: "<") else {
            guard AccountRules.isEmail(text) else { return nil }
            self.name = nil
            self.address = text
            return
        }
        let address = String(text[text.index(after: open)...].dropLast())
        let name = text[..<open].trimmingCharacters(in: .whitespaces.union(.init(charactersIn: "\"")))
        guard AccountRules.isEmail(address), name.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F })
        else { return nil }
        self.name = name.isEmpty ? nil : name
        self.address = address
    }

    /// What stands behind the `@`.
    var domain: Substring { address.split(separator: "@").last ?? "localhost" }
}

/// An e-mail that is ready to be sent: a header and a plain text.
package struct MIMEMessage: Sendable, Equatable {
    /// Who it is from.
    package let sender: MailAddress
    /// Whom it is for: `local@domain`.
    package let recipient: String
    package let subject: String
    /// Lines of text.
    package let body: String
    /// Names the e-mail; the same at each attempt, so that mail servers can tell that it is the same.
    package let id: String
    /// When it was written.
    package let date: Date

    /// The whole message (RFC 5322) as it goes over the wire: ASCII, CR LF, no line over 998 bytes.
    package var encoded: [UInt8] {
        let from = sender.name.map { "\(MailEncoding.phrase($0)) <\(sender.address)>" } ?? sender.address
        let fields = [
            "Date: \(MailEncoding.date(date))",
            "From: \(from)",
            "To: \(recipient)",
            "Message-ID: <\(id)@\(sender.domain)>",
            "Subject: \(MailEncoding.unstructured(subject, after: "Subject: ".utf8.count))",
            // RFC 3834: holiday notices and the like are not sent in answer.
            "Auto-Submitted: auto-generated",
            "MIME-Version: 1.0",
            "Content-Type: text/plain; charset=utf-8",
            "Content-Transfer-Encoding: quoted-printable",
        ]
        return Array((fields.joined(separator: "\r\n") + "\r\n\r\n" + MailEncoding.quotedPrintable(body)).utf8)
    }
}

/// How text becomes ASCII in a message.
enum MailEncoding {
    /// `Sat, 21 Nov 2026 13:04:05 +0000` (RFC 5322, section 3.3).
    static func date(_ date: Date) -> String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(identifier: "UTC")
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss '+0000'"
        return formatter.string(from: date)
    }

    /// The text of a field: as it is when that is safe, else in encoded words (RFC 2047). Never holds a line end that
    /// is not folding. `after` is how many characters stand before it on its line.
    static func unstructured(_ text: String, after: Int) -> String {
        let line = DisplayText.oneLine(text)
        let isPlain = line.utf8.allSatisfy { (0x20...0x7E).contains($0) } && !line.contains("=?")
        if isPlain, line.utf8.count + after <= 76 { return line }
        return encodedWords(line)
    }

    /// An encoded word has 75 characters at most: 42 bytes in base64 are 56, and `=?utf-8?B?…?=` are 12 more. No
    /// character is cut in two.
    private static func encodedWords(_ text: String) -> String {
        var words: [String] = []
        var bytes: [UInt8] = []
        func end() {
            guard !bytes.isEmpty else { return }
            words.append("=?utf-8?B?\(Data(bytes).base64EncodedString())?=")
            bytes = []
        }
        for scalar in DisplayText.oneLine(text).unicodeScalars {
            let next = Array(String(scalar).utf8)
            if bytes.count + next.count > 42 { end() }
            bytes += next
        }
        end()
        return words.joined(separator: "\r\n ")
    }

    /// A display name.
    static func phrase(_ name: String) -> String {
        let isWords = name.utf8.allSatisfy {
            (48...57).contains($0) || (65...90).contains($0) || (97...122).contains($0) || $0 == 32
        }
        return isWords && name.utf8.count <= 60 ? name : encodedWords(name)
    }

    /// RFC 2045, section 6.7: lines of at most 76 characters, ended by CR LF.
    static func quotedPrintable(_ text: String) -> String {
        let lines = text.replacing("\r\n", with: "\n").replacing("\r", with: "\n")
            .split(separator: "\n", omittingEmptySubsequences: false)
        return lines.map { quotedPrintable(line: Array($0.utf8)) }.joined(separator: "\r\n")
    }

    private static func quotedPrintable(line: [UInt8]) -> String {
        var result = ""
        var width = 0
        for (index, byte) in line.enumerated() {
            let isLast = index == line.count - 1
            let isBlank = byte == 0x20 || byte == 0x09
            let isPlain = (0x21...0x7E).contains(byte) && byte != UInt8(ascii: "=") || isBlank && !isLast
            let token = isPlain ? String(UnicodeScalar(byte)) : String(format: "=%02X", Int(byte))
            if width + token.utf8.count > (isLast ? 76 : 75) {
                result += "=\r\n"
                width = 0
            }
            result += token
            width += token.utf8.count
        }
        return result
    }
}
