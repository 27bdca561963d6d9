// SPDX-License-Identifier: Apache-2.0
import Foundation

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Addresses of clients, as far as one household or machine can be told from another.
package enum NetworkAddress {
    /// An IPv4 address as it is; of an IPv6 address the network (64 bits), since one household or machine has all of
    /// the addresses in it and changes them often.
    package static func network(of address: String) -> String {
        var bytes = in6_addr()
        let plain = String(Substring(address.utf8.prefix { $0 != UInt8(ascii: "%") }))
        guard plain.utf8.contains(UInt8(ascii: ":")), inet_pton(AF_INET6, plain, &bytes) == 1 else { return plain }
        return withUnsafeBytes(of: &bytes) { bytes in
            // ::ffff:192.0.2.1 is an IPv4 address.
            if bytes.prefix(10).allSatisfy({ $0 == 0 }), bytes[10] == 0xFF, bytes[11] == 0xFF {
                return bytes.suffix(4).map { String($0) }.joined(separator: ".")
            }
            return bytes.prefix(8).map { String($0, radix: 16) }.joined(separator: ":") + "/64"
        }
    }
}
