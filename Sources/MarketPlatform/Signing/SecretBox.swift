// SPDX-License-Identifier: Apache-2.0
import Crypto
import Foundation

/// Seals what the service must be able to read again but the database alone must not give away, such as the secrets of
/// second factors. The keys lie apart from the database.
///
/// The first key seals, all open: to rotate, add a new key behind on all nodes, put it first on all nodes, have
/// `SecretRotation` seal anew what older keys sealed, and drop those.
package struct SecretBox: Sendable {
    private struct Key: Sendable {
        let id: String
        let sealing: SymmetricKey
        let marking: SymmetricKey

        init(id: String, secret: [UInt8]) {
            self.id = id
            let secret = SymmetricKey(data: secret)
            func derived(_ purpose: String) -> SymmetricKey {
                HKDF<SHA256>.deriveKey(
                    inputKeyMaterial: secret, info: Data("sheetmarket \(purpose)".utf8), outputByteCount: 32)
            }
            sealing = derived("sealed secret")
            marking = derived("secret mark")
        }
    }

    private let keys: [Key]
    private let first: Key

    /// Reads the setting `id:BASE64,id2:BASE64`; each secret has 32 bytes or more.
    package init(setting: String) throws(DownloadKeyError) {
        let keys = try DownloadSigner.keys(in: setting).map { Key(id: $0.id, secret: $0.secret) }
        guard let first = keys.first else { throw DownloadKeyError("there is no key") }
        self.keys = keys
        self.first = first
    }

    /// The key that seals.
    package var sealingKeyID: String { first.id }

    /// The key that sealed something; empty for what nobody sealed.
    package static func keyID(of sealed: Data) -> String {
        String(decoding: sealed.dropFirst().prefix(Int(sealed.first ?? 0)), as: UTF8.self)
    }

    /// Seals `bytes`. `context` says whose and what it is: opened with another, it does not open.
    package func seal(_ bytes: some Sequence<UInt8>, for context: String) throws -> Data {
        let id = Data(first.id.utf8)
        let box = try AES.GCM.seal(Data(bytes), using: first.sealing, authenticating: Data(context.utf8))
        return Data([UInt8(id.count)]) + id + (box.combined ?? Data())
    }

    /// What was sealed; `nil` when its key is gone, or it is somebody else's.
    package func open(_ sealed: Data, for context: String) -> [UInt8]? {
        let bytes = Array(sealed)
        let id = bytes.dropFirst().prefix(Int(bytes.first ?? 0))
        guard let key = keys.first(where: { $0.id.utf8.elementsEqual(id) }),
            // Malformed bytes and a wrong seal are the same to the caller: not to be opened.
            let box = try? AES.GCM.SealedBox(combined: Data(bytes.dropFirst(1 + id.count))),
            let opened = try? AES.GCM.open(box, using: key.sealing, authenticating: Data(context.utf8))
        else { return nil }
        return Array(opened)
    }

    /// What `text` is recognized by: nobody without the key can search for it. One for each key, the first's first.
    package func marks(of text: String, for context: String) -> [Data] {
        let message = Data("\(context)\n\(text)".utf8)
        return keys.map { Data(HMAC<SHA256>.authenticationCode(for: message, using: $0.marking)) }
    }

    /// A new key as the setting takes it.
    package static func makeKeySetting(id: String) -> String { DownloadSigner.makeKeySetting(id: id) }
}
