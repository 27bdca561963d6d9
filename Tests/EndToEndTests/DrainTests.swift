// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import MarketWire
import NIOHTTP1
import TestSupport
import Testing

@Suite("A server that was told to end")
struct DrainTests {
    @Test(
        "answers for a while, ends each connection with the answer, and is not ready any more; a second signal ends it")
    func drain() async throws {
        let folder = try ScratchFolder("drain")
        let server = try ChildProgram(
            BuildProducts.executable("sheetmarket"), ["serve"],
            environment: [
                "DATABASE_URL": try await TestCluster.shared.makeDatabase(),
                "SHEETMARKET_STORAGE": folder.url.appendingPathComponent("storage").path,
                "SHEETMARKET_DOWNLOAD_KEYS": "k1:\(Data(repeating: 7, count: 32).base64EncodedString())",
                "SHEETMARKET_SECRET_KEYS": "s1:\(Data(repeating: 8, count: 32).base64EncodedString())",
                "SHEETMARKET_LISTEN": "127.0.0.1:0", "SHEETMARKET_DRAIN": "600s",
            ])
        let line = try #require(await server.line(within: 600) { $0.hasPrefix("ready ") }, "\(server.errors)")
        let http = TestHTTP(base: String(line.dropFirst("ready ".count)))
        let before = try await http.get("\(Paths.base)/templates")
        #expect(before.status == 200)
        #expect(before.headers.first(name: "Connection")?.lowercased() != "close")
        #expect(try await http.get("/readyz").status == 200)

        server.signal(SIGTERM)
        #expect(try await eventually { try await http.get("/readyz").status == 503 })
        for _ in 0..<3 {
            let answer = try await http.get("\(Paths.base)/templates")
            #expect(answer.status == 200)
            #expect(answer.headers.first(name: "Connection") == "close")
        }
        #expect(try await http.get("/healthz").status == 200)
        #expect(server.isRunning)
        server.signal(SIGTERM)
        _ = await server.waitForExit()
    }
}
