// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketAPI
import MarketWire
import NIOCore
import NIOHTTP1
import SheetCore
import TestSupport
import Testing

@Suite("Web pages over HTTP")
struct WebTests {
    private static let browser = [("Accept", "text/html,application/xhtml+xml,*/*;q=0.8")]
    private static let ownSite =
        browser + [
            ("Sec-Fetch-Site", "same-origin"), ("Content-Type", "application/x-www-form-urlencoded"),
        ]

    /// Registers over the form and returns the header fields of the signed-in browser.
    static func register(_ handle: String, in market: TestMarket) async throws -> [(String, String)] {
        let answer = try await market.http.send(
            .POST, "/register", headers: ownSite,
            body: ByteBuffer(
                string: "handle=\(handle)&email=\(handle)%40example.org&password=four+plain+words&next=/upload"))
        #expect(
            answer.status == 303 && answer.headers.first(name: "location") == "/account/welcome?next=/upload",
            "\(answer.text)")
        let cookie = try #require(answer.headers.first(name: "set-cookie")?.split(separator: ";").first)
        return ownSite + [("Cookie", String(cookie))]
    }

    @Test("Pages bring no script, style or frame of anybody else's, and are kept by no cache that others share")
    func securityHeaders() async throws {
        try await withMarket { market in
            let signedIn = try await Self.register("tess", in: market)
            for path in ["/", "/?q=x", "/login", "/register", "/upload", "/account", "/sheets/none", "/nowhere"] {
                let answer = try await market.http.get(path, headers: signedIn)
                guard answer.status != 303 else { continue }
                #expect(answer.headers.first(name: "content-type") == "text/html; charset=utf-8", "\(path)")
                let policy = answer.headers.first(name: "content-security-policy") ?? ""
                #expect(policy.contains("default-src 'none'") && !policy.contains("unsafe"), "\(path)")
                #expect(policy.contains("frame-ancestors 'none'") && policy.contains("form-action 'self'"), "\(path)")
                #expect(answer.headers.first(name: "referrer-policy") == "same-origin", "\(path)")
                let caching = answer.headers.first(name: "cache-control") ?? ""
                #expect(caching.contains("no-store") || caching == "private, no-cache", "\(path): \(caching)")
                #expect(!answer.text.contains("<script>") && !answer.text.contains(" style=\""), "\(path)")
            }
        }
    }

    @Test("A form that another site sends signs nobody in, and changes nothing for whoever is")
    func crossSite() async throws {
        try await withMarket { market in
            let signedIn = try await Self.register("tess", in: market)
            let login = ByteBuffer(string: "login=tess&password=four+plain+words")
            let foreign = Self.browser + [("Content-Type", "application/x-www-form-urlencoded")]
            for origin in [("Sec-Fetch-Site", "cross-site"), ("Origin", "https://evil.example"), ("Origin", "null")] {
                for path in ["/login", "/register"] {
                    let answer = try await market.http.send(.POST, path, headers: foreign + [origin], body: login)
                    #expect(answer.status == 403, "\(path) \(origin)")
                    #expect(answer.headers.first(name: "set-cookie") == nil, "\(path) \(origin)")
                }
            }
            let cookie = signedIn.filter { $0.0 == "Cookie" }
            for path in ["/logout", "/account/tokens", "/upload"] {
                let answer = try await market.http.send(
                    .POST, path, headers: foreign + cookie + [("Sec-Fetch-Site", "cross-site")],
                    body: ByteBuffer(string: "name=x&scope=read"))
                #expect(answer.status == 403, "\(path)")
            }
            #expect(try await market.http.get("/account", headers: signedIn).status == 200)
        }
    }

    @Test("Browsers get pages for failures, programs and the API problem documents")
    func failures() async throws {
        try await withMarket { market in
            let page = try await market.http.get("/sheets/there-is-none", headers: Self.browser)
            #expect(page.status == 404 && page.text.contains("<h1>Nothing here</h1>"))
            let program = try await market.http.get("/sheets/there-is-none", headers: [("Accept", "application/json")])
            #expect(program.status == 404 && program.problemCode == .notFound)
            let api = try await market.http.get("/api/v1/templates/there-is-none", headers: Self.browser)
            #expect(api.status == 404 && api.problemCode == .notFound)
            let stranger = try await market.http.get("/upload?gameSystem=dnd5e", headers: Self.browser)
            #expect(stranger.status == 303)
            #expect(stranger.headers.first(name: "location") == "/login?next=/upload%3FgameSystem%3Ddnd5e")
            let user = try await Self.register("tess", in: market)
            let refused = try await market.http.get("/moderation", headers: user)
            #expect(refused.status == 403 && refused.text.contains("Not allowed") && refused.text.contains(">tess<"))
        }
    }

    @Test("A form comes back with what was written and what is wrong, and never with a password")
    func formMistakes() async throws {
        try await withMarket { market in
            let answer = try await market.http.send(
                .POST, "/register", headers: Self.ownSite,
                body: ByteBuffer(string: "handle=%22%3E%3Cb%3E&email=tess%40example.org&password=secretive"))
            #expect(answer.status == 422)
            #expect(answer.text.contains("value=\"&quot;&gt;&lt;b&gt;\"") && answer.text.contains("tess@example.org"))
            #expect(!answer.text.contains("secretive") && answer.text.contains("10 to 256 characters"))
            let wrong = try await market.http.send(
                .POST, "/login", headers: Self.ownSite, body: ByteBuffer(string: "login=%00tess&password=x"))
            #expect(wrong.status == 401 && wrong.text.contains("Name or password is wrong."))
        }
    }

    @Test("The upload form takes single fields and a file, and says what is wrong with either")
    func upload() async throws {
        try await withMarket { market in
            let signedIn = try await Self.register("tess", in: market).filter { $0.0 != "Content-Type" }
            func send(_ fields: [(String, String)], file: String?) async throws -> TestHTTP.Answer {
                var form = MultipartForm()
                for (name, value) in fields { form.add(name, value.utf8) }
                form.add("file", fileName: file == nil ? "" : "sheet.pdf", (file ?? "").utf8)
                return try await market.http.send(
                    .POST, "/upload", headers: signedIn + [("Content-Type", form.contentType)], body: form.finished)
            }
            let right = [
                ("name", "Lantern & Blade"), ("summary", "A sheet."), ("gameSystem", "dnd5e"), ("version", "1.0.0"),
                ("license", "CC-BY-4.0"), ("language", "en"), ("tags", "one, two"), ("changelog", ""),
            ]
            let wrong = try await send(right.map { ($0.0, $0.0 == "version" ? "one" : $0.1) }, file: "%PDF-1.4 x")
            #expect(wrong.status == 422 && wrong.text.contains("Lantern &amp; Blade"), "\(wrong.text)")
            #expect(wrong.text.contains("id=\"version-mistake\""))
            let missing = try await send(right, file: nil)
            #expect(missing.status == 422 && missing.text.contains("choose a PDF"))
            let picture = try await send(right, file: String(repeating: "GIF89a", count: 400))
            #expect(picture.status == 422 && picture.text.contains("does not begin like a PDF"))
            let taken = try await send(right, file: "%PDF-1.4 x")
            #expect(taken.status == 303, "\(taken.text)")
            let address = try #require(taken.headers.first(name: "location"))
            let page = try await market.http.get(address, headers: signedIn)
            #expect(page.status == 200 && page.text.contains("Lantern &amp; Blade"))
            let stranger = try await Self.register("nosy", in: market)
            #expect(try await market.http.get(address, headers: stranger).status == 404)
        }
    }

    @Test("A list says what it is of, and a file that could not be read promises no pictures")
    func headings() async throws {
        try await withMarket(workers: 1) { market in
            let lists = [
                ("author=zoe", "Sheets by zoe"), ("tag=fillable", "Sheets tagged “fillable”"),
                ("tag=a&tag=b", "Character sheets"), ("q=x&author=zoe", "Results for “x”"),
            ]
            for (query, heading) in lists {
                let page = try await market.http.get("/?\(query)", headers: Self.browser)
                #expect(page.text.contains("<h1>\(heading)</h1>"), "\(query)")
            }
            let author = try await market.person("ada")
            let metadata = UploadMetadata(
                name: "Broken", summary: "No sheet.", description: "", gameSystem: "dnd5e", tags: [],
                license: "CC-BY-4.0", language: "en", version: "1.0.0", changelog: "")
            let file = Data(("%PDF-1.4 x" + String(repeating: "y", count: 900)).utf8)
            let sent = try await author.upload(metadata: metadata, file: file).json(SubmissionStatus.self)
            let refused = try await author.submission(sent.id, reaches: [.rejected])
            let page = try await author.get("/submissions/\(refused.id)", headers: Self.browser)
            #expect(page.text.contains("There are no pictures of this file.") && page.text.contains("<dd>none</dd>"))
        }
    }

    @Test("Static files are kept for good under their marked address, and nothing else is under theirs")
    func staticFiles() async throws {
        try await withMarket { market in
            let home = try await market.http.get("/", headers: Self.browser)
            let marked = try #require(home.text.firstMatch(of: /\/static\/market\.css\?v=[0-9a-f]+/)?.output)
            let style = try await market.http.get(String(marked))
            #expect(style.status == 200 && style.headers.first(name: "content-type") == "text/css; charset=utf-8")
            #expect(style.headers.first(name: "cache-control")?.contains("immutable") == true)
            let plain = try await market.http.get("/static/market.css")
            #expect(plain.headers.first(name: "cache-control") == "public, max-age=60")
            let tag = try #require(plain.headers.first(name: "etag"))
            #expect(try await market.http.get("/static/market.css", headers: [("If-None-Match", tag)]).status == 304)
            for path in [
                "/static/", "/static/..%2ftemplates%2flayout.mustache", "/static/%2e%2e/templates/layout.mustache",
                "/static/none.css", "/static/market.css%00", "/static/../templates/layout.mustache",
            ] {
                #expect(try await market.http.get(path).status == 404, "\(path)")
            }
        }
    }
}
