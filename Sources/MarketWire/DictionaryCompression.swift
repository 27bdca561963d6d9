// SPDX-License-Identifier: Apache-2.0
import Foundation
import SheetCore

/// Sending only what differs from a file that the client has: the content coding `dcz` (RFC 9842), Zstandard with that file
/// as its dictionary. Whoever sends or takes it goes by the same limits.
public enum DictionaryCompression {
    /// The coding's name in `Accept-Encoding` and `Content-Encoding`.
    public static let coding = "dcz"
    /// The field in which a client names the file that it has.
    public static let dictionaryField = "Available-Dictionary"
    /// Larger files are sent whole: while one is made of the other, both are in memory.
    public static let maximumBytes = 12 << 20

    /// What the coded bytes begin with, so that nobody takes another file for the dictionary.
    public static func header(of dictionary: ContentHash) -> Data {
        Data([0x5e, 0x2a, 0x4d, 0x18, 0x20, 0, 0, 0] + dictionary.bytes)
    }

    /// A dictionary's hash as `dictionaryField` has it: a byte sequence of RFC 9651.
    public static func fieldValue(of dictionary: ContentHash) -> String {
        ":\(Data(dictionary.bytes).base64EncodedString()):"
    }

    /// The hash in such a field; `nil` where it is none.
    public static func dictionary(fieldValue: String) -> ContentHash? {
        guard fieldValue.utf8.count == 46, fieldValue.hasPrefix(":"), fieldValue.hasSuffix(":") else { return nil }
        return Data(base64Encoded: String(fieldValue.dropFirst().dropLast())).flatMap { ContentHash(bytes: $0) }
    }

    /// Whether a file of so many bytes can be made of another: within the limit, and within the window that every client
    /// has, of 8 MB or 1.25 times the dictionary.
    public static func fits(_ bytes: Int, dictionary: Int) -> Bool {
        (1...maximumBytes).contains(bytes) && (1...maximumBytes).contains(dictionary)
            && bytes <= max(8 << 20, dictionary / 4 * 5)
    }
}
