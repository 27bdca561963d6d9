// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Which network addresses may be connected to. Decided on the address itself, when the socket is made for it: whatever
/// a name led to a moment before does not matter.
package enum AddressPolicy: Sendable {
    /// Only what the whole internet can reach.
    case publicOnly
    /// All: for servers that the operator names, and for development.
    case anywhere

    /// Whether a socket may be connected to this address; `length` bytes of it can be read.
    func allows(_ address: UnsafePointer<sockaddr>, length: Int) -> Bool {
        if self == .anywhere { return true }
        let raw = UnsafeRawPointer(address)
        switch Int32(address.pointee.sa_family) {
        case AF_INET where length >= MemoryLayout<sockaddr_in>.size:
            let value = raw.loadUnaligned(as: sockaddr_in.self).sin_addr.s_addr
            return Self.isPublic(v4: UInt32(bigEndian: value))
        case AF_INET6 where length >= MemoryLayout<sockaddr_in6>.size:
            let value = raw.loadUnaligned(as: sockaddr_in6.self).sin6_addr
            return Self.isPublic(v6: withUnsafeBytes(of: value) { Array($0) })
        default: return false
        }
    }

    /// What IANA's registry of special-purpose IPv4 addresses does not call globally reachable, and multicast.
    private static let notPublic: [(network: UInt32, bits: UInt32)] = [
        (0x0000_0000, 8),  // this network
        (0x0A00_0000, 8),  // private
        (0x6440_0000, 10),  // carriers' own (RFC 6598)
        (0x7F00_0000, 8),  // loopback
        (0xA9FE_0000, 16),  // link-local, where clouds keep their secrets
        (0xAC10_0000, 12),  // private
        (0xC000_0000, 24),  // protocol assignments
        (0xC000_0200, 24),  // documentation
        (0xC058_6300, 24),  // 6to4 relays, no more
        (0xC0A8_0000, 16),  // private
        (0xC612_0000, 15),  // benchmarks
        (0xC633_6400, 24),  // documentation
        (0xCB00_7100, 24),  // documentation
        (0xE000_0000, 4),  // multicast
        (0xF000_0000, 4),  // reserved, and broadcast
    ]

    static func isPublic(v4 address: UInt32) -> Bool {
        !notPublic.contains { address >> (32 - $0.bits) == $0.network >> (32 - $0.bits) }
    }

    /// Global unicast only (2000::/3). Loopback, unique-local, link-local, multicast, IPv4-mapped and NAT64 addresses
    /// are outside of that.
    static func isPublic(v6 address: [UInt8]) -> Bool {
        guard address.count == 16, address[0] & 0xE0 == 0x20 else { return false }
        let first = UInt16(address[0]) << 8 | UInt16(address[1])
        let second = UInt16(address[2]) << 8 | UInt16(address[3])
        switch first {
        case 0x2001:
            // Below 2001:200:: are Teredo, ORCHID and other protocols' own; 2001:db8:: is documentation.
            return second >= 0x0200 && second != 0x0DB8
        case 0x2002: return false  // 6to4: an IPv4 address in disguise
        case 0x3FFF: return second >= 0x1000  // documentation (RFC 9637)
        default: return true
        }
    }
}
