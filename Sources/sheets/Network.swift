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
    /// A client of a market that makes no call where there is no network: commands go on with the library at once.
    static func client(of server: ServerAddress, token: String?) -> MarketClient {
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
        return !hasInterface(toItself: ProxySettings.isLocal(url.host() ?? ""))
    }

    /// Whether an interface is up and has an address that reaches beyond its own link, or at least this machine. Where
    /// nobody says, one has.
    private static func hasInterface(toItself isLocal: Bool) -> Bool {
        var first: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&first) == 0 else { return true }
        defer { freeifaddrs(first) }
        return sequence(first: first) { $0?.pointee.ifa_next }.prefix { $0 != nil }.contains { interface in
            guard let interface = interface?.pointee, let address = interface.ifa_addr else { return false }
            let flags = interface.ifa_flags
            guard flags & UInt32(IFF_UP) != 0, isLocal || flags & UInt32(IFF_LOOPBACK) == 0 else { return false }
            switch Int32(address.pointee.sa_family) {
            case AF_INET: return true
            case AF_INET6:
                return address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { address in
                    // RFC 4291, section 2.5.6: link-local.
                    withUnsafeBytes(of: address.pointee.sin6_addr) { $0[0] != 0xFE || $0[1] & 0xC0 != 0x80 }
                }
            default: return false
            }
        }
    }
}

/// What carries requests where there is no network.
private struct NoNetwork: HTTPTransport {
    func send(_ request: TransportRequest) async throws -> TransportResponse {
        throw HTTPTransportError.unreachable("this machine has no network")
    }
}
