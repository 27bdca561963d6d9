// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import MarketCatalog
import MarketHTTP
import MarketPages
import MarketPlatform
import MarketWire
import NIOCore
import Postgres
import SheetCore
import TestSupport
import Testing

@testable import MarketCommunity

@Suite("Reviews")
struct ReviewTests {
    @Test("A person has one review of a template, to change, delete and write again; moderators see what it said")
    func life() async throws {
        try await CatalogScene.run { scene in
            let made = try await scene.addTemplate("Sheet")
            let ann = try await scene.person("ann")
            let moderator = try await scene.person("moritz", role: .moderator)
            let first = try await scene.review("sheet", as: ann, 4, "Good,\r\nbut \u{202E}small.")
            #expect(first.status == .created)
            let review = try first.json(Review.self)
            #expect(review.stars == 4 && review.text == "Good,\nbut small." && review.author == "ann")
            #expect(review.version == SemanticVersion(1, 0, 0) && !review.hasInstalled && review.templateId == made.id)
            let second = try await scene.review("sheet", as: ann, 2, "Rather bad.")
            #expect(second.status == .ok)
            #expect(try second.json(Review.self).id == review.id)
            let list = try await scene.get("/templates/sheet/reviews", as: ann).json(ReviewList.self)
            #expect(list.reviews.map(\.text) == ["Rather bad."] && list.mine?.id == review.id)
            #expect(list.rating.histogram == [0, 1, 0, 0, 0] && list.rating.count == 1)
            let detail = try await scene.get("/templates/sheet").json(TemplateDetail.self)
            #expect(detail.ratings == list.rating && detail.summary.ratingCount == 1)
            #expect(detail.summary.rating == list.rating.rating && detail.summary.rating > 2)

            let path = "\(Paths.base)/templates/sheet/reviews/mine"
            #expect(try await scene.send(.delete, path, as: ann).status == .noContent)
            #expect(try await scene.send(.delete, path, as: ann).status == .notFound)
            let empty = try await scene.get("/templates/sheet/reviews", as: ann).json(ReviewList.self)
            #expect(empty.reviews.isEmpty && empty.mine == nil && empty.rating == .none)
            #expect(try await scene.review("sheet", as: ann, 5).status == .created)
            let history = try await scene.get("/reviews/\(review.id)/history", as: moderator).json(ReviewHistory.self)
            #expect(history.revisions.map(\.stars) == [5, 2, 4] && history.author == "ann")
            #expect(history.revisions.map(\.text) == ["", "Rather bad.", "Good,\nbut small."])
            #expect(try await scene.get("/reviews/\(review.id)/history", as: ann).status == .forbidden)
            #expect(try await scene.get("/reviews/\(ReviewID.make())/history", as: moderator).status == .notFound)
        }
    }

    @Test("A list of reviews and what they come to are of one moment, while one is being written")
    func ratingIsOfTheList() async throws {
        try await CatalogScene.run { scene in
            let made = try await scene.addTemplate("Sheet")
            let ann = try await scene.person("ann")
            let database = scene.features.database
            let asked = try await database.withTransaction { writing in
                try await writing.execute("LOCK TABLE reviews IN ACCESS EXCLUSIVE MODE")
                let asked = Task { try await scene.get("/templates/sheet/reviews").json(ReviewList.self) }
                // Whoever asks has read what it reads first, and waits for the reviews.
                let isWaiting = try await eventually {
                    try await database.scalar(
                        "SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'reviews'::regclass",
                        as: Int.self) > 0
                }
                #expect(isWaiting)
                try await writing.execute(
                    """
                    INSERT INTO reviews (id, template_id, user_id, version_id, stars, created_at, updated_at)
                    SELECT gen_random_uuid(), id, \(ann), latest_version_id, 4, now(), now() FROM templates
                    WHERE id = \(made.id)
                    """)
                return asked
            }
            let list = try await asked.value
            #expect(list.reviews.count == 1 && list.rating.count == 1)
        }
    }

    @Test("What does not hold is told, all at once")
    func validation() async throws {
        try await CatalogScene.run { scene in
            let made = try await scene.addTemplate("Sheet")
            try await scene.addVersion("1.1.0", of: made)
            try await scene.features.database.execute("UPDATE versions SET state = 'yanked' WHERE number = '1.1.0'")
            let ann = try await scene.person("ann")
            let path = "/templates/sheet/reviews/mine"
            func pointers(_ request: ReviewRequest) async throws -> [String] {
                let answer = try await scene.send(.put, path, as: ann, json: request)
                #expect(answer.status == .unprocessableContent)
                return answer.pointers
            }
            let long = String(repeating: "x", count: 5001)
            #expect(try await pointers(.init(stars: 0, text: long)) == ["/stars", "/text"])
            #expect(try await pointers(.init(stars: 6)) == ["/stars"])
            #expect(try await pointers(.init(stars: 3, version: "1.1.0")) == ["/version"])
            #expect(try await pointers(.init(stars: 3, version: "9.0.0")) == ["/version"])
            #expect(try await pointers(.init(stars: 3, version: "nonsense")) == ["/version"])
            #expect(try await scene.send(.put, path, as: ann, json: ["stars": "many"]).problem == .badJSON)
            let fits = ReviewRequest(stars: 3, text: String(long.dropLast()), version: "1.0.0")
            #expect(try await scene.send(.put, path, as: ann, json: fits).status == .created)
            #expect(try await scene.send(.put, path, as: nil, json: fits).status == .unauthorized)
            #expect(try await scene.get("/templates/sheet/reviews?sort=best").pointers == ["sort"])
            #expect(try await scene.get("/templates/sheet/reviews?cursor=x").problem == .badCursor)
        }
    }

    @Test("Only what is offered is reviewed, and its reviews go from sight with it")
    func visibility() async throws {
        try await CatalogScene.run { scene in
            let made = try await scene.addTemplate("Sheet")
            let ann = try await scene.person("ann")
            #expect(try await scene.review("sheet", as: ann, 3).status == .created)
            #expect(try await scene.review("no-such-sheet", as: ann, 3).status == .notFound)
            try await scene.takeDown("1.0.0", of: made)
            #expect(try await scene.review("sheet", as: ann, 1).problem == .takenDown)
            #expect(try await scene.get("/templates/sheet/reviews").problem == .takenDown)
            // What one has said one may take back all the same.
            let path = "\(Paths.base)/templates/sheet/reviews/mine"
            #expect(try await scene.send(.delete, path, as: ann).status == .noContent)
        }
    }

    @Test("Nobody reviews their own template, and who becomes its author is no longer heard")
    func authors() async throws {
        try await CatalogScene.run { scene in
            let made = try await scene.addTemplate("Sheet")
            let helper = try await scene.person("helper")
            let ann = try await scene.person("ann")
            try await scene.addAuthor(helper, to: made.id)
            for author in [scene.owner, helper] {
                let answer = try await scene.review("sheet", as: author, 5)
                #expect(answer.status == .forbidden && answer.problem == .ownTemplate)
            }
            let review = try await scene.review("sheet", as: ann, 5).json(Review.self)
            let path = "/reviews/\(review.id)/votes"
            #expect(try await scene.send(.post, path, as: ann, json: ReviewVote(helpful: true)).problem == .ownReview)
            #expect(
                try await scene.send(.post, path, as: helper, json: ReviewVote(helpful: false)).problem == .ownTemplate)
            #expect(try await scene.rating("sheet").count == 1)
            try await scene.addAuthor(ann, to: made.id)
            #expect(try await scene.rating("sheet") == .none)
            #expect(try await scene.get("/templates/sheet/reviews").json(ReviewList.self).reviews.isEmpty)
            try await scene.features.database.execute("DELETE FROM template_authors WHERE user_id = \(ann)")
            #expect(try await scene.rating("sheet").count == 1)
            try await scene.features.database.execute("UPDATE templates SET owner_id = \(ann) WHERE id = \(made.id)")
            #expect(try await scene.rating("sheet") == .none)
        }
    }

    @Test("Reviews that are hidden, of disabled accounts or of accounts that are gone neither show nor count")
    func hidden() async throws {
        try await CatalogScene.run { scene in
            try await scene.addTemplate("Sheet")
            let people = try await scene.people(3)
            let id = try await scene.review("sheet", as: people[0], 1).json(Review.self).id
            for person in people.dropFirst() { _ = try await scene.review("sheet", as: person, 5) }
            let database = scene.features.database
            let hidden = try await database.execute(
                "UPDATE reviews SET hidden_at = now(), hidden_reason = 'Insults.' WHERE id = \(id)")
            #expect(hidden == 1)
            var list = try await scene.get("/templates/sheet/reviews", as: people[0]).json(ReviewList.self)
            #expect(list.rating.histogram == [0, 0, 0, 0, 2] && list.reviews.count == 2)
            #expect(list.mine?.isHidden == true)
            // Its writer cannot bring it back by writing again.
            let again = try await scene.review("sheet", as: people[0], 2).json(Review.self)
            #expect(again.isHidden == true)
            try await database.execute("UPDATE users SET disabled_at = now() WHERE id = \(people[1])")
            list = try await scene.get("/templates/sheet/reviews").json(ReviewList.self)
            #expect(list.rating.count == 1 && list.reviews.map(\.author) == ["person2"])
            try await database.execute("UPDATE users SET disabled_at = NULL WHERE id = \(people[1])")
            #expect(try await scene.rating("sheet").count == 2)
            try await database.execute("DELETE FROM users WHERE id = \(people[2])")
            #expect(try await scene.rating("sheet").histogram == [0, 0, 0, 0, 1])
            try await database.execute(
                "UPDATE reviews SET hidden_at = NULL, hidden_reason = NULL WHERE id = \(id)")
            #expect(try await scene.rating("sheet").histogram == [0, 1, 0, 0, 1])
        }
    }

    @Test("A review is of the newest version that its writer downloaded while signed in, else of the one on offer")
    func installedVersion() async throws {
        try await CatalogScene.run { scene in
            let made = try await scene.addTemplate("Sheet", version: "1.9.0")
            try await scene.addVersion("1.10.0", of: made)
            try await scene.addVersion("2.0.0", of: made)
            let ann = try await scene.person("ann")
            let bob = try await scene.person("bob")
            for version in ["1.10.0", "1.9.0"] {
                let answer = try await scene.get("/templates/sheet/versions/\(version)/download", as: ann)
                let address = try #require(answer.headers[.location])
                #expect(try await scene.get(address).status == .ok)
            }
            await scene.counter.flush()
            let installed = try await scene.review("sheet", as: ann, 4).json(Review.self)
            #expect(installed.hasInstalled && installed.version == SemanticVersion(1, 10, 0))
            let looked = try await scene.review("sheet", as: bob, 4).json(Review.self)
            #expect(!looked.hasInstalled && looked.version == SemanticVersion(2, 0, 0))
            // Fetched by a browser or installed by a program: either way they have it, and the page says so of them alone.
            let page = String(buffer: try await scene.send(.get, "/sheets/sheet").body)
            let badges = page.components(separatedBy: "<span class=\"state good\">has this sheet</span>")
            #expect(badges.count == 2 && badges[0].contains("review-\(installed.id)\">"), "\(page)")
        }
    }

    @Test("Votes are counted once each, can be changed and taken back, and order the list")
    func votes() async throws {
        try await CatalogScene.run { scene in
            try await scene.addTemplate("Sheet")
            let people = try await scene.people(6)
            var reviews: [Review] = []
            for person in people.prefix(3) {
                reviews.append(try await scene.review("sheet", as: person, 3).json(Review.self))
            }
            func vote(_ place: Int, _ helpful: Bool?, as voter: UserID) async throws -> Review {
                try await scene.send(
                    .post, "/reviews/\(reviews[place].id)/votes", as: voter, json: ReviewVote(helpful: helpful)
                ).json(Review.self)
            }
            _ = try await vote(1, true, as: people[3])
            let twice = try await vote(1, true, as: people[3])
            #expect(twice.helpful == 1 && twice.myVote == true)
            #expect(try await vote(1, true, as: people[4]).helpful == 2)
            #expect(try await vote(0, true, as: people[5]).helpful == 1)
            let changed = try await vote(2, false, as: people[5])
            #expect(changed.unhelpful == 1 && changed.helpful == 0 && changed.myVote == false)
            let list = try await scene.get("/templates/sheet/reviews?sort=helpful").json(ReviewList.self)
            #expect(list.reviews.map(\.id) == [reviews[1].id, reviews[0].id, reviews[2].id])
            let back = try await vote(2, nil, as: people[5])
            #expect(back.unhelpful == 0 && back.myVote == nil)
            #expect(
                try await scene.send(
                    .post, "/reviews/\(ReviewID.make())/votes", as: people[5], json: ReviewVote(helpful: true)
                ).status == .notFound)
        }
    }

    @Test("Pages of both orders neither skip nor repeat")
    func paging() async throws {
        try await CatalogScene.run { scene in
            try await scene.addTemplate("Sheet")
            for person in try await scene.people(23) { _ = try await scene.review("sheet", as: person, 3) }
            try await scene.features.database.execute(
                "UPDATE reviews SET helpful = hashtext(id::text) % 3 + 3, unhelpful = stars % 2")
            for sort in ["newest", "helpful"] {
                var seen: [ReviewID] = []
                var cursor: String?
                repeat {
                    let query = "sort=\(sort)&limit=5" + (cursor.map { "&cursor=\($0)" } ?? "")
                    let answer = try await scene.get("/templates/sheet/reviews?\(query)")
                    let list = try answer.json(ReviewList.self)
                    #expect((answer.headers[.link] != nil) == (list.nextCursor != nil))
                    seen += list.reviews.map(\.id)
                    cursor = list.nextCursor
                } while cursor != nil
                #expect(seen.count == 23 && Set(seen).count == 23, "\(sort)")
            }
            let first = try await scene.get("/templates/sheet/reviews?limit=5").json(ReviewList.self)
            let cursor = try #require(first.nextCursor)
            let other = try await scene.get("/templates/sheet/reviews?sort=helpful&cursor=\(cursor)")
            #expect(other.problem == .badCursor)
        }
    }

    @Test("Authors reply once to a review, and only they")
    func replies() async throws {
        try await CatalogScene.run { scene in
            let made = try await scene.addTemplate("Sheet")
            let ann = try await scene.person("ann")
            let helper = try await scene.person("helper")
            try await scene.addAuthor(helper, to: made.id)
            let review = try await scene.review("sheet", as: ann, 2, "Too small.").json(Review.self)
            let path = "/reviews/\(review.id)/reply"
            let refused = try await scene.send(.put, path, as: ann, json: ReplyRequest(text: "Me, too."))
            #expect(refused.status == .forbidden)
            #expect(try await scene.send(.put, path, as: helper, json: ReplyRequest(text: " ")).pointers == ["/text"])
            let reply = try await scene.send(.put, path, as: helper, json: ReplyRequest(text: "It grows."))
            #expect(reply.status == .created)
            #expect(try reply.json(Review.self).reply?.author == "helper")
            let changed = try await scene.send(.put, path, as: scene.owner, json: ReplyRequest(text: "It grew."))
            #expect(changed.status == .ok)
            let list = try await scene.get("/templates/sheet/reviews").json(ReviewList.self)
            #expect(list.reviews.first?.reply?.text == "It grew." && list.reviews.first?.reply?.author == "nadia")
            #expect(try await scene.send(.delete, Paths.base + path, as: ann).status == .forbidden)
            #expect(try await scene.send(.delete, Paths.base + path, as: helper).status == .noContent)
            #expect(try await scene.send(.delete, Paths.base + path, as: helper).status == .notFound)
        }
    }

    @Test("Each kind of thing can be reported, once while the report is open")
    func reports() async throws {
        try await CatalogScene.run { scene in
            try await scene.addTemplate("Sheet")
            let ann = try await scene.person("ann")
            let bob = try await scene.person("bob")
            let review = try await scene.review("sheet", as: ann, 1, "You fool!").json(Review.self)
            let subjects = [
                ReportSubject(kind: .template, id: "sheet"), .init(kind: .version, id: "sheet", version: "1.0.0"),
                .init(kind: .review, id: review.id.description), .init(kind: .user, id: "ann"),
            ]
            for subject in subjects {
                let wish = ReportRequest(subject: subject, reason: .offensive, text: "Look at this.")
                let answer = try await scene.send(.post, "/reports", as: bob, json: wish)
                #expect(answer.status == .created, "\(subject.kind)")
                let report = try answer.json(Report.self)
                #expect(report.subject == subject && report.state == "open")
                let again = try await scene.send(.post, "/reports", as: bob, json: wish)
                #expect(again.status == .conflict && again.problem == .alreadyReported, "\(subject.kind)")
                try await scene.features.database.execute(
                    "UPDATE reports SET state = 'closed', closed_at = now() WHERE id = \(report.id)")
                #expect(try await scene.send(.post, "/reports", as: bob, json: wish).status == .created)
            }
            for subject in [
                ReportSubject(kind: .template, id: "none"), .init(kind: .version, id: "sheet", version: "9.9.9"),
                .init(kind: .version, id: "sheet"), .init(kind: .review, id: "nonsense"), .init(kind: .user, id: "zoe"),
            ] {
                let answer = try await scene.send(
                    .post, "/reports", as: bob, json: ReportRequest(subject: subject, reason: .other))
                #expect(answer.pointers == ["/subject"], "\(subject)")
            }
            let body = #"{"subject":{"kind":"template","id":"sheet"},"reason":"dislike"}"#
            let answer = try await scene.send(
                .post, "\(Paths.base)/reports", as: bob, headers: [.contentType: "application/json"],
                body: ByteBuffer(string: body))
            #expect(answer.problem == .badJSON)
        }
    }

    @Test("A sheet's page shows reviews as the text they are, with forms to write, vote, reply and report")
    func page() async throws {
        try await CatalogScene.run { scene in
            try await scene.addTemplate("Sheet")
            let ann = try await scene.person("ann")
            let bob = try await scene.person("bob")
            func post(_ path: String, as caller: UserID, _ form: String) async throws {
                let answer = try await scene.send(
                    .post, path, as: caller, headers: [.contentType: "application/x-www-form-urlencoded"],
                    body: ByteBuffer(string: form))
                #expect(answer.status == .seeOther && answer.headers[.location] == "/sheets/sheet#reviews", "\(path)")
            }
            try await post("/sheets/sheet/review", as: ann, "stars=4&text=%3Cscript%3Ealert%281%29%3C%2Fscript%3E+fine")
            let list = try await scene.get("/templates/sheet/reviews").json(ReviewList.self)
            let id = try #require(list.reviews.first?.id)
            try await post("/reviews/\(id)/vote", as: bob, "helpful=yes&sheet=sheet")
            try await post("/reviews/\(id)/reply", as: scene.owner, "text=Thanks+%26+bye&sheet=sheet")
            scene.features.catalog.catalogChanged()
            func html(as caller: UserID?) async throws -> String {
                String(buffer: try await scene.send(.get, "/sheets/sheet", as: caller).body)
            }
            let open = try await html(as: nil)
            #expect(open.contains("&lt;script&gt;alert(1)&lt;/script&gt; fine"))
            #expect(!open.contains("<script>alert"))
            #expect(open.contains("Thanks &amp; bye") && open.contains("1 of 1 found this helpful"))
            #expect(open.contains("Sign in</a> to write a review") && !open.contains("review-form"))
            let own = try await html(as: ann)
            #expect(own.contains("Your review") && !own.contains("/reviews/\(id)/vote"))
            let reader = try await html(as: bob)
            #expect(reader.contains("aria-pressed=\"true\"") && reader.contains("href=\"/reviews/\(id)/report\""))
            let author = try await html(as: scene.owner)
            #expect(author.contains("Downloads by day") && !own.contains("Downloads by day"))
            #expect(author.contains("Change the reply") && !author.contains("review-form"))
            // Authors take a reply back, as moderators do, who also read what a review said before.
            let mod = try await scene.person("mod", role: .moderator)
            #expect(!own.contains("Delete the reply") && !reader.contains("Delete the reply"))
            #expect(author.contains("action=\"/reviews/\(id)/reply/delete\""))
            #expect(!author.contains("/moderation/reviews/"))
            try await post("/reviews/\(id)/reply/delete", as: scene.owner, "sheet=sheet")
            #expect(!(try await html(as: scene.owner)).contains("Thanks &amp; bye"))
            try await post("/reviews/\(id)/reply", as: scene.owner, "text=Again&sheet=sheet")
            try await post("/sheets/sheet/review", as: ann, "stars=2&text=Less+%3Cfine%3E")
            let team = try await html(as: mod)
            #expect(team.contains("href=\"/moderation/reviews/\(id)\">edited</a>"), "\(team)")
            try await post("/reviews/\(id)/reply/delete", as: mod, "sheet=sheet")
            #expect(!(try await html(as: mod)).contains(">Again<"))
            let past = try await scene.send(.get, "/moderation/reviews/\(id)", as: mod)
            let history = String(buffer: past.body)
            #expect(
                history.contains("Less &lt;fine&gt;") && history.contains("alert(1)&lt;/script&gt; fine"), "\(history)")
            #expect(history.contains("shown now") && history.contains("/moderation/new-case?kind=review&amp;id=\(id)"))
            #expect(try await scene.send(.get, "/moderation/reviews/\(id)", as: ann).status == .forbidden)
            try await post("/sheets/sheet/review/delete", as: ann, "")
            let gone = String(buffer: try await scene.send(.get, "/moderation/reviews/\(id)", as: mod).body)
            #expect(gone.contains("Its writer deleted it") && !gone.contains("/moderation/new-case"))
            #expect(try await html(as: ann).contains("Nobody has reviewed this yet."))
        }
    }
}

extension CatalogScene {
    /// A new account.
    func person(_ handle: String, role: UserRole = .user) async throws -> UserID {
        let id = UserID.make()
        try await addUser(id, handle, role: role)
        return id
    }

    /// New accounts, `person0` and so on.
    func people(_ count: Int) async throws -> [UserID] {
        var people: [UserID] = []
        for number in 0..<count { people.append(try await person("person\(number)")) }
        return people
    }

    func addAuthor(_ user: UserID, to template: TemplateID) async throws {
        try await features.database.execute(
            "INSERT INTO template_authors (template_id, user_id, role) VALUES (\(template), \(user), 'maintainer')")
    }

    func review(_ slug: String, as user: UserID, _ stars: Int, _ text: String? = nil) async throws -> TestResponse {
        try await send(
            .put, "/templates/\(slug)/reviews/mine", as: user, json: ReviewRequest(stars: stars, text: text))
    }

    /// What the list of reviews says of the rating.
    func rating(_ slug: String) async throws -> RatingSummary {
        try await get("/templates/\(slug)/reviews").json(ReviewList.self).rating
    }
}
