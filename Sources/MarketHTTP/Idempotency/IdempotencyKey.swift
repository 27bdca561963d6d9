// SPDX-License-Identifier: Apache-2.0
import Crypto
import Foundation
import HTTPTypes
import Hummingbird
import MarketPlatform
import MarketWire
import NIOFoundationEssentialsCompat
import SheetCore

/// What a client names a call with, so that sending it again does not do it again
/// (draft-ietf-httpapi-idempotency-key-header).
package struct IdempotencyKey: Sendable {
    package static let maximumLength = 255

    /// What the client wrote, without quotation marks.
    package let text: String
    /// Whether it is of a page's form, and of no header field.
    let isForm: Bool

    /// `nil` when none was sent; throws for what can be none. The draft writes a string in quotation marks; many
    /// clients leave them out.
    package init?(_ request: Request) throws(APIError) {
        guard let field = request.headers[.idempotencyKey] else { return nil }
        var text = field[...]
        if text.count >= 2, text.hasPrefix("\""), text.hasSuffix("\"") { text = text.dropFirst().dropLast() }
        guard (1...Self.maximumLength).contains(text.utf8.count),
            text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") })
        else {
            throw APIError(
                .badRequest, .badRequest,
                "An Idempotency-Key is 1 to \(Self.maximumLength) visible ASCII characters, such as a UUID.")
        }
        self.text = String(text)
        isForm = false
    }

    /// The key of a web form with an idempotency token: only identical content sent to the same address counts as the
    /// same call, so that an edited form is a new one. The blank keeps it apart from keys in header fields.
    package init(form body: Data, to address: String) {
        text = "form \(ContentHash(hashing: body)) \(address)"
        isForm = true
    }

    /// The call's primary key: a hash of the caller and the key, since clients may put anything in it.
    func slot(for context: MarketRequestContext) -> ContentHash {
        let caller =
            context.identity.map { "account \($0.userID)" }
            ?? "address \(NetworkAddress.network(of: context.clientAddress))"
        var name = caller + "\n" + text
        return name.withUTF8 { ContentHash(hashing: UnsafeRawBufferPointer($0)) }
    }
}

extension HTTPField.Name {
    /// Names a call, so that it can be sent again.
    static let idempotencyKey = Self("Idempotency-Key") ?? .ifMatch
    /// `true`: this is the answer to the same call before.
    static let idempotencyReplayed = Self("Idempotency-Replayed") ?? .ifMatch
}

extension Request {
    /// Largest body of nearly every page's form without a file, in bytes.
    package static let maximumFormBytes = 256 << 10

    /// The field of a form that may be sent once only, with a word that no other form holds.
    static let onceField = "once"

    /// Names the sending of a form that has such a field; `nil` for any other. Reads the body, which can be read again
    /// then, and throws where it is larger than that.
    package mutating func formIdempotencyKey() async throws -> IdempotencyKey? {
        guard headers[.contentType]?.lowercased().hasPrefix("application/x-www-form-urlencoded") == true else {
            return nil
        }
        let bytes = try await body.collect(upTo: Self.maximumFormBytes)
        body = RequestBody(buffer: bytes)
        let text = String(buffer: bytes)
        // Most forms have none, and are parsed by their handlers alone.
        guard text.utf8.contains("\(Self.onceField)=".utf8), let word = QueryParameters(text)[Self.onceField],
            (16...IdempotencyKey.maximumLength).contains(word.utf8.count)
        else { return nil }
        return IdempotencyKey(form: Data(buffer: bytes), to: uri.string)
    }
}
