// SPDX-License-Identifier: Apache-2.0
import MarketPlatform
import MarketWire
import NIOHTTP1
import Postgres
import TestSupport
import Testing

@Suite("A database without room")
struct OutOfRoomTests {
    @Test("refuses changes with 503 and a moment to wait, answers reads, and goes on when there is room")
    func full() async throws {
        try await withMarket { market in
            let member = try await market.person("ada")
            let path = "\(Paths.base)/member-collections"
            let database = market.features.database
            // As PostgreSQL says it, and the other ways in which a server is at its end.
            for code in ["53100", "53200", "58030"] {
                try await database.execute(
                    PostgresQuery(
                        unsafeSQL: """
                            CREATE OR REPLACE FUNCTION no_room() RETURNS trigger LANGUAGE plpgsql AS $$
                            BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = '\(code)'; END $$
                            """))
                try await database.execute(
                    """
                    CREATE OR REPLACE TRIGGER no_room BEFORE INSERT ON member_collections
                    FOR EACH ROW EXECUTE FUNCTION no_room()
                    """)
                let refused = try await member.send(.POST, path, json: MemberCollectionEdit(title: "Mine"))
                #expect(refused.status == 503, "\(code): \(refused.text)")
                #expect(refused.headers.first(name: "Retry-After") != nil)
                #expect(refused.problemCode == .unavailable)
                #expect(try await member.get("\(Paths.base)/me").status == 200)
            }
            try await database.execute("DROP TRIGGER no_room ON member_collections")
            #expect(try await member.send(.POST, path, json: MemberCollectionEdit(title: "Mine")).status == 201)
        }
    }
}
