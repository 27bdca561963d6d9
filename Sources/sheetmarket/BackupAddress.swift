// SPDX-License-Identifier: Apache-2.0
import Foundation
import SheetCore

/// `s3://BUCKET/PREFIX`, where backups are.
struct BackupAddress: Sendable {
    /// Without a slash at its end.
    let text: String
    let bucket: String
    /// Empty, or with a slash at its end.
    let prefix: String

    /// Of 16 characters, for names of files.
    var id: String { String(ContentHash(hashing: Data(text.utf8)).hex.prefix(16)) }

    /// Reads an address; nil for what is a path.
    init?(_ text: String) throws {
        guard text.hasPrefix("s3://") else { return nil }
        let parts = text.dropFirst(5).split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        let prefix = parts.dropFirst().last?.isEmpty == true ? parts.dropFirst().dropLast() : parts.dropFirst()
        guard let bucket = parts.first, Self.isPlain(bucket), prefix.allSatisfy(Self.isPlain) else {
            throw CommandFailure("'\(text)' is no address such as s3://BUCKET/PREFIX.")
        }
        self.bucket = bucket
        self.prefix = prefix.map { "\($0)/" }.joined()
        self.text = "s3://" + ([bucket] + prefix).joined(separator: "/")
    }

    /// Whether a part needs no encoding anywhere.
    private static func isPlain(_ part: String) -> Bool {
        !part.isEmpty && !part.hasPrefix(".")
            && part.unicodeScalars.allSatisfy {
                $0.isASCII && ($0.properties.isAlphabetic || "0123456789-_.".unicodeScalars.contains($0))
            }
    }
}
