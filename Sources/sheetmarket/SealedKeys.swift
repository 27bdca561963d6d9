// SPDX-License-Identifier: Apache-2.0
import Crypto
import Foundation

/// Keys, tokens and presets of a market in one file that opens with a passphrase alone.
///
/// A line of JSON with scrypt's parameters and salt, then AES-256-GCM (nonce, ciphertext, tag) over a JSON object of names
/// and bytes; the line is authenticated with it.
struct SealedKeys: Sendable {
    private static let format = "sheetmarket-keys-1"

    /// Bytes by their path in the data folder.
    let files: [String: Data]

    init(files: [String: Data]) { self.files = files }

    /// Opens what `sealed` gave; `place` is where it is kept.
    init(opening file: URL, with passphrase: String, place: String) throws {
        let bytes: Data
        do {
            bytes = try Data(contentsOf: file)
        } catch {
            throw CommandFailure("\(place) cannot be read: \(error.localizedDescription)")
        }
        let line = bytes.prefix { $0 != UInt8(ascii: "\n") }
        guard let header = try? JSONDecoder().decode(PassphraseKey.self, from: line), header.isAffordable,
            let box = try? AES.GCM.SealedBox(combined: bytes.dropFirst(line.count + 1))
        else { throw CommandFailure("\(place) is no file of sealed keys.") }
        let key = try header.key(from: passphrase)
        guard let opened = try? AES.GCM.open(box, using: key, authenticating: line) else {
            throw CommandFailure("The passphrase does not open \(place).")
        }
        files = try JSONDecoder().decode([String: Data].self, from: opened)
    }

    func sealed(with passphrase: String) throws -> Data {
        let header = PassphraseKey(format: Self.format)
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
