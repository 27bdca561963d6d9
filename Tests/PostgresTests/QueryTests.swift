// SPDX-License-Identifier: Apache-2.0
import Foundation
import Postgres
import Testing

@Suite("Queries")
struct QueryTests {
    @Test("what is interpolated is bound, never pasted")
    func binding() async throws {
        let evil = "x'); DROP TABLE users; --"
        let query: PostgresQuery = "SELECT \(evil), \(1), \(String?.none)"
        #expect(query.sql == "SELECT $1, $2, $3")
        #expect(query.parameterCount == 3)
        #expect(!query.description.contains("DROP"))
        try await withClient { client async throws in
            try await client.execute("CREATE TABLE users (name text)")
            try await client.execute("INSERT INTO users VALUES (\(evil))")
            #expect(try await client.scalar("SELECT name FROM users", as: String.self) == evil)
        }
    }

    @Test("identifiers are quoted")
    func identifiers() async throws {
        let name = "odd \"name\"; DROP TABLE x"
        let query: PostgresQuery = "SELECT \(ident: name)"
        #expect(query.sql == "SELECT \"odd \"\"name\"\"; DROP TABLE x\"")
        try await withClient { client async throws in
            try await client.execute("CREATE TABLE \(ident: name) (\(ident: "order") int)")
            try await client.execute("INSERT INTO \(ident: name) VALUES (\(4))")
            #expect(try await client.scalar("SELECT \(ident: "order") FROM \(ident: name)", as: Int.self) == 4)
        }
    }

    @Test("a fragment brings its values along and is renumbered, text that looks like a placeholder is not")
    func fragments() async throws {
        let inner: PostgresQuery = "n > \(1) AND '$1' <> \("$2")"
        let outer: PostgresQuery =
            "SELECT \("first")::text, '$9' FROM generate_series(1, 12) n WHERE \(fragment: inner)"
        #expect(
            outer.sql
                == "SELECT $1::text, '$9' FROM generate_series(1, 12) n WHERE n > $2 AND '$1' <> $3"
        )
        var many: PostgresQuery = "\(0)"
        for number in 1...30 { many = "\(fragment: many), \(number)" }
        #expect(many.parameterCount == 31)
        let nested = many
        try await withClient { client async throws in
            #expect(try await client.query(outer).count == 11)
            let numbers = try await client.scalar("SELECT ARRAY[\(fragment: nested)]", as: [Int].self)
            #expect(numbers == Array(0...30))
        }
    }

    @Test("a value whose type is known only at run time binds too")
    func existentials() async throws {
        let values: [(any PostgresEncodable)?] = [1, "two", nil, true]
        try await withClient { client async throws in
            let text = try await client.scalar(
                "SELECT concat_ws(',', \(values[0])::int8, \(values[1])::text, \(values[2])::text, \(values[3])::bool)",
                as: String.self
            )
            #expect(text == "1,two,t")
        }
    }

    @Test("text with a NUL character is refused before it is sent")
    func nulCharacter() async throws {
        try await withClient { client async throws in
            for _ in 0..<2 {
                let error = await failure { try await client.execute("SELECT \("a\0b")::text") }
                #expect(error?.kind == .encoding)
                #expect(try await client.scalar("SELECT \("ab")::text", as: String.self) == "ab")
            }
        }
    }

    @Test("several statements in one are refused, scripts take them")
    func severalStatements() async throws {
        try await withClient { client async throws in
            let error = await failure { try await client.execute("SELECT 1; SELECT 2") }
            #expect(error?.code == .syntaxError)
            try await client.withConnection { connection async throws in
                try await connection.executeScript("CREATE TABLE a (n int); INSERT INTO a VALUES (1), (2);")
                #expect(try await connection.scalar("SELECT count(*) FROM a", as: Int.self) == 2)
                let bad = await failure { try await connection.executeScript("INSERT INTO a VALUES (3); SELECT 1/0") }
                #expect(bad?.code == "22012")
                #expect(try await connection.scalar("SELECT count(*) FROM a", as: Int.self) == 2)
            }
        }
    }

    @Test(
        "what would change a shared connection is refused there",
        arguments: [
            "BEGIN", "  /* a /* nested */ comment */ begin", "-- note\nCOMMIT", "SET search_path = x", "LISTEN x",
            "COPY t FROM STDIN", "DEALLOCATE ALL", ";ROLLBACK",
        ]
    )
    func sharedRules(sql: String) async throws {
        try await withClient { client async throws in
            let error = await failure { try await client.execute("\(unsafe: sql)") }
            #expect(error?.kind == .misuse)
        }
    }

    @Test("a description has code and constraint but neither values nor SQL; the debug description has the call")
    func descriptions() async throws {
        try await withClient { client async throws in
            try await client.execute("CREATE TABLE users (email text CONSTRAINT users_email_key UNIQUE)")
            try await client.execute("INSERT INTO users VALUES (\("secret@example.org"))")
            let duplicate = await failure {
                try await client.execute("INSERT INTO users VALUES (\("secret@example.org"))")
            }
            let error = try #require(duplicate)
            #expect(error.isUniqueViolation())
            #expect(error.isUniqueViolation(constraint: "users_email_key"))
            #expect(!error.isUniqueViolation(constraint: "another"))
            #expect(!error.isRetryable)
            #expect(error.description.contains("23505"))
            #expect(error.description.contains("users_email_key"))
            #expect(!error.description.contains("secret"))
            #expect(!error.description.contains("INSERT"))
            #expect("\(error as any Error)" == error.description)
            #expect(error.debugDescription.contains("secret@example.org"))
            #expect(error.debugDescription.contains("INSERT INTO users"))
            #expect(error.debugDescription.contains("QueryTests.swift:"))
            let invalid = await failure { try await client.execute("SELECT \("secret")::int") }
            #expect(invalid?.code == .invalidTextRepresentation)
            #expect(invalid?.description.contains("secret") == false)
        }
    }

    @Test("sharing and sending more values than the protocol allows is refused")
    func tooManyValues() async throws {
        var query: PostgresQuery = "SELECT 1"
        let one: PostgresQuery = "\(1)"
        var parts: [PostgresQuery] = Array(repeating: one, count: 65_536)
        while parts.count > 1 {
            parts = stride(from: 0, to: parts.count, by: 2).map { "\(fragment: parts[$0]), \(fragment: parts[$0 + 1])" }
        }
        query = "SELECT \(fragment: parts[0])"
        let tooMany = query
        try await withClient { client async throws in
            #expect(await failure { try await client.execute(tooMany) }?.kind == .encoding)
        }
    }
}
