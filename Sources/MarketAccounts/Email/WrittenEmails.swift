// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketPlatform

/// The e-mails that `FileMailDelivery` wrote into a folder, for whoever runs a market that sends none.
package struct WrittenEmails: Sendable {
    package struct Email: Sendable, Equatable {
        /// Its file's name.
        package var name: String
        package var writtenAt: Date
        package var recipient: String
        package var subject: String
        package var body: String
    }

    /// An e-mail is some paragraphs: what is larger is none of ours.
    private static let largest = 256 * 1024

    private let folder: URL

    package init(_ folder: URL) {
        self.folder = folder
    }

    /// The newest ones, the latest first; none where there is no folder.
    package func newest(_ count: Int) -> [Email] {
        names().sorted(by: >).prefix(count).compactMap { email(named: $0) }
    }

    /// The e-mail in the file of this name; `nil` when the folder has none.
    package func email(named name: String) -> Email? {
        guard names().contains(name) else { return nil }
        let file = folder.appendingPathComponent(name)
        let facts = try? FileManager.default.attributesOfItem(atPath: file.path)
        guard facts?[.type] as? FileAttributeType == .typeRegular, let size = facts?[.size] as? Int,
            size <= Self.largest, let data = try? Data(contentsOf: file)
        else { return nil }
        return Self.read(String(decoding: data, as: UTF8.self), name: name, at: facts?[.modificationDate] as? Date)
    }

    private func names() -> [String] {
        let all = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return all.filter { $0.hasSuffix(".eml") && !$0.hasPrefix(".") }
    }

    private static func read(_ text: String, name: String, at date: Date?) -> Email? {
        guard let end = text.firstRange(of: "\r\n\r\n"), let date else { return nil }
        let header = text[..<end.lowerBound].replacing("\r\n ", with: " ").split(separator: "\r\n")
        func field(_ name: String) -> String {
            let line = header.first { $0.hasPrefix("\(name): ") }
            return line.map { MailEncoding.decodedWords(String($0.dropFirst(name.count + 2))) } ?? ""
        }
        return Email(
            name: name, writtenAt: date, recipient: field("To"), subject: field("Subject"),
            body: MailEncoding.decodedQuotedPrintable(String(text[end.upperBound...])))
    }
}

extension MailEncoding {
    /// What `unstructured` made of a text, as it was. Blanks between encoded words are folding (RFC 2047, section 6.2).
    static func decodedWords(_ text: String) -> String {
        let opening = "=?utf-8?B?"
        guard text.hasPrefix(opening) else { return text }
        let bytes = text.split(separator: " ").flatMap { word in
            Array(Data(base64Encoded: String(word.dropFirst(opening.count).dropLast(2))) ?? Data())
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// What `quotedPrintable` made of a text, as it was.
    static func decodedQuotedPrintable(_ text: String) -> String {
        var bytes: [UInt8] = []
        var rest = Array(text.replacing("=\r\n", with: "").replacing("\r\n", with: "\n").utf8)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "="), rest.count >= 2,
                let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
            {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
