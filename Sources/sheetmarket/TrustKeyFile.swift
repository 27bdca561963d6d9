// SPDX-License-Identifier: Apache-2.0
import Foundation
import SheetCore

/// A file with one key of the signed catalog: both halves, or the public one alone.
struct TrustKeyFile {
    let publicKey: TrustKey
    /// `nil` where the file has the public half alone.
    let privateKey: TrustSigningKey?

    init(_ key: TrustSigningKey) {
        publicKey = key.publicKey
        privateKey = key
    }

    init(publicHalfOf key: TrustSigningKey) {
        publicKey = key.publicKey
        privateKey = nil
    }

    init(reading path: String) throws {
        let bytes: Data
        do {
            bytes = try Data(contentsOf: URL(filePath: path))
        } catch {
            throw CommandFailure("\(path) cannot be read: \(error.localizedDescription)")
        }
        // Anything that is no key has no public half.
        let object = try? TrustJSON(reading: bytes).object
        let values = object?["keyval"]?.object
        let secret = values?["private"]?.string.flatMap(ContentHash.init(hex:))
        guard let digits = values?["public"]?.string, let known = ContentHash(hex: digits) else {
            throw CommandFailure("\(path) is no key file; `sheetmarket keys new-offline-key` makes one.")
        }
        publicKey = TrustKey(ed25519: known.bytes)
        privateKey = secret.flatMap { TrustSigningKey(bytes: $0.bytes) }
        guard privateKey.map({ $0.publicKey == publicKey }) ?? true else {
            throw CommandFailure("The halves of the key in \(path) do not belong together.")
        }
    }

    /// Writes both halves for its owner alone, or the public one for everybody.
    func write(to file: URL) throws {
        let open = publicKey.ed25519.flatMap { ContentHash(bytes: $0)?.hex } ?? ""
        let secret = privateKey.flatMap { ContentHash(bytes: $0.bytes)?.hex }
        var values: [(String, TrustJSON)] = [("public", .string(open))]
        if let secret { values.append(("private", .string(secret))) }
        let json: TrustJSON = ["keytype": "ed25519", "scheme": "ed25519", "keyval": TrustJSON(members: values)]
        let text = String(decoding: json.canonical, as: UTF8.self) + "\n"
        if secret == nil {
            try Data(text.utf8).write(to: file, options: .atomic)
        } else {
            try DataFolder.writeSecret(text, to: file)
        }
    }
}
