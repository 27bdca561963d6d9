// SPDX-License-Identifier: Apache-2.0
import Crypto
import Foundation

/// Passwords that everybody tries first, because they were leaked elsewhere (NIST SP 800-63B, section 5.1.1.2).
enum BreachedPasswords {
    /// The list that comes with the program: those of ten characters and more; shorter ones are refused anyway.
    private static let common = Set(
        String(decoding: PackageResources.common_passwords_txt, as: UTF8.self).split(separator: "\n"))

    /// Whether `password` is on our list, whatever its case, or in the operator's file. Reads from disk: not for
    /// Swift's cooperative threads.
    static func contain(_ password: String, or file: LeakedPasswordFile?) throws -> Bool {
        let normal = password.precomposedStringWithCanonicalMapping
        if common.contains(Substring(normal.lowercased())) { return true }
        return try file?.contains(normal) ?? false
    }
}

/// A file of SHA-1 hashes of leaked passwords, sorted, a line each: `HASH:COUNT`, as Have I Been Pwned offers it.
/// It is searched where it lies: about 35 reads for a billion lines, no memory.
package struct LeakedPasswordFile: Sendable {
    /// Why the file cannot be used.
    package struct Unusable: Error, CustomStringConvertible {
        /// For the operator.
        package let description: String
    }

    private static let hashLength = 40
    /// The longest line there is: a hash, a colon, a count, and a line's end.
    private static let maximumLine = 80

    private let path: String
    private let size: UInt64

    /// Looks whether the file begins as it should; throws `Unusable`.
    package init(_ url: URL) throws {
        path = url.path
        do {
            let handle = try FileHandle(forReadingFrom: url)
            // Closing a file that was only read loses nothing.
            defer { try? handle.close() }
            size = try handle.seekToEnd()
            guard try Self.line(at: 0, in: handle) != nil || size == 0 else {
                throw Unusable(description: "\(url.path) does not begin with a SHA-1 hash in hexadecimal digits")
            }
        } catch let error as Unusable {
            throw error
        } catch {
            throw Unusable(description: "\(url.path) cannot be read: \(error.localizedDescription)")
        }
    }

    /// Whether the password's hash is in the file.
    package func contains(_ password: String) throws -> Bool {
        let wanted = Insecure.SHA1.hash(data: Data(password.utf8)).map { String(format: "%02X", Int($0)) }.joined()
        let handle = try FileHandle(forReadingFrom: URL(filePath: path))
        // Closing a file that was only read loses nothing.
        defer { try? handle.close() }
        // The line that is looked for begins in low..<high.
        var low: UInt64 = 0
        var high = size
        while low < high {
            let middle = low + (high - low) / 2
            guard let (hash, begin, next) = try Self.lineAround(middle, notBefore: low, in: handle) else {
                return false
            }
            if hash == wanted { return true }
            if hash < wanted { low = next } else { high = begin }
        }
        return false
    }

    /// The line that the byte at `offset` is part of.
    private static func lineAround(
        _ offset: UInt64, notBefore low: UInt64, in handle: FileHandle
    ) throws -> (hash: String, begin: UInt64, next: UInt64)? {
        let from = offset >= low + UInt64(maximumLine) ? offset - UInt64(maximumLine) : low
        try handle.seek(toOffset: from)
        let bytes = Array(try handle.read(upToCount: Int(offset - from)) ?? Data())
        let newline = UInt8(ascii: "\n")
        let begin = bytes.lastIndex(of: newline).map { from + UInt64($0) + 1 } ?? from
        guard let line = try line(at: begin, in: handle) else { return nil }
        return (line.hash, begin, begin + UInt64(line.length))
    }

    private static func line(at offset: UInt64, in handle: FileHandle) throws -> (hash: String, length: Int)? {
        try handle.seek(toOffset: offset)
        let bytes = Array(try handle.read(upToCount: maximumLine) ?? Data())
        let end = bytes.firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
        let hash = bytes.prefix(min(end, hashLength))
        let isHash = hash.allSatisfy {
            (48...57).contains($0) || (65...70).contains($0) || (97...102).contains($0)
        }
        guard hash.count == hashLength, isHash else { return nil }
        return (String(decoding: hash, as: UTF8.self).uppercased(), min(end + 1, bytes.count))
    }
}
