// SPDX-License-Identifier: Apache-2.0
import Crypto
import Foundation
import SheetCore

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Who a download is counted for: an account, or whoever is behind an address.
struct ClientKey: Sendable {
    /// A word for the client that is the same all day; never kept, only hashed.
    private let word: String

    init(account: UserID) {
        word = "account \(account)"
    }

    init(address: String) {
        word = "address \(Self.network(of: address))"
    }

    /// What is kept of the client for a day: half of an HMAC-SHA256 with the day's secret, which is gone after the day.
    /// Another template makes another hash of the same client, so that nobody's downloads can be put together.
    func hash(for template: TemplateID, on day: UTCDay, salt: Data) -> Data {
        let code = HMAC<SHA256>.authenticationCode(
            for: Data("\(day.text)\n\(template)\n\(word)".utf8), using: SymmetricKey(data: salt))
        return Data(code.prefix(16))
    }

    /// An IPv4 address as it is; of an IPv6 address the network (64 bits), since one household or machine has all of
    /// the addresses in it and changes them often.
    static func network(of address: String) -> String {
        var bytes = in6_addr()
        let plain = String(address.prefix { $0 != "%" })
        guard plain.contains(":"), inet_pton(AF_INET6, plain, &bytes) == 1 else { return plain }
        return withUnsafeBytes(of: &bytes) { bytes in
            // ::ffff:192.0.2.1 is an IPv4 address.
            if bytes.prefix(10).allSatisfy({ $0 == 0 }), bytes[10] == 0xFF, bytes[11] == 0xFF {
                return bytes.suffix(4).map { String($0) }.joined(separator: ".")
            }
            return bytes.prefix(8).map { String($0, radix: 16) }.joined(separator: ":") + "/64"
        }
    }
}
