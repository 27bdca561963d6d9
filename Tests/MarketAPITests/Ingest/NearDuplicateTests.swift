// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketPlatform
import Postgres
import SheetCore
import TestSupport
import Testing

@testable import MarketIngest

@Suite("Near-duplicates")
struct NearDuplicateTests {
    static func page(
        look: UInt64, text: UInt64? = nil, width: Double = 595, height: Double = 842
    ) -> PageSignature {
        PageSignature(
            width: width, height: height, look: Fingerprint(bits: look), text: text.map { Fingerprint(bits: $0) })
    }

    /// A number with `count` of its bits turned over, from bit `first` on.
    static func turned(_ bits: UInt64, _ count: Int, from first: Int = 0) -> UInt64 {
        (first..<first + count).reduce(bits) { $0 ^ 1 << UInt64($1 % 64) }
    }

    @Test("looks and texts together tell; a margin or other paper matters little, other proportions do")
    func rule() {
        let base: UInt64 = 0x0f0f_3333_5555_00ff
        let page = Self.page(look: base, text: base)
        func near(_ look: Int, _ text: Int, width: Double = 595, height: Double = 842, characters: Int = 500) -> Bool {
            Self.page(
                look: Self.turned(base, look), text: Self.turned(base, text), width: width, height: height
            ).isNearDuplicate(of: page, characters: characters)
        }
        #expect(near(0, 0) && near(8, 16) && near(8, 20) && near(20, 7) && near(21, 7))
        #expect(!near(8, 21) && !near(22, 7) && !near(9, 8), "too far, or neither is near enough to begin with")
        #expect(!near(20, 0, characters: 59), "too few words to know a page by")
        #expect(near(0, 0, width: 571, height: 808) && near(12, 0, width: 559, height: 806))
        #expect(!near(0, 0, width: 842, height: 595))
        let silent = Self.page(look: base)
        #expect(Self.page(look: Self.turned(base, 4)).isNearDuplicate(of: silent, characters: 0))
        #expect(!Self.page(look: Self.turned(base, 6)).isNearDuplicate(of: silent, characters: 0))
        #expect(Self.page(look: Self.turned(base, 6)).isNearDuplicate(of: page, characters: 0), "a scan")
        #expect(!Self.page(look: Self.turned(base, 8)).isNearDuplicate(of: page, characters: 0))
        #expect(!Self.page(look: 0, text: base).isNearDuplicate(of: Self.page(look: 0, text: base), characters: 500))
    }

    @Test("the database finds what the rule says, but for looks 8 bits apart that no band shows")
    func agreement() async throws {
        try await withMarket { market in
            let database = market.features.database
            let base: UInt64 = 0x0f0f_3333_5555_00ff
            try await database.execute(
                """
                WITH u AS (
                    INSERT INTO users (id, handle, display_name, email)
                    VALUES ('00000000-0000-7000-8000-000000000001', 'a', 'a', 'a@example.org')
                ), f AS (
                    INSERT INTO artifacts (sha256, size_bytes, media_type) VALUES (sha256('x'), 1, 'application/pdf')
                ), t AS (
                    INSERT INTO templates (id, slug, owner_id, game_system, name, summary, license, language)
                    VALUES ('00000000-0000-7000-8000-000000000002', 's', '00000000-0000-7000-8000-000000000001', 'dnd5e',
                        'S', 'S', 'MIT', 'en')
                ), s AS (
                    INSERT INTO submissions (id, template_id, uploader_id, version, metadata, artifact_sha256, file_name,
                        size_bytes, state, page_count)
                    VALUES ('00000000-0000-7000-8000-000000000003', '00000000-0000-7000-8000-000000000002',
                        '00000000-0000-7000-8000-000000000001', '1.0.0', '{}', sha256('x'), 'x', 1, 'published', 2)
                ), v AS (
                    INSERT INTO versions (id, template_id, submission_id, number, artifact_sha256, file_name, size_bytes,
                        page_count)
                    VALUES ('00000000-0000-7000-8000-000000000004', '00000000-0000-7000-8000-000000000002',
                        '00000000-0000-7000-8000-000000000003', '1.0.0', sha256('x'), 'x', 1, 2)
                )
                INSERT INTO submission_pages (submission_id, page_index, width, height, rotation, text_characters,
                    form_fields, regions, perceptual_hash, text_hash)
                VALUES ('00000000-0000-7000-8000-000000000003', 0, 595, 842, 0, 500, 0, '[]',
                    \(Fingerprint(bits: base))::bigint::bit(64), \(Fingerprint(bits: base))::bigint::bit(64))
                """)
            let stored = Self.page(look: base, text: base)
            var wanted: [PageSimilarityStore.Wanted] = []
            for look in stride(from: 0, through: 26, by: 2) {
                for text in [nil, 0, 5, 7, 8, 16, 20, 22, 30] as [Int?] {
                    for (width, characters) in [(595.0, 500), (571.0, 500), (571.0, 40), (650.0, 500)] {
                        let page = Self.page(
                            look: Self.turned(base, look, from: 3), text: text.map { Self.turned(base, $0, from: 40) },
                            width: width, height: width == 571 ? 808 : 842)
                        wanted.append(.init(index: wanted.count, signature: page, characters: characters))
                    }
                }
            }
            let found = Set(
                try await PageSimilarityStore.nearDuplicates(
                    wanted, to: .offered(besides: TemplateID.make(), ownedBy: UserID.make()), in: database
                ).map(\.page))
            for page in wanted {
                let isNear = page.signature.isNearDuplicate(of: stored, characters: min(page.characters, 500))
                #expect(found.contains(page.index) == isNear, "\(page)")
            }
            #expect(found.count > 50 && found.count < wanted.count / 2)
        }
    }
}
