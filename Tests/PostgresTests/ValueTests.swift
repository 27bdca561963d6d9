// SPDX-License-Identifier: Apache-2.0
import Foundation
import Postgres
import Testing

@Suite("Values")
struct ValueTests {
    enum Mood: String, PostgresCodable {
        case calm, wild
    }

    struct Sheet: Codable, Equatable, Sendable {
        var name: String
        var levels: [Int]
        var note: String?
    }

    @Test("scalars come back as they went")
    func scalars() async throws {
        try await withClient { client async throws in
            #expect(try await client.scalar("SELECT \(true)", as: Bool.self))
            #expect(try await client.scalar("SELECT \(Int.min)", as: Int.self) == .min)
            #expect(try await client.scalar("SELECT \(Int64.max)", as: Int64.self) == .max)
            #expect(try await client.scalar("SELECT \(Int32.min)", as: Int32.self) == .min)
            #expect(try await client.scalar("SELECT \(Int16.min)", as: Int16.self) == .min)
            #expect(try await client.scalar("SELECT \(0.1 + 0.2)", as: Double.self) == 0.1 + 0.2)
            #expect(try await client.scalar("SELECT \(Double.infinity)", as: Double.self) == .infinity)
            #expect(try await client.scalar("SELECT \(Double.nan)", as: Double.self).isNaN)
            #expect(try await client.scalar("SELECT \(Float(0.1))", as: Float.self) == 0.1)
            #expect(try await client.scalar("SELECT \("Größe 🎲 'x' \\")::text", as: String.self) == "Größe 🎲 'x' \\")
            #expect(try await client.scalar("SELECT \("")::text", as: String.self) == "")
            let id = UUID()
            #expect(try await client.scalar("SELECT \(id)", as: UUID.self) == id)
            let price = try #require(Decimal(string: "12345678901234567890.0123456789"))
            #expect(try await client.scalar("SELECT \(price)", as: Decimal.self) == price)
        }
    }

    @Test("NULL is nil, and anything else than nil where NULL stands is an error")
    func nulls() async throws {
        try await withClient { client async throws in
            let none: Int? = nil
            #expect(try await client.scalar("SELECT \(none)", as: Int?.self) == nil)
            #expect(try await client.scalar("SELECT \(Optional(7))", as: Int?.self) == 7)
            #expect(try await client.scalar("SELECT \(String?.none)::text IS NULL", as: Bool.self))
            let error = await failure { _ = try await client.scalar("SELECT NULL::int AS age", as: Int.self) }
            #expect(error?.kind == .decoding(column: "age"))
        }
    }

    @Test("a row's text tells values apart: none runs into the next, and NULL is not empty")
    func rowText() async throws {
        try await withClient { client async throws in
            let rows = try await client.query(
                """
                VALUES ('ab'::text, 'c'::text, 1), ('a', 'bc', 1), ('ab', 'c', 2), ('ab', '', 1), ('ab', NULL, 1)
                """)
            let texts = rows.map { $0.text(ofFirst: 2) }
            #expect(texts.count == 5 && Set(texts).count == 4)
            #expect(texts.first == rows[2].text(ofFirst: 2))
            #expect(Set(rows.map { $0.text(ofFirst: 3) }).count == 5)
            #expect(rows[0].text(ofFirst: 3) == rows[0].text(ofFirst: 9))
            #expect(rows[0].text(ofFirst: 0).isEmpty)
        }
    }

    @Test("timestamps keep their microseconds, before and after 1970 and across offsets")
    func timestamps() async throws {
        try await withClient { client async throws in
            for microseconds in [0, 1, -1, 1_700_000_000_123_456, -62_135_596_800_000_000, 253_402_300_799_999_999] {
                let date = Date(timeIntervalSince1970: Double(microseconds) / 1e6)
                let query: PostgresQuery = "SELECT (extract(epoch FROM \(date)) * 1000000)::bigint AS us, \(date) AS at"
                let row = try await client.one(query) {
                    (try $0.get("us", as: Int.self), try $0.get("at", as: Date.self))
                }
                #expect(abs(row.0 - microseconds) <= (abs(microseconds) > 1 << 53 ? 32 : 0))
                #expect(abs(row.1.timeIntervalSince(date)) < 5e-7 + date.timeIntervalSince1970.ulp)
            }
            let zoned = try await client.scalar("SELECT '2024-02-29 12:00:00+05:30'::timestamptz", as: Date.self)
            #expect(zoned == Date(timeIntervalSince1970: 1_709_188_200))
            #expect(
                try await client.scalar("SELECT '2024-02-29'::date", as: Date.self).timeIntervalSince1970
                    == 1_709_164_800
            )
            #expect(try await client.scalar("SELECT 'infinity'::timestamptz", as: Date.self) == .distantFuture)
            let past = try await client.scalar("SELECT '0044-03-15 00:00:00+00 BC'::timestamptz", as: Date.self)
            #expect(
                try await client.scalar(
                    "SELECT extract(epoch FROM '0044-03-15 00:00:00+00 BC'::timestamptz)::float8",
                    as: Double.self
                ) == past.timeIntervalSince1970
            )
        }
    }

    @Test("arrays nest, hold NULL and anything that needs quoting")
    func arrays() async throws {
        try await withClient { client async throws in
            let words = ["", "NULL", "a,b", "{x}", "q\"uo\\te", "ünï 🎲", " "]
            #expect(try await client.scalar("SELECT \(words)::text[]", as: [String].self) == words)
            #expect(try await client.scalar("SELECT \([1, nil, 3])", as: [Int?].self) == [1, nil, 3])
            #expect(try await client.scalar("SELECT \([[1, 2], [3, 4]])", as: [[Int]].self) == [[1, 2], [3, 4]])
            #expect(try await client.scalar("SELECT \([Int]())", as: [Int].self) == [])
            let ids = [UUID(), UUID()]
            #expect(try await client.scalar("SELECT \(ids)", as: [UUID].self) == ids)
            let blobs = [Data([0, 1, 255]), Data()]
            #expect(try await client.scalar("SELECT \(blobs)", as: [Data].self) == blobs)
            let dates = [Date(timeIntervalSince1970: 1.5), .init(timeIntervalSince1970: 86_400)]
            #expect(try await client.scalar("SELECT \(dates)", as: [Date].self) == dates)
            #expect(
                try await client.scalar(
                    "SELECT count(*) FROM unnest(\([1, 2, 3])) AS n WHERE n = ANY(\([2, 3]))",
                    as: Int.self
                ) == 2
            )
            #expect(try await client.scalar("SELECT '[2:3]={7,8}'::int[]", as: [Int32].self) == [7, 8])
            let error = await failure { _ = try await client.scalar("SELECT '{1,NULL}'::int[] AS n", as: [Int].self) }
            #expect(error?.kind == .decoding(column: "n"))
        }
    }

    @Test("JSON, enums and raw values")
    func codable() async throws {
        try await withClient { client async throws in
            let sheet = Sheet(name: "Ünï \"quoted\" \\ 🎲", levels: [1, 2], note: nil)
            let back = try await client.scalar("SELECT \(PostgresJSON(sheet))", as: PostgresJSON<Sheet>.self)
            #expect(back.value == sheet)
            #expect(try await client.scalar("SELECT \(PostgresJSON(sheet))->>'name'", as: String.self) == sheet.name)
            #expect(
                try await client.scalar("SELECT \([PostgresJSON(sheet)])", as: [PostgresJSON<Sheet>].self).count == 1
            )
            try await client.execute("CREATE TYPE mood AS ENUM ('calm', 'wild')")
            try await client.execute("CREATE TABLE people (mood mood)")
            try await client.execute("INSERT INTO people VALUES (\(Mood.wild))")
            #expect(try await client.scalar("SELECT mood FROM people", as: Mood.self) == .wild)
            #expect(try await client.scalar("SELECT \([Mood.calm])::mood[]", as: [Mood].self) == [.calm])
            let error = await failure { _ = try await client.scalar("SELECT 'odd' AS mood", as: Mood.self) }
            #expect(error?.kind == .decoding(column: "mood"))
        }
    }

    @Test("ten megabytes go and come, as bytes and as text, shared and leased")
    func large() async throws {
        try await withClient { client async throws in
            var bytes = Data(count: 10_000_000)
            for index in stride(from: 0, to: bytes.count, by: 7) { bytes[index] = UInt8(truncatingIfNeeded: index) }
            let text = String(repeating: "0123456789", count: 1_000_000)
            try await client.execute("CREATE TABLE blobs (id int, data bytea, words text)")
            try await client.execute("INSERT INTO blobs VALUES (1, \(bytes), \(text))")
            let row = try await client.one("SELECT data, words FROM blobs") {
                (try $0.get("data", as: Data.self), try $0.get("words", as: String.self))
            }
            #expect(row.0 == bytes)
            #expect(row.1 == text)
            let length = try await client.withTransaction {
                try await $0.scalar("SELECT length(\(bytes))", as: Int.self)
            }
            #expect(length == bytes.count)
        }
    }

    @Test("a decoding error names the column and not its value")
    func decodingErrors() async throws {
        try await withClient { client async throws in
            let wrong = await failure { _ = try await client.scalar("SELECT 'secret' AS age", as: Int.self) }
            #expect(wrong?.kind == .decoding(column: "age"))
            #expect(wrong?.description.contains("age") == true)
            #expect(wrong?.debugDescription.contains("secret") == false)
            let missing = await failure {
                try await client.first("SELECT 1 AS a") { _ = try $0.get("b", as: Int.self) }
            }
            #expect(missing?.kind == .decoding(column: "b"))
            let overflow = await failure { _ = try await client.scalar("SELECT 70000 AS small", as: Int16.self) }
            #expect(overflow?.kind == .decoding(column: "small"))
            #expect(overflow?.callSite?.file.hasSuffix("ValueTests.swift") == true)
        }
    }

    @Test("one wants one row, first takes any, all takes all")
    func rowCounts() async throws {
        try await withClient { client async throws in
            let rows: PostgresQuery = "SELECT n FROM generate_series(1, 3) AS n"
            #expect(try await client.all(rows) { try $0.get("n", as: Int.self) } == [1, 2, 3])
            #expect(try await client.first(rows) { try $0.get(0, as: Int.self) } == 1)
            #expect(try await client.first("SELECT 1 WHERE false") { try $0.get(0, as: Int.self) } == nil)
            let many = await failure { _ = try await client.one(rows) { try $0.get(0, as: Int.self) } }
            #expect(many?.kind == .tooManyRows)
            let none = await failure { _ = try await client.scalar("SELECT 1 WHERE false", as: Int.self) }
            #expect(none?.kind == .noRow)
        }
    }
}
