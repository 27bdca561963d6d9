// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketAPI

/// Tries an address before anything slow is begun, so that a taken port is told at once and in plain words.
enum ListenCheck {
    static func run(_ address: ListenAddress) throws {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_PASSIVE
        var list: UnsafeMutablePointer<addrinfo>?
        let failure = getaddrinfo(address.host, String(address.port), &hints, &list)
        guard failure == 0, let first = list else {
            throw CommandFailure("Cannot listen on \(address): \(String(cString: gai_strerror(failure))).")
        }
        defer { freeaddrinfo(list) }
        let socket = Foundation.socket(first.pointee.ai_family, first.pointee.ai_socktype, 0)
        guard socket >= 0 else { return }  // Not this check's to judge: the server will say.
        defer { close(socket) }
        var reuse: Int32 = 1
        setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &reuse, socklen_t(MemoryLayout<Int32>.size))
        guard bind(socket, first.pointee.ai_addr, first.pointee.ai_addrlen) == 0 else {
            throw CommandFailure(Self.explain(address, errno))
        }
        // Another server that only reuses the address shows when we would listen too.
        guard Foundation.listen(socket, 1) == 0 else { throw CommandFailure(Self.explain(address, errno)) }
    }

    private static func explain(_ address: ListenAddress, _ code: Int32) -> String {
        let hint =
            switch code {
            case EADDRINUSE: "Another program listens there: end it, or choose another port."
            case EACCES: "Ports below 1024 need a privilege: choose another, or put a proxy in front."
            case EADDRNOTAVAIL: "This machine does not have that address."
            default: ""
            }
        return "Cannot listen on \(address): \(String(cString: strerror(code))). \(hint)"
    }
}
