// SPDX-License-Identifier: Apache-2.0
import Foundation
import Hummingbird
import MarketClient
import MarketWire
import Synchronization
import TestSupport
import Testing

@Suite("Requests through URLSession that are called off")
struct URLSessionCancelTests {
    @Test("one that was called off before it began ends at once, as one that was called off")
    func beforeItBegan() async throws {
        try await withStub { _, _ in
            try .json(GameSystemList(gameSystems: []))
        } _: { server in
            let url = try #require(URL(string: server.url))
            for _ in 0..<10 {
                let end = Mutex<String?>(nil)
                let task = Task {
                    // It is called off meanwhile.
                    try? await Task.sleep(for: .seconds(60))
                    do {
                        _ = try await URLSessionTransport.shared.send(TransportRequest(method: .get, url: url))
                        end.withLock { $0 = "an answer" }
                    } catch {
                        end.withLock { $0 = "\(type(of: error))" }
                    }
                }
                task.cancel()
                // One that hangs is not waited for.
                let isOver = try await eventually { end.withLock { $0 != nil } }
                let told = end.withLock { $0 }
                try #require(isOver && told == "CancellationError")
            }
        }
    }
}
