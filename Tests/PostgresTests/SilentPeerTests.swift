// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import Postgres
import Testing

@Suite("A network that says nothing")
struct SilentPeerTests {
    /// Milliseconds after which the kernel gives up what nobody confirms, of this process's connections to `port`.
    private static func limits(port: Int) throws -> [Int32] {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap(Int32.init).compactMap { file in
            var address = sockaddr_in()
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let isConnected = withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(file, $0, &length) == 0 }
            }
            guard isConnected, address.sin_family == sa_family_t(AF_INET),
                Int(UInt16(bigEndian: address.sin_port)) == port
            else { return nil }
            var limit: Int32 = 0
            var size = socklen_t(MemoryLayout<Int32>.size)
            guard getsockopt(file, Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, &limit, &size) == 0 else { return nil }
            return limit
        }
    }

    @Test("is given up within seconds at both ends, so that nobody waits for an answer, and no lock is held, for hours")
    func bothEnds() async throws {
        let port = try TestServer.freePort()
        let server = try TestServer { _ in ["listen_addresses=127.0.0.1", "port=\(port)"] }
        defer { server.stop() }
        try await withClient(
            on: server,
            {
                $0.connectionString = "host=127.0.0.1 port=\(port) user=postgres dbname=postgres"
            }
        ) { client async throws in
            try await client.withConnection { connection async throws in
                for (name, value) in [
                    ("tcp_user_timeout", "15000"), ("tcp_keepalives_idle", "15"), ("tcp_keepalives_interval", "5"),
                    ("tcp_keepalives_count", "3"),
                ] {
                    let shown = try await connection.scalar("SELECT current_setting(\(name))", as: String.self)
                    #expect(shown == value, "\(name)")
                }
            }
            let limits = try Self.limits(port: port)
            #expect(limits.count >= 2)
            #expect(limits.allSatisfy { $0 == 15_000 }, "\(limits)")
        }
    }
}
