// SPDX-License-Identifier: Apache-2.0
import Crypto
import Foundation
import MarketPlatform
import SheetCore

/// Who a download is counted for: an account, or whoever is behind an address.
package struct ClientKey: Sendable {
    /// A word for the client that is the same all day; never kept, only hashed.
    private let word: String

    package init(account: UserID) {
        word = "account \(account)"
    }

    package init(address: String) {
        word = "address \(NetworkAddress.network(of: address))"
    }

    /// What is kept of the client for a day: half of an HMAC-SHA256 with the day's secret, which is gone after the day.
    /// The hash differs per template, so that the downloads of one client cannot be linked.
    package func hash(for template: TemplateID, on day: UTCDay, salt: Data) -> Data {
        let code = HMAC<SHA256>.authenticationCode(
            for: Data("\(day.text)\n\(template)\n\(word)".utf8), using: SymmetricKey(data: salt))
        return Data(code.prefix(16))
    }
}
