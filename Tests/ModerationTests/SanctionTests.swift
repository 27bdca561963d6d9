// SPDX-License-Identifier: Apache-2.0
import Foundation
import Moderation
import SheetCore
import Testing

@Suite("Sanctions, strikes and reporters")
struct SanctionTests {
    static let now = Date(timeIntervalSince1970: 1_800_000_000)
    static let day = 86_400.0

    static func imposed(
        _ measure: Sanction.Measure, daysAgo: Double = 0, lifted: Bool = false
    ) -> ImposedSanction {
        ImposedSanction(
            Sanction(id: .make(), measure, reasonCode: "spam", message: "Advertising."),
            imposedAt: now.addingTimeInterval(-daysAgo * day), liftedAt: lifted ? now : nil)
    }

    static func suspension(_ scopes: SanctionScope..., days: Double) -> Sanction.Measure {
        .suspension(Set(scopes), until: now.addingTimeInterval(days * day))
    }

    @Test("each measure keeps from what it says, as long as it says")
    func table() {
        let cases: [(ImposedSanction, Set<SanctionScope>)] = [
            (Self.imposed(.warning), []), (Self.imposed(Self.suspension(.reviews, days: 1)), [.reviews]),
            (Self.imposed(Self.suspension(.uploads, .reports, days: 1)), [.uploads, .reports]),
            (Self.imposed(Self.suspension(.all, days: 1)), Set(SanctionScope.allCases)),
            (Self.imposed(Self.suspension(.all, days: 0)), []), (Self.imposed(Self.suspension(.all, days: -1)), []),
            (Self.imposed(.ban), Set(SanctionScope.allCases)),
            (Self.imposed(.ban, daysAgo: 9000), Set(SanctionScope.allCases)),
            (Self.imposed(.ban, lifted: true), []), (Self.imposed(Self.suspension(.all, days: 9), lifted: true), []),
        ]
        for (sanction, forbidden) in cases {
            for scope in SanctionScope.allCases {
                #expect(sanction.forbids(scope, at: Self.now) == forbidden.contains(scope), "\(sanction) \(scope)")
            }
        }
    }

    @Test("of several the one that ends last is told")
    func longest() {
        let short = Self.imposed(Self.suspension(.all, days: 1))
        let long = Self.imposed(Self.suspension(.reviews, days: 5))
        #expect([short, long].obstacle(to: .reviews, at: Self.now) == long)
        #expect([short, long].obstacle(to: .uploads, at: Self.now) == short)
        let ban = Self.imposed(.ban)
        #expect([ban, short, long].obstacle(to: .reviews, at: Self.now) == ban)
        #expect([ImposedSanction]().obstacle(to: .all, at: Self.now) == nil)
    }

    @Test("strikes add up, fade by half, and lifted ones count nothing")
    func strikes() {
        let rules = StrikeRules(halfLifeSeconds: 90 * Self.day)
        func strikes(_ sanctions: ImposedSanction...) -> Double { rules.strikes(of: sanctions, at: Self.now) }
        #expect(strikes() == 0)
        #expect(strikes(Self.imposed(.warning)) == 1)
        #expect(strikes(Self.imposed(.warning, daysAgo: 90)) == 0.5)
        #expect(strikes(Self.imposed(Self.suspension(.all, days: 1), daysAgo: 180), Self.imposed(.warning)) == 1.5)
        #expect(strikes(Self.imposed(.ban, lifted: true)) == 0)
        #expect(strikes(Self.imposed(.warning, daysAgo: -5)) == 1, "a clock that went back makes none heavier")
    }

    @Test("what is proposed next goes by the strikes")
    func proposals() {
        let rules = StrikeRules(halfLifeSeconds: 90 * Self.day)
        let table: [(Double, Sanction.Measure)] = [
            (0, .warning), (0.49, .warning), (0.5, Self.suspension(.all, days: 3)),
            (1.99, Self.suspension(.all, days: 3)),
            (2, Self.suspension(.all, days: 14)), (4, Self.suspension(.all, days: 60)), (6, .ban), (100, .ban),
        ]
        for (strikes, measure) in table {
            #expect(rules.proposal(strikes: strikes, at: Self.now) == measure, "\(strikes)")
        }
    }

    @Test("a reporter's word weighs as much as their reports were right, and little while the account is new")
    func reporters() {
        func record(_ upheld: Int, _ dismissed: Int, days: Double = 100) -> ReporterRecord {
            ReporterRecord(upheld: upheld, dismissed: dismissed, accountAgeSeconds: days * Self.day)
        }
        #expect(record(0, 0).weight == 0.5 && record(0, 0, days: 1).weight == 0.25)
        #expect(record(8, 0).weight == 0.9 && record(0, 8).weight == 0.1)
        #expect(record(1, 1).weight == 0.5)
        #expect(record(0, 4).dailyAllowance(usual: 20) == 20)
        #expect(record(0, 8).dailyAllowance(usual: 20) == 4 && record(0, 8).dailyAllowance(usual: 2) == 1)
        #expect(record(50, 8).dailyAllowance(usual: 20) == 20)
    }
}
