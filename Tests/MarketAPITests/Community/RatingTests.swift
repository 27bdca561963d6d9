// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import HummingbirdTesting
import MarketCatalog
import MarketPages
import MarketWire
import Postgres
import SheetCore
import Testing

@testable import MarketCommunity
@testable import MarketPlatform

/// The formula of docs/ratings.md, from the document and not from the SQL: what anybody could write.
private struct Formula {
    struct Prior {
        var mean: Double
        var variance: Double
        var weight: Double
    }

    struct Rated {
        var stars: Double
        /// The day it was written.
        var day: Date
    }

    let asOf: Date

    init(asOf: String) throws {
        self.asOf = try #require(UTCDay(asOf)).date
    }

    func weight(_ rated: Rated) -> Double {
        pow(0.5, max(0, (asOf.timeIntervalSince(rated.day) / 86_400).rounded()) / 730)
    }

    /// The prior that reviews make under a parent; one array for each template.
    func prior(_ templates: [[Rated]], under parent: Prior) -> Prior {
        let all = templates.flatMap { $0 }
        let weight = all.map(weight).reduce(0, +)
        guard weight > 0 else { return parent }
        let mean = all.map { self.weight($0) * $0.stars }.reduce(0, +) / weight
        let variance = all.map { self.weight($0) * pow($0.stars - mean, 2) }.reduce(0, +) / weight
        let typical = weight / Double(templates.filter { !$0.isEmpty }.count)
        func drawn(_ own: Double, _ parent: Double) -> Double { (20 * parent + weight * own) / (20 + weight) }
        return Prior(
            mean: drawn(mean, parent.mean), variance: drawn(variance, parent.variance),
            weight: min(20, max(2, drawn(typical, parent.weight))))
    }

    func rating(_ reviews: [Rated], _ prior: Prior) -> (rating: Double, lowerBound: Double) {
        let weight = reviews.map(weight).reduce(0, +)
        let total = prior.weight + weight
        let rating = (prior.weight * prior.mean + reviews.map { self.weight($0) * $0.stars }.reduce(0, +)) / total
        let scatter = reviews.map { self.weight($0) * pow($0.stars - rating, 2) }.reduce(0, +)
        let variance = (prior.weight * (prior.variance + pow(prior.mean - rating, 2)) + scatter) / total
        return (rating, max(0, rating - 1.645 * (variance / total).squareRoot()))
    }
}

@Suite("Ratings")
struct RatingTests {
    /// All reviews of a template, through the API.
    private static func reviews(_ scene: CatalogScene, _ slug: String) async throws -> [Formula.Rated] {
        var found: [Formula.Rated] = []
        var cursor: String?
        repeat {
            let list = try await scene.get(
                "/templates/\(slug)/reviews?limit=100" + (cursor.map { "&cursor=\($0)" } ?? "")
            ).json(ReviewList.self)
            found += list.reviews.map { .init(stars: Double($0.stars), day: UTCDay($0.updatedAt).date) }
            cursor = list.nextCursor
        } while cursor != nil
        return found
    }

    /// Three templates of two systems with reviews of the last five years.
    private static func fill(_ scene: CatalogScene) async throws {
        try await scene.addTemplate("One", gameSystem: "dnd5e")
        try await scene.addTemplate("Two", gameSystem: "dnd5e")
        try await scene.addTemplate("Three", gameSystem: "pathfinder2e")
        var random = SystemRandomNumberGenerator()
        for (place, person) in try await scene.people(14).enumerated() {
            for (slug, stars) in [("one", 4...5), ("two", 1...5), ("three", 1...3)] where place > 1 || slug == "two" {
                let answer = try await scene.review(slug, as: person, Int.random(in: stars, using: &random))
                #expect(answer.status == .created)
            }
        }
        try await scene.features.database.execute(
            "UPDATE reviews SET updated_at = updated_at - floor(random() * 1800) * interval '1 day'")
    }

    @Test("Everybody can make the ratings again from what the API tells")
    func recomputable() async throws {
        // A clock that stands, so that no day begins between two lines.
        let now = Date()
        try await CatalogScene.run(now: { now }) { scene in
            try await Self.fill(scene)
            let moved = try await Ratings(database: scene.features.database).rebuild(at: scene.features.now())
            #expect(moved == 3)
            let today = UTCDay(scene.features.now()).text
            let formula = try Formula(asOf: today)
            let templates = try await scene.list("limit=100").templates
            var reviews: [String: [Formula.Rated]] = [:]
            for template in templates { reviews[template.slug] = try await Self.reviews(scene, template.slug) }
            let market = formula.prior(Array(reviews.values), under: .init(mean: 3.5, variance: 1.5, weight: 5))
            for template in templates {
                let system = templates.filter { $0.gameSystem == template.gameSystem }.map { reviews[$0.slug] ?? [] }
                let prior = formula.prior(system, under: market)
                let told = try await scene.rating(template.slug)
                let own = try #require(told.prior)
                #expect(own.gameSystem == template.gameSystem && own.asOf == today && told.asOf == today)
                #expect(abs(own.mean - prior.mean) < 1e-9 && abs(own.variance - prior.variance) < 1e-9)
                #expect(abs(own.weight - prior.weight) < 1e-9)
                let mine = formula.rating(reviews[template.slug] ?? [], prior)
                #expect(abs(told.rating - mine.rating) < 1e-9 && abs(told.lowerBound - mine.lowerBound) < 1e-9)
                #expect(abs(template.rating - told.rating) < 1e-9 && template.ratingCount == told.count)
                #expect(told.histogram.reduce(0, +) == told.count && told.weight < Double(told.count))
            }
            let sorted = try await scene.list("sort=rating").templates.map(\.slug)
            var bounds: [Double] = []
            for slug in sorted { bounds.append(try await scene.rating(slug).lowerBound) }
            #expect(bounds == bounds.sorted(by: >))
        }
    }

    @Test("Before a day has begun, a rating goes by what it says of itself")
    func consistent() async throws {
        try await CatalogScene.run { scene in
            try await Self.fill(scene)
            for slug in ["one", "two", "three"] {
                let told = try await scene.rating(slug)
                let prior = try #require(told.prior)
                // No day was begun yet: the whole market's first prior.
                #expect(prior.gameSystem == nil && prior.mean == 3.5 && prior.weight == 5)
                let mine = try Formula(asOf: try #require(told.asOf)).rating(
                    try await Self.reviews(scene, slug),
                    .init(mean: prior.mean, variance: prior.variance, weight: prior.weight))
                #expect(abs(told.rating - mine.rating) < 1e-9 && abs(told.lowerBound - mine.lowerBound) < 1e-9)
            }
        }
    }

    @Test("A day is begun once; reviews lose weight as days go by, and stars stay where they are")
    func days() async throws {
        try await CatalogScene.run { scene in
            try await Self.fill(scene)
            let ratings = Ratings(database: scene.features.database)
            let now = scene.features.now()
            #expect(try await ratings.startDay(at: now) > 0)
            #expect(try await ratings.startDay(at: now) == 0)
            let before = try await scene.rating("two")
            let later = now.addingTimeInterval(730 * 86_400)
            #expect(try await ratings.startDay(at: later) > 0)
            let after = try await scene.rating("two")
            #expect(abs(after.weight - before.weight / 2) < 1e-6)
            #expect(after.histogram == before.histogram && after.count == before.count)
            #expect(after.asOf == UTCDay(later).text && after.prior?.asOf == after.asOf)
            // The day after hardly moves anything.
            #expect(try await ratings.startDay(at: later.addingTimeInterval(86_400)) == 0)
        }
    }

    @Test("Many that agree stand before one that cheers")
    func lowerBound() async throws {
        try await CatalogScene.run { scene in
            try await scene.addTemplate("Cheered")
            try await scene.addTemplate("Approved")
            let people = try await scene.people(40)
            _ = try await scene.review("cheered", as: people[0], 5)
            for person in people { _ = try await scene.review("approved", as: person, person == people[3] ? 4 : 5) }
            scene.features.catalog.catalogChanged()
            let list = try await scene.list("sort=rating").templates
            #expect(list.map(\.slug) == ["approved", "cheered"])
            #expect(list[1].rating < 4 && list[0].rating > 4.5)
        }
    }

    @Test("Thirty-two who write, delete and vote at once leave ratings and counts as if they had come one by one")
    func writers() async throws {
        try await CatalogScene.run { scene in
            let slugs = ["one", "two", "three"]
            for slug in slugs { try await scene.addTemplate(slug) }
            let people = try await scene.people(32)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for person in people { group.addTask { try await Self.act(scene, slugs, as: person) } }
                try await group.waitForAll()
            }
            let database = scene.features.database
            let wrong = try await database.scalar(
                """
                SELECT count(*) FROM templates AS t
                LEFT JOIN current_ratings((now() AT TIME ZONE 'UTC')::date) AS c ON c.template_id = t.id
                LEFT JOIN template_ratings AS k ON k.template_id = t.id
                WHERE t.rating_count <> coalesce(c.count, 0) OR abs(t.rating - coalesce(c.rating, 0)) > 1e-9
                    OR abs(t.rating_lower - coalesce(c.lower_bound, 0)) > 1e-9 OR k.stars IS DISTINCT FROM c.stars
                """, as: Int.self)
            #expect(wrong == 0)
            let miscounted = try await database.scalar(
                """
                SELECT count(*) FROM reviews AS r WHERE (r.helpful, r.unhelpful) <> (
                    SELECT count(*) FILTER (WHERE v.is_helpful), count(*) FILTER (WHERE NOT v.is_helpful)
                    FROM review_votes AS v WHERE v.review_id = r.id)
                """, as: Int.self)
            #expect(miscounted == 0)
            for slug in slugs {
                let told = try await scene.rating(slug)
                let reviews = try await Self.reviews(scene, slug)
                #expect(told.count == reviews.count && told.histogram.reduce(0, +) == reviews.count)
                guard let prior = told.prior, let asOf = told.asOf else { continue }
                let mine = try Formula(asOf: asOf).rating(
                    reviews, .init(mean: prior.mean, variance: prior.variance, weight: prior.weight))
                #expect(abs(told.rating - mine.rating) < 1e-9)
            }
        }
    }

    private static func act(_ scene: CatalogScene, _ slugs: [String], as person: UserID) async throws {
        for _ in 0..<12 {
            let slug = slugs[Int.random(in: 0..<slugs.count)]
            switch Int.random(in: 0..<10) {
            case 0..<5:
                let status = try await scene.review(slug, as: person, Int.random(in: 1...5), "Words.").status
                // A busy machine may be too busy for some: that must do no harm either.
                #expect([.created, .ok, .serviceUnavailable].contains(status))
            case 5..<7:
                let path = "\(Paths.base)/templates/\(slug)/reviews/mine"
                let status = try await scene.send(.delete, path, as: person).status
                #expect([.noContent, .notFound, .serviceUnavailable].contains(status))
            default:
                let list = try? await scene.get("/templates/\(slug)/reviews").json(ReviewList.self)
                guard let review = list?.reviews.randomElement() else { continue }
                let vote = ReviewVote(helpful: [true, false, nil].randomElement() ?? nil)
                let status = try await scene.send(.post, "/reviews/\(review.id)/votes", as: person, json: vote).status
                #expect([.ok, .notFound, .forbidden, .serviceUnavailable].contains(status))
            }
        }
    }

    @Test("Writing twice at once makes one review")
    func twice() async throws {
        try await CatalogScene.run { scene in
            try await scene.addTemplate("Sheet")
            let ann = try await scene.person("ann")
            let created = try await withThrowingTaskGroup(of: Bool.self) { group in
                for stars in [1, 2, 3, 4, 5, 1, 2, 3] {
                    group.addTask { try await scene.review("sheet", as: ann, stars).status == .created }
                }
                return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
            #expect(created == 1)
            #expect(try await scene.rating("sheet").count == 1)
        }
    }

    @Test("Ratings and counts that somebody bent are made anew from the reviews")
    func rebuild() async throws {
        let now = Date()
        try await CatalogScene.run(now: { now }) { scene in
            try await Self.fill(scene)
            let ratings = Ratings(database: scene.features.database)
            try await ratings.rebuild(at: scene.features.now())
            let before = try await scene.rating("two")
            let made = try await scene.addTemplate("Four")
            try await scene.features.database.execute(
                "UPDATE templates SET rating = 5, rating_count = 9 WHERE id = \(made.id) OR slug = 'two'")
            try await scene.features.database.execute("UPDATE template_ratings SET rating = 5, stars = '{0,0,0,0,9}'")
            try await scene.features.database.execute("UPDATE reviews SET helpful = 7")
            try await ratings.rebuild(at: scene.features.now())
            #expect(try await scene.rating("two") == before)
            scene.features.catalog.catalogChanged()
            let four = try await scene.get("/templates/four").json(TemplateDetail.self)
            #expect(four.summary.rating == 0 && four.summary.ratingCount == 0 && four.ratings == RatingSummary.none)
            #expect(
                try await scene.features.database.scalar("SELECT sum(helpful) FROM reviews", as: Int.self) == 0)
        }
    }
}
