// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketClient
import Synchronization

/// A port behind which nobody answers a connection, as behind a line that loses all packets: its queue is full.
final class DeafListener: Sendable {
    let port: UInt16
    private let sockets: [Int32]

    init() throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        var isListening = false
        withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                isListening =
                    bind(listener, address, size) == 0 && listen(listener, 0) == 0
                    && getsockname(listener, address, &size) == 0
            }
        }
        guard isListening else { throw POSIXError(.EADDRNOTAVAIL) }
        // More than a queue of no length takes; none of these is waited for.
        var sockets = [listener]
        for _ in 0..<8 {
            let caller = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0)
            withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { _ = connect(caller, $0, size) }
            }
            sockets.append(caller)
        }
        self.sockets = sockets
        port = UInt16(bigEndian: address.sin_port)
    }

    deinit { sockets.forEach { _ = close($0) } }
}

/// Sends what it is given as the client does by itself, and counts.
final class CountingTransport: HTTPTransport {
    private let sent = Mutex(0)

    var count: Int { sent.withLock { $0 } }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        sent.withLock { $0 += 1 }
        return try await AsyncHTTPTransport.shared.send(request)
    }
}
