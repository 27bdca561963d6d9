// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketClient

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The way from this machine to others.
enum Network {
    /// Why nothing can be reached then.
    static let missing = "this machine has no network"

    /// A client of a market that makes no call where there is no network: commands go on with the library at once.
    static func client(of server: ServerAddress, token: String? = nil) -> MarketClient {
        isCut(from: server.url)
            ? MarketClient(server: server, token: token, retry: .none, transport: NoNetwork())
            : MarketClient(server: server, token: token)
    }

    /// The same for a mirror of it; a folder is read all the same.
    static func client(of server: ServerAddress, mirror: MirrorAddress) -> MarketClient {
        let address: URL
        switch mirror {
        case .folder: address = server.url
        case .web(let web): address = web.url
        }
        return isCut(from: address)
            ? MarketClient(server: server, mirror: mirror, retry: .none, transport: NoNetwork())
            : MarketClient(server: server, mirror: mirror)
    }

    /// A proxy may be reached where others are not: one on this machine knows ways that are no interface's.
    private static func isCut(from url: URL) -> Bool {
        do {
            let proxies = ProxySettings(environment: ProcessInfo.processInfo.environment)
            guard try proxies.proxy(for: url) == nil else { return false }
        } catch {
            // Whoever sends says what is wrong with it.
            return false
        }
        return isCut(
            from: url.host() ?? "", by: interfaces(), hosts: FileManager.default.contents(atPath: "/etc/hosts"))
    }

    /// An interface with one of its addresses.
    struct Interface {
        var isUp: Bool
        var isLoopback: Bool
        /// Whether the address is one, and of IP.
        var hasAddress: Bool
        /// Whether it is of this link alone: RFC 3927, and RFC 4291, section 2.5.6.
        var isLinkLocal: Bool
    }

    /// Whether nothing leads to a host: to most only an interface whose address is known beyond its link does. Where
    /// nobody knows of interfaces, it is tried, and so is what may be a neighbour or this machine.
    static func isCut(from host: String, by interfaces: [Interface]?, hosts: Data?) -> Bool {
        guard let interfaces, !interfaces.isEmpty else { return false }
        let ways = interfaces.filter { $0.isUp && $0.hasAddress }
        let name = host.lowercased().trimmingCharacters(in: CharacterSet(charactersIn: "[]"))
        let known = hosts.map { String(decoding: $0, as: UTF8.self).lowercased().split(whereSeparator: \.isWhitespace) }
        let isNear =
            ProxySettings.isLocal(name) || !name.contains(".") || name.hasSuffix(".local") || name.hasPrefix("169.254.")
            || name == "0.0.0.0" || known?.contains(Substring(name)) == true
        return isNear ? ways.isEmpty : !ways.contains { !$0.isLoopback && !$0.isLinkLocal }
    }

    /// `nil` where the system does not say.
    private static func interfaces() -> [Interface]? {
        var first: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&first) == 0 else { return nil }
        defer { freeifaddrs(first) }
        return sequence(first: first) { $0?.pointee.ifa_next }.prefix { $0 != nil }.compactMap { entry in
            guard let entry = entry?.pointee else { return nil }
            let flags = entry.ifa_flags
            var interface = Interface(
                isUp: flags & UInt32(IFF_UP) != 0, isLoopback: flags & UInt32(IFF_LOOPBACK) != 0, hasAddress: false,
                isLinkLocal: false)
            guard let address = entry.ifa_addr else { return interface }
            switch Int32(address.pointee.sa_family) {
            case AF_INET:
                interface.hasAddress = true
                address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { address in
                    withUnsafeBytes(of: address.pointee.sin_addr) {
                        interface.isLinkLocal = $0[0] == 169 && $0[1] == 254
                    }
                }
            case AF_INET6:
                interface.hasAddress = true
                address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { address in
                    withUnsafeBytes(of: address.pointee.sin6_addr) {
                        interface.isLinkLocal = $0[0] == 0xFE && $0[1] & 0xC0 == 0x80
                    }
                }
            default: break
            }
            return interface
        }
    }
}

/// What carries requests where there is no network.
private struct NoNetwork: HTTPTransport {
    func send(_ request: TransportRequest) async throws -> TransportResponse {
        throw HTTPTransportError.unreachable(Network.missing)
    }
}
