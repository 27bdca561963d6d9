// SPDX-License-Identifier: Apache-2.0
import Crypto
import CryptoExtras
import Foundation

/// Keys, tokens and presets of a market in one file that opens with a passphrase alone.
///
/// A line of JSON with scrypt's parameters and salt, then AES-256-GCM (nonce, ciphertext, tag) over a JSON object of names
/// and bytes; the line is authenticated with it.
struct SealedKeys: Sendable {
    private struct Header: Codable {
        var format = "sheetmarket-keys-1"
        var logRounds = 15
        var blockSize = 8
        var parallelism = 1
        let salt: Data

        /// What a damaged file may ask of this machine.
        var isAffordable: Bool {
            (10...20).contains(logRounds) && (1...16).contains(blockSize) && (1...4).contains(parallelism)
        }

        func key(from passphrase: String) throws -> SymmetricKey {
            try KDF.Scrypt.deriveKey(
                from: Array(passphrase.precomposedStringWithCanonicalMapping.utf8), salt: Array(salt),
                outputByteCount: 32, rounds: 1 << logRounds, blockSize: blockSize, parallelism: parallelism)
        }
    }

    /// Bytes by their path in the data folder.
    let files: [String: Data]

    init(files: [String: Data]) { self.files = files }

    /// Opens what `sealed` gave.
    init(opening file: URL, with passphrase: String) throws {
        let bytes: Data
        do {
            bytes = try Data(contentsOf: file)
        } catch {
            throw CommandFailure("\(file.path) cannot be read: \(error.localizedDescription)")
        }
        let line = bytes.prefix { $0 != UInt8(ascii: "\n") }
        guard let header = try? JSONDecoder().decode(Header.self, from: line), header.isAffordable,
            let box = try? AES.GCM.SealedBox(combined: bytes.dropFirst(line.count + 1))
        else { throw CommandFailure("\(file.path) is no file of sealed keys.") }
        let key = try header.key(from: passphrase)
        guard let opened = try? AES.GCM.open(box, using: key, authenticating: line) else {
            throw CommandFailure("The passphrase does not open \(file.path).")
        }
        files = try JSONDecoder().decode([String: Data].self, from: opened)
    }

    func sealed(with passphrase: String) throws -> Data {
        var generator = SystemRandomNumberGenerator()
        let salt = Data((0..<16).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
        let header = Header(salt: salt)
        let line = try JSONEncoder().encode(header)
        let box = try AES.GCM.seal(
            try JSONEncoder().encode(files), using: try header.key(from: passphrase), authenticating: line)
        guard let combined = box.combined else { throw CommandFailure("The keys cannot be sealed.") }
        return line + Data("\n".utf8) + combined
    }

    /// Puts the files into a data folder, for its owner alone.
    func write(into folder: DataFolder) throws {
        for (name, bytes) in files {
            let path = name.split(separator: "/")
            guard !path.isEmpty, !path.contains(".."), !name.hasPrefix("/") else {
                throw CommandFailure("The sealed keys hold a file of the name '\(name)'.")
            }
            let file = folder.url.appending(path: name)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
            guard
                FileManager.default.createFile(
                    atPath: file.path, contents: bytes, attributes: [.posixPermissions: 0o600])
            else { throw CommandFailure("\(file.path) cannot be written.") }
        }
    }
}
