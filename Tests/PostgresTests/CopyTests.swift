// SPDX-License-Identifier: Apache-2.0
import Foundation
import Postgres
import Testing

@Suite("COPY in")
struct CopyTests {
    struct Stop: Error {}

    @Test("a hundred thousand rows arrive as they were, whatever is in them")
    func bulk() async throws {
        try await withClient({ $0.statementTimeout = nil }) { client async throws in
            try await client.execute("CREATE TABLE bulk (id int, name text, data bytea, at timestamptz, tags text[])")
            let odd = "tab\t newline\n return\r back\\slash \\N \\. ü 🎲"
            let date = Date(timeIntervalSince1970: 1_700_000_000.25)
            let columns = ["id", "name", "data", "at", "tags"]
            let count = try await client.withConnection { connection async throws in
                try await connection.copyIn(
                    table: "bulk",
                    columns: columns,
                    rows: (0..<100_000).lazy.map { number in
                        [number, number == 5 ? odd : nil, Data([0, 9, 10, 92]), date, [odd, "x"]]
                    }
                )
            }
            #expect(count == 100_000)
            #expect(try await client.scalar("SELECT sum(id) FROM bulk", as: Int.self) == 4_999_950_000)
            try await client.one("SELECT name, data, at, tags FROM bulk WHERE id = 5") { row throws in
                #expect(try row.get("name", as: String.self) == odd)
                #expect(try row.get("data", as: Data.self) == Data([0, 9, 10, 92]))
                #expect(try row.get("at", as: Date.self) == date)
                #expect(try row.get("tags", as: [String].self) == [odd, "x"])
            }
            #expect(try await client.scalar("SELECT count(*) FROM bulk WHERE name IS NULL", as: Int.self) == 99_999)
        }
    }

    @Test("rows may come asynchronously, within a transaction, and the connection goes on")
    func asynchronous() async throws {
        try await withClient { client async throws in
            try await client.execute("CREATE TABLE bulk (id int)")
            let rows = AsyncStream<[(any PostgresEncodable)?]> { continuation in
                for number in 0..<10 { continuation.yield([number]) }
                continuation.finish()
            }
            try await client.withTransaction { connection async throws in
                #expect(try await connection.copyIn(table: "bulk", columns: ["id"], rows: rows) == 10)
                #expect(try await connection.scalar("SELECT count(*) FROM bulk", as: Int.self) == 10)
            }
        }
    }

    @Test("a bad row, a wrong count or a throwing source loads nothing and leaves the connection usable")
    func failures() async throws {
        try await withClient({ $0.maxConnections = 1 }) { client async throws in
            try await client.execute("CREATE TABLE bulk (id int CONSTRAINT positive CHECK (id > 0))")
            try await client.withConnection { connection async throws in
                let check = await failure {
                    try await connection.copyIn(table: "bulk", columns: ["id"], rows: [[1], [0]])
                }
                #expect(check?.isCheckViolation(constraint: "positive") == true)
                // The server gives up in the middle: the news is there before the end of the data.
                let early = await failure {
                    try await connection.copyIn(
                        table: "bulk",
                        columns: ["id"],
                        rows: (0..<200_000).lazy.map { [$0 == 0 ? "x" : "1"] }
                    )
                }
                #expect(early?.code == .invalidTextRepresentation)
                let width = await failure {
                    try await connection.copyIn(table: "bulk", columns: ["id"], rows: [[1], [2, 3]])
                }
                #expect(width?.kind == .encoding)
                let table = await failure {
                    try await connection.copyIn(table: "none", columns: ["id"], rows: [[1]])
                }
                #expect(table?.code == .undefinedTable)
                let source = AsyncThrowingStream<[(any PostgresEncodable)?], any Error> { continuation in
                    continuation.yield([1])
                    continuation.finish(throwing: Stop())
                }
                await #expect(throws: Stop.self) {
                    try await connection.copyIn(table: "bulk", columns: ["id"], rows: source)
                }
                #expect(try await connection.scalar("SELECT count(*) FROM bulk", as: Int.self) == 0)
            }
            #expect(client.statistics.connectionsLost == 0)
        }
    }
}
