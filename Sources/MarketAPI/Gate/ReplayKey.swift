// SPDX-License-Identifier: Apache-2.0
import Crypto
import Foundation
import HTTPTypes
import Hummingbird
import MarketWire
import SheetCore

/// What a client names a call with, so that sending it again does not do it again
/// (draft-ietf-httpapi-idempotency-key-header).
struct ReplayKey: Sendable {
    static let maximumLength = 255

    /// What the client wrote, without quotation marks.
    let text: String
    /// Whether it is of a page's form, and of no header field.
    let isForm: Bool

    /// `nil` when none was sent; throws for what can be none. The draft writes a string in quotation marks; many clients
    /// leave them out.
    init?(_ request: Request) throws(APIError) {
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

    /// The key of a form that holds a word of its own: only the very same form, at the same address, is the same call, so that
    /// who goes back and changes what they wrote makes another. No header field holds a blank.
    init(form body: Data, to address: String) {
        text = "form \(ContentHash(hashing: body)) \(address)"
        isForm = true
    }

    /// Where the call is kept: one place for each caller and key. Keys are hashed, since clients may put anything in them.
    func slot(for context: MarketRequestContext) -> ContentHash {
        let caller =
            context.identity.map { "account \($0.userID)" } ?? "address \(ClientKey.network(of: context.clientAddress))"
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
