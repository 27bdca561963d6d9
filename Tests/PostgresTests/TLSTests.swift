// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import Postgres
import Testing

@Suite("TLS")
struct TLSTests {
    /// A server with a certificate of its own making, on a TCP port that was free a moment ago.
    private static func makeServer() throws -> (TestServer, port: Int) {
        let port = try TestServer.freePort()
        let server = try TestServer { folder in
            let key = "\(folder)/server.key"
            let certificate = "\(folder)/server.crt"
            try TestServer.run([
                "openssl", "req", "-new", "-x509", "-days", "2", "-nodes", "-subj", "/CN=localhost",
                "-addext", "subjectAltName=DNS:localhost", "-keyout", key, "-out", certificate,
            ])
            return [
                "listen_addresses=127.0.0.1", "port=\(port)", "ssl=on", "ssl_cert_file=\(certificate)",
                "ssl_key_file=\(key)",
            ]
        }
        return (server, port)
    }

    @Test("a verified TLS connection carries ten megabytes; a server with another certificate is refused")
    func verified() async throws {
        let (server, port) = try Self.makeServer()
        defer { server.stop() }
        let base = "host=localhost hostaddr=127.0.0.1 port=\(port) user=postgres dbname=postgres sslmode=verify-full"
        try await withClient({
            $0.connectionString = base + " sslrootcert=\(server.folder)/server.crt"
        }) { client async throws in
            #expect(
                try await client.scalar(
                    "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()",
                    as: Bool.self
                )
            )
            let text = String(repeating: "0123456789", count: 1_000_000)
            #expect(try await client.scalar("SELECT \(text)::text", as: String.self) == text)
            let echoed = try await client.withTransaction {
                try await $0.scalar("SELECT \(text)::text", as: String.self)
            }
            #expect(echoed == text)
            let numbers = try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<500 { group.addTask { try await client.scalar("SELECT \(number)") } }
                return try await group.reduce(0, +)
            }
            #expect(numbers == 124_750)
        }
        var configuration = PostgresConfiguration(
            connectionString: base + " sslrootcert=/etc/ssl/certs/ca-certificates.crt"
        )
        configuration.checkoutTimeout = .seconds(4)
        let client = PostgresClient(configuration: configuration, logger: quietLogger())
        let error = await failure { try await client.execute("SELECT 1") }
        #expect(error?.kind == .connectionFailed)
        await client.shutdown()
    }
}
