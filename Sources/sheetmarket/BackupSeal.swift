// SPDX-License-Identifier: Apache-2.0
import Crypto
import CryptoExtras
import Foundation

/// How a passphrase becomes a key: scrypt's parameters, and a salt.
struct PassphraseKey: Codable, Sendable {
    var format: String
    var logRounds = 15
    var blockSize = 8
    var parallelism = 1
    let salt: Data

    /// With a salt of its own.
    init(format: String) {
        self.format = format
        salt = Self.randomBytes(16)
    }

    /// That nobody can foretell.
    static func randomBytes(_ count: Int) -> Data {
        var generator = SystemRandomNumberGenerator()
        return Data((0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
    }

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

/// Seals files for a place where others may read and write: AES-256-GCM, with a key that a passphrase gives.
///
/// A sealed file is a line of JSON with scrypt's parameters (the same in all files), 32 random bytes, and chunks of 1 MiB, each
/// with its tag. Its key comes from the passphrase's, those bytes and its name (HKDF), so none can stand in another's
/// place. A chunk's nonce is its number and whether it is the last, so none can be moved, repeated or cut off.
struct BackupSeal: Sendable {
    private struct Header: Codable {
        let passphrase: PassphraseKey
        /// Tells a wrong passphrase from a damaged file.
        let check: Data
    }

    private static let format = "sheetmarket-sealed-1"
    private static let chunkBytes = 1 << 20
    private static let tagBytes = 16
    private static let saltBytes = 32

    /// How every file begins, with the line's end.
    let line: Data
    private let key: SymmetricKey

    /// With a salt of its own.
    init(new passphrase: String) throws {
        let parameters = PassphraseKey(format: Self.format)
        key = try parameters.key(from: passphrase)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        line = try encoder.encode(Header(passphrase: parameters, check: Self.check(key))) + Data("\n".utf8)
    }

    /// As the file says that was written for the first backup; `place` is where it is kept.
    init(reading file: URL, at place: String, _ passphrase: String) throws {
        line = try Data(contentsOf: file)
        guard line.count < 4096, line.last == UInt8(ascii: "\n"),
            let header = try? JSONDecoder().decode(Header.self, from: line),
            header.passphrase.format == Self.format, header.passphrase.isAffordable
        else { throw CommandFailure("\(place) is damaged, or of another release.") }
        key = try header.passphrase.key(from: passphrase)
        guard Self.check(key) == header.check else { throw CommandFailure("The passphrase does not open \(place).") }
    }

    private static func check(_ key: SymmetricKey) -> Data {
        HKDF<SHA256>.deriveKey(inputKeyMaterial: key, info: Data("check".utf8), outputByteCount: 16)
            .withUnsafeBytes { Data($0) }
    }

    private var headBytes: Int { line.count + Self.saltBytes }

    /// Bytes of a file that is sealed in `bytes`; nil for a number that none has.
    func size(ofSealed bytes: Int) -> Int? {
        let body = bytes - headBytes
        guard body >= Self.tagBytes else { return nil }
        let whole = Self.chunkBytes + Self.tagBytes
        let chunks = (body + whole - 1) / whole
        return body - chunks * Self.tagBytes
    }

    /// Writes `source` sealed into a new file.
    func seal(_ source: URL, as name: String, to target: URL) throws {
        try Self.copy(source, to: target) { reader, writer in
            let salt = PassphraseKey.randomBytes(Self.saltBytes)
            try writer.write(contentsOf: line + salt)
            let key = key(of: name, salt)
            var chunk = try Self.read(reader, Self.chunkBytes)
            var number: UInt64 = 0
            repeat {
                let next = chunk.count == Self.chunkBytes ? try Self.read(reader, Self.chunkBytes) : Data()
                let box = try AES.GCM.seal(chunk, using: key, nonce: Self.nonce(number, isLast: next.isEmpty))
                try writer.write(contentsOf: box.ciphertext + box.tag)
                chunk = next
                number += 1
            } while !chunk.isEmpty
        }
    }

    /// Writes what was sealed under `name` into a new file; `place` is where it is kept.
    func open(_ source: URL, as name: String, to target: URL, place: String) throws {
        do {
            try Self.copy(source, to: target) { reader, writer in
                let head = try Self.read(reader, headBytes)
                guard head.prefix(line.count) == line else { throw CryptoKitError.authenticationFailure }
                let key = key(of: name, head.dropFirst(line.count))
                let whole = Self.chunkBytes + Self.tagBytes
                var chunk = try Self.read(reader, whole)
                var number: UInt64 = 0
                repeat {
                    let next = chunk.count == whole ? try Self.read(reader, whole) : Data()
                    let nonce = try Self.nonce(number, isLast: next.isEmpty)
                    let box = try AES.GCM.SealedBox(
                        nonce: nonce, ciphertext: chunk.dropLast(Self.tagBytes), tag: chunk.suffix(Self.tagBytes))
                    try writer.write(contentsOf: try AES.GCM.open(box, using: key))
                    chunk = next
                    number += 1
                } while !chunk.isEmpty
            }
        } catch is CryptoKitError {
            throw CommandFailure("\(place) is damaged: it is not what was sealed under this name.")
        }
    }

    private func key(of name: String, _ salt: Data) -> SymmetricKey {
        HKDF<SHA256>.deriveKey(inputKeyMaterial: key, salt: salt, info: Data("file \(name)".utf8), outputByteCount: 32)
    }

    private static func nonce(_ number: UInt64, isLast: Bool) throws -> AES.GCM.Nonce {
        var bytes = Data([0, 0, 0, isLast ? 1 : 0])
        withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
        return try AES.GCM.Nonce(data: bytes)
    }

    private static func read(_ handle: FileHandle, _ count: Int) throws -> Data {
        try handle.read(upToCount: count) ?? Data()
    }

    private static func copy(
        _ source: URL, to target: URL, _ body: (_ reader: FileHandle, _ writer: FileHandle) throws -> Void
    ) throws {
        let reader = try FileHandle(forReadingFrom: source)
        defer { try? reader.close() }
        guard FileManager.default.createFile(atPath: target.path, contents: nil, attributes: [.posixPermissions: 0o600])
        else { throw CommandFailure("\(target.path) cannot be written.") }
        let writer = try FileHandle(forWritingTo: target)
        defer { try? writer.close() }
        try body(reader, writer)
    }
}
