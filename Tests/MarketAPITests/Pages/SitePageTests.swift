// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketAPI
import MarketCatalog
import MarketContract
import MarketHTTP
import MarketWire
import Moderation
import NIOCore
import NIOHTTP1
import Postgres
import SheetCore
import TestSupport
import Testing

@testable import MarketAccounts
@testable import MarketPages
@testable import MarketPlatform
@testable import ModerationService

@Suite("Pages about the market")
struct SitePageTests {
    private static let browser = [("Accept", "text/html,*/*;q=0.8")]

    @Test("The footer leads to pages that are there, and each of them has it")
    func footer() async throws {
        try await withMarket { market in
            let home = try await market.http.get("/", headers: Self.browser).text
            let footer = try #require(home.firstMatch(of: /(?s)<footer>.*<\/footer>/)?.output)
            let links = footer.matches(of: /href="([^"]+)"/).map { String($0.1) }
            #expect(links.count == 11 && Set(["/about", "/guidelines", "/help", "/install"]).isSubset(of: links))
            for link in links {
                let page = try await market.http.get(link, headers: Self.browser)
                #expect(page.status == 200, "\(link)")
                #expect(link.hasSuffix(".atom") || page.text.contains("href=\"/guidelines\""), "\(link)")
                #expect(!page.text.contains("src=\"http") && !page.text.contains("<script>"), "\(link)")
            }
            let icon = try await market.http.get("/favicon.ico")
            #expect(icon.status == 200 && icon.body.getBytes(at: 0, length: 4) == [0, 0, 1, 0])
            let manifest = try await market.http.get("/manifest.webmanifest")
            #expect(manifest.headers.first(name: "content-type") == "application/manifest+json")
            for address in manifest.text.matches(of: /"src":"([^"]+)"/) {
                let file = String(address.1).replacing("\\/", with: "/")
                let status1 = try await market.http.get(file).status
                #expect(status1 == 200, "\(file)")
            }
        }
    }

    @Test("The guidelines are the reasons and rules in force, with the promised times")
    func guidelines() async throws {
        try await withMarket { market in
            let page = try await market.http.get("/guidelines", headers: Self.browser).text
            for reason in market.features.moderation.reasons.reasons() where reason.code != "other" {
                #expect(page.contains("<dt id="), "\(reason.code)")
                #expect(page.contains(">\(EscapedHTML().escapeText(reason.title))</dt>"), "\(reason.code)")
            }
            let rules = market.features.moderation.risk.rules?.rules ?? []
            #expect(!rules.isEmpty)
            for rule in rules {
                let label = "<span>\(EscapedHTML().escapeText(RiskLabels.rule(rule.code).description))</span>"
                #expect(page.contains(label) == (rule.mode == .on), "\(rule.code)")
            }
            #expect(page.contains("72 hours") && page.contains("within 30 days"))
        }
    }

    @Test("Every licence that can be chosen has a sentence at an address of its own")
    func licences() async throws {
        try await withMarket { market in
            let page = try await market.http.get("/licences", headers: Self.browser).text
            for id in LicenseCatalog.identifiers {
                #expect(page.contains("<dt id=\"\(id)\">"), "\(id)")
                #expect(!LicenceGuide.meaning(id).description.hasPrefix("A licence that SPDX"), "\(id)")
            }
            #expect(LicenceGuide.meaning("CC-BY-NC-SA-4.0").description.contains("not to earn money"))
            #expect(LicenceGuide.meaning("CC-BY-ND-4.0").description.hasPrefix("Share it unchanged, also to sell"))
        }
    }

    @Test("An operator's own texts win, with name, address and contact filled in; a broken one stops the start")
    func ownTexts() throws {
        let own = try ScratchFolder("texts")
        let english = own.url.appendingPathComponent("en")
        try FileManager.default.createDirectory(at: english, withIntermediateDirectories: true)
        try Data("# House rules of {name}\n\nSee {address}/help. {contact}\n".utf8)
            .write(to: english.appendingPathComponent("terms.md"))
        let ours = BuildProducts.root.appendingPathComponent("web/texts")
        var settings = SiteSettings()
        settings.name = "The <Desk>"
        settings.contact = "desk@example.org"
        let texts = try SiteTexts(folder: ours, own: own.url)
        let terms = texts.page(.terms, settings, address: "https://desk.example", language: .english)
        #expect(terms.title == "House rules of The <Desk>")
        let words = terms.text.blocks.flatMap(\.spans).map(\.text).joined()
        #expect(words == "See https://desk.example/help. You reach them at desk@example.org.")
        #expect(texts.page(.privacy, settings, address: "", language: .english).title == "Privacy")
        try Data("no title".utf8).write(to: english.appendingPathComponent("about.md"))
        #expect(throws: AssetError.self) { _ = try SiteTexts(folder: ours, own: own.url) }
    }

    @Test("security.txt is there with a contact only, and never runs out")
    func securityContact() async throws {
        try await withMarket { market in
            let status2 = try await market.http.get("/.well-known/security.txt").status
            #expect(status2 == 404)
        }
        for days in stride(from: 0, to: 800, by: 3) {
            let now = Date(timeIntervalSince1970: 1_790_000_000 + Double(days) * 86_400)
            let text = SecurityContact.text("mailto:a@example.org", site: "https://x.example", now: now)
            let field = try #require(text.firstMatch(of: /Expires: (\S+)\n/)?.1)
            let end = try Date(String(field), strategy: .iso8601)
            #expect(end > now.addingTimeInterval(150 * 86_400) && end < now.addingTimeInterval(365 * 86_400))
            #expect(text.hasPrefix("Contact: mailto:a@example.org\n"))
        }
    }

    @Test("robots.txt closes everything that it does not name")
    func robots() async throws {
        try await withMarket { market in
            let text = try await market.http.get("/robots.txt").text
            let lines = text.split(separator: "\n")
            #expect(lines.contains("Disallow: /") && lines.contains("Allow: /sheets/"))
            #expect(lines.contains("Disallow: /sheets/*/"))
            #expect(lines.last?.hasPrefix("Sitemap: http://127.0.0.1:") == true && text.hasSuffix("/sitemap.xml\n"))
            for path in ["/account", "/moderation", "/upload", "/login", "/submissions"] {
                #expect(!text.contains("Allow: \(path)"), "\(path)")
            }
        }
    }

    @Test("The type of every problem is the address of a page here that says what it means and what to do")
    func problems() async throws {
        try await withMarket { market in
            let list = try await market.http.get("/problems", headers: Self.browser).text
            let codes = try TestPages.shared.get().contract.problems.members
            #expect(codes.count > 50)
            for (code, piece) in codes {
                #expect(list.contains("href=\"/problems/\(code)\""), "\(code)")
                let page = try await market.http.get("/problems/\(code)", headers: Self.browser)
                #expect(page.status == 200 && page.text.contains("What to do"), "\(code)")
                #expect((piece["advice"]?.text ?? "").count > 15, "\(code)")
            }
            let refused = try await market.http.get("/api/v1/templates/none").json(ProblemDocument.self)
            #expect(refused.type == "\(market.http.base)/problems/not_found")
            let lost = try await market.http.get("/problems/no_such_code", headers: Self.browser)
            #expect(lost.status == 404)
            // What somebody sends as the name of the host never gets into an answer with a mark in it.
            let odd = try await market.http.send(
                .GET, "/api/v1/templates/none", headers: [("Host", "evil.example'><script>")])
            #expect(!odd.text.contains("script"), "\(odd.text)")
        }
    }

    @Test("An administrator of a new market sees the first steps, nobody else does; the only moderator is warned")
    func firstSteps() async throws {
        try await withMarket { market in
            let accounts = AccountService(accounts: market.features.accounts)
            let admin = try await accounts.ensureSystemUser(handle: "admin", role: .administrator)
            let browser = TestBrowser(market)
            let anonymous = try await browser.get("/").text
            #expect(!anonymous.contains("id=\"first-steps\""))
            try await browser.signIn(admin.id, of: market)
            let home = try await browser.get("/").text
            #expect(home.contains("Your first ten minutes") && home.contains("SHEETMARKET_NAME"))
            #expect(home.contains("Set your password") && home.contains("steps to go"))
            let alone = try await browser.get("/moderation").text
            #expect(alone.contains("You are the only moderator"))
            try await market.features.database.execute("UPDATE users SET password_hash = 'x' WHERE handle = 'admin'")
            let other = try await accounts.ensureSystemUser(handle: "mo", role: .moderator)
            try await market.features.database.execute("UPDATE users SET password_hash = 'x' WHERE id = \(other.id)")
            let together = try await browser.get("/moderation").text
            #expect(!together.contains("You are the only moderator"))
            let moderator = TestBrowser(market)
            try await moderator.signIn(other.id, of: market)
            let others = try await moderator.get("/").text
            #expect(!others.contains("id=\"first-steps\""))
        }
    }

    @Test("A sign-in link works once, for an account without a password, after a press of its button")
    func signInLink() async throws {
        try await withMarket { market in
            let accounts = AccountService(accounts: market.features.accounts)
            _ = try await accounts.ensureSystemUser(handle: "admin", role: .administrator)
            let old = try #require(try await accounts.makeSignInLink(for: "admin"))
            let code = try #require(try await accounts.makeSignInLink(for: "admin"))
            let nobody = try await accounts.makeSignInLink(for: "nobody")
            #expect(nobody == nil)
            let browser = TestBrowser(market)
            let status3 = try await browser.get("/sign-in-link?code=\(old)").status
            #expect(status3 == 410)
            let page = try await browser.get("/sign-in-link?code=\(code)")
            #expect(page.status == 200 && page.text.contains("Sign in as admin") && !browser.isSignedIn)
            #expect(page.headers.first(name: "referrer-policy") == "no-referrer")
            let foreign = try await TestBrowser(market).post("/sign-in-link", [("code", code)], from: "cross-site")
            #expect(foreign.status == 403)
            // A link is no cookie, and a cookie is no link, whatever the browser calls itself.
            let posing = try await market.http.send(
                .GET, "/account", headers: [("Cookie", "sheetmarket_session=\(code)"), ("Accept", "text/html")])
            #expect(posing.status == 303 && posing.location.hasPrefix("/login"))
            let user = try #require(try await AccountStore.user(handle: "admin", in: market.features.database))
            let session = try await accounts.makeSession(
                for: user.id, from: SignInDevice(userAgent: "Sign-in-link", address: nil))
            let reused = try await TestBrowser(market).post("/sign-in-link", [("code", session.text)])
            #expect(reused.status == 410)
            let done = try await browser.post("/sign-in-link", [("code", code)])
            #expect(done.status == 303 && browser.isSignedIn)
            let status4 = try await browser.get("/moderation").status
            #expect(status4 == 200)
            let again = TestBrowser(market)
            let late = try await again.post("/sign-in-link", [("code", code)])
            #expect(late.status == 410 && !again.isSignedIn)
            try await market.features.database.execute("UPDATE users SET password_hash = 'x' WHERE handle = 'admin'")
            let needless = try await accounts.makeSignInLink(for: "admin")
            #expect(needless == nil)
        }
    }
}
