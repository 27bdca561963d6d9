// SPDX-License-Identifier: Apache-2.0
import Crypto
import Foundation
import SheetCore

/// Signs addresses of artifacts, so that who has one may download without a session, until it expires.
///
/// The signature is HMAC-SHA256 (RFC 2104) over key id, expiry, SHA-256 and file name. The first key signs, all verify:
/// to rotate, put the new key first, and drop the old one when its last address has expired.
package struct DownloadSigner: Sendable {
    private struct Key: Sendable {
        let id: String
        let secret: SymmetricKey
        /// Seals what an address says of the download, for our own eyes.
        let sealing: SymmetricKey

        init(id: String, secret: [UInt8]) {
            self.id = id
            self.secret = SymmetricKey(data: secret)
            sealing = HKDF<SHA256>.deriveKey(
                inputKeyMaterial: self.secret, info: Data("sheetmarket download purpose".utf8), outputByteCount: 32)
        }
    }

    /// Fewest bytes of a secret.
    static let minimumSecretBytes = 32

    private let signing: Key
    private let keys: [Key]

    /// Takes keys as `(id, secret)`; throws when there is none, or when an id or a secret will not do.
    package init(keys: [(id: String, secret: [UInt8])]) throws(DownloadKeyError) {
        try Self.check(keys)
        let made = keys.map { Key(id: $0.id, secret: $0.secret) }
        guard let first = made.first else { throw DownloadKeyError("there is no key") }
        signing = first
        self.keys = made
    }

    /// Whether each id and secret will do, and no id occurs twice.
    private static func check(_ keys: [(id: String, secret: [UInt8])]) throws(DownloadKeyError) {
        var seen: Set<String> = []
        for key in keys {
            guard (1...32).contains(key.id.utf8.count), key.id.utf8.allSatisfy(isIDByte) else {
                throw DownloadKeyError("the key id '\(key.id)' is not 1 to 32 letters, digits, '-' or '_'")
            }
            guard key.secret.count >= minimumSecretBytes else {
                throw DownloadKeyError("the secret of '\(key.id)' is shorter than \(minimumSecretBytes) bytes")
            }
            guard seen.insert(key.id).inserted else {
                throw DownloadKeyError("the key id '\(key.id)' occurs twice")
            }
        }
    }

    /// Reads the setting `kid:base64,kid2:base64`.
    package init(setting: String) throws(DownloadKeyError) {
        try self.init(keys: try Self.keys(in: setting))
    }

    /// The keys that a setting such as `kid:base64,kid2:base64` names.
    package static func keys(in setting: String) throws(DownloadKeyError) -> [(id: String, secret: [UInt8])] {
        var keys: [(id: String, secret: [UInt8])] = []
        for part in setting.split(separator: ",") {
            let fields = part.split(separator: ":", maxSplits: 1).map {
                $0.trimmingCharacters(in: .whitespacesAndNewlines)
            }
            guard fields.count == 2, let secret = Data(base64Encoded: fields[1]) else {
                throw DownloadKeyError("a key looks like 'id:BASE64'; several are separated by commas")
            }
            keys.append((fields[0], Array(secret)))
        }
        try check(keys)
        return keys
    }

    /// A new key as the setting takes it.
    package static func makeKeySetting(id: String) -> String {
        let secret = SymmetricKey(size: .bits256).withUnsafeBytes { Data($0) }
        return "\(id):\(secret.base64EncodedString())"
    }

    /// What stands sealed in the addresses that moderators get.
    private static let review = Data("review".utf8)

    /// The path and query under which the artifact can be had until `expires`. `purpose` is encrypted, so that the URL
    /// reveals nothing about it. A review URL also works for artifacts that were taken down.
    package func sign(
        hash: ContentHash, fileName: String, expires: Date, for purpose: DownloadPurpose? = nil,
        isForReview: Bool = false
    ) -> String {
        let hex = hash.hex
        let expiry = String(Int64(expires.timeIntervalSince1970))
        let signature = Data(
            HMAC<SHA256>.authenticationCode(
                for: Self.message(keyID: signing.id, expiry: expiry, hex: hex, fileName: fileName),
                using: signing.secret))
        let name = fileName.addingPercentEncoding(withAllowedCharacters: .unreserved) ?? "file"
        let said = purpose?.bytes ?? (isForReview ? Self.review : nil)
        let sealed = said.flatMap { said in
            // Sealing fails for no key and no text of ours; without the part the address works, and says no purpose.
            try? AES.GCM.seal(said, using: signing.sealing, authenticating: Data("\(hex)\n\(expiry)".utf8)).combined
        }
        return "/files/\(hex)/\(name)?kid=\(signing.id)&exp=\(expiry)&sig=\(signature.base64URL)"
            + (sealed.map { "&for=\($0.base64URL)" } ?? "")
    }

    /// What a verified address is for; `nil` when it does not say, or not in our own words. It is bound to hash and
    /// expiry, so it cannot be moved to another address.
    package func purpose(_ sealed: String?, of address: SignedAddress) -> DownloadPurpose? {
        opened(sealed, of: address).flatMap { DownloadPurpose($0) }
    }

    /// Whether a verified address was made for moderators.
    package func isForReview(_ sealed: String?, of address: SignedAddress) -> Bool {
        opened(sealed, of: address) == Self.review
    }

    /// What was sealed into the address; `nil` for what we did not seal, whatever is wrong with it.
    private func opened(_ sealed: String?, of address: SignedAddress) -> Data? {
        guard let sealed, sealed.utf8.count <= 256, let key = keys.first(where: { $0.id == address.keyID }),
            let data = Data(strictBase64URL: sealed), let box = try? AES.GCM.SealedBox(combined: data)
        else { return nil }
        return try? AES.GCM.open(
            box, using: key.sealing, authenticating: Data("\(address.hex)\n\(address.expiry)".utf8))
    }

    /// Throws unless `address` was signed by one of the keys and its time is not over.
    package func verify(_ address: SignedAddress, now: Date) throws(DownloadAddressError) {
        guard let key = keys.first(where: { $0.id == address.keyID }), let seconds = Int64(address.expiry),
            let signature = Data(strictBase64URL: address.signature),
            HMAC<SHA256>.isValidAuthenticationCode(
                signature,
                authenticating: Self.message(
                    keyID: key.id, expiry: address.expiry, hex: address.hex, fileName: address.fileName),
                using: key.secret)
        else { throw .badSignature }
        // Only after the signature: a forged address is told nothing.
        guard now.timeIntervalSince1970 < Double(seconds) else { throw .expired }
    }

    /// No field but the last can hold a line feed, so no two addresses have the same message.
    private static func message(keyID: String, expiry: String, hex: String, fileName: String) -> Data {
        Data("\(keyID)\n\(expiry)\n\(hex)\n\(fileName)".utf8)
    }

    private static func isIDByte(_ byte: UInt8) -> Bool {
        (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte) || byte == 45 || byte == 95
    }
}

/// Which version an address was signed for, and for whom.
package struct DownloadPurpose: Sendable, Equatable {
    package var template: TemplateID
    package var version: VersionID
    /// Who was signed in.
    package var account: UserID?

    package init(template: TemplateID, version: VersionID, account: UserID?) {
        self.template = template
        self.version = version
        self.account = account
    }

    /// 32 bytes, or 48 with an account.
    fileprivate var bytes: Data {
        [template.rawValue, version.rawValue, account?.rawValue].compactMap { $0 }.reduce(into: Data()) { data, id in
            withUnsafeBytes(of: id.uuid) { data.append(contentsOf: $0) }
        }
    }

    fileprivate init?(_ bytes: Data) {
        guard bytes.count == 32 || bytes.count == 48 else { return nil }
        let ids = stride(from: 0, to: bytes.count, by: 16).map { start in
            var uuid = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)).uuid
            withUnsafeMutableBytes(of: &uuid) { $0.copyBytes(from: bytes.dropFirst(start).prefix(16)) }
            return UUID(uuid: uuid)
        }
        self.init(
            template: TemplateID(rawValue: ids[0]), version: VersionID(rawValue: ids[1]),
            account: ids.count > 2 ? UserID(rawValue: ids[2]) : nil)
    }
}

/// What a signed address says, as it came in.
package struct SignedAddress: Sendable, Equatable {
    /// The SHA-256 in hexadecimal digits.
    package var hex: String
    /// The decoded file name.
    package var fileName: String
    /// `kid`.
    package var keyID: String
    /// `exp`: Unix seconds, as text.
    package var expiry: String
    /// `sig`.
    package var signature: String

    package init(hex: String, fileName: String, keyID: String, expiry: String, signature: String) {
        self.hex = hex
        self.fileName = fileName
        self.keyID = keyID
        self.expiry = expiry
        self.signature = signature
    }
}

/// Why a signed address is refused.
package enum DownloadAddressError: Error, Sendable, Equatable {
    /// We did not sign this.
    case badSignature
    /// Its time is over.
    case expired
}

/// Why a key setting is refused; the text is for the operator and holds no secret.
package struct DownloadKeyError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What is wrong.
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}

extension CharacterSet {
    /// RFC 3986, section 2.3: what never needs encoding.
    package static let unreserved = CharacterSet(
        charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
}

extension Data {
    /// Reads base64 with the URL's alphabet and no padding; `nil` for anything else.
    fileprivate init?(strictBase64URL text: String) {
        guard text.utf8.allSatisfy({ $0 != 43 && $0 != 47 && $0 != 61 }) else { return nil }
        self.init(base64URL: text)
    }
}
