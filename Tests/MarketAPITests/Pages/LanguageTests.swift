// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketAPI
import MarketHTTP
import MarketWire
import NIOCore
import NIOHTTP1
import TestSupport
import Testing

@testable import MarketPages
@testable import MarketPlatform

@Suite("Pages in another language")
struct LanguageTests {
    private static let browser = [("Accept", "text/html,*/*;q=0.8")]
    private static let german = browser + [("Accept-Language", "de-AT,de;q=0.9,en;q=0.5")]
    private static let form = [
        ("Sec-Fetch-Site", "same-origin"), ("Content-Type", "application/x-www-form-urlencoded"),
    ]

    /// What English pages say, of which nothing may stand on German ones.
    private static let englishTexts = [
        ">Browse<", ">Sign in<", ">Upload<", "Skip to the content", ">Guidelines<", ">Privacy<", "Where you are",
        ">Pages<", " pages<", " ago<", ">Save<",
    ]

    @Test(
        "A browser that asks for German gets it, and no English beside it",
        arguments: [
            ("/", "Charakterbögen für deine nächste Runde"), ("/collections", "Sammlungen"), ("/login", "Kontoname"),
            ("/register", "Dein öffentlicher Name"), ("/help", "Wie finde ich einen Bogen?"),
            ("/guidelines", "Wonach die Moderation entscheidet"), ("/privacy", "Datenschutz"),
            ("/terms", "Was deins ist, bleibt deins"), ("/about", "Wie ein Bogen hierherkommt"),
            ("/licences", "auch zum Verkauf"), ("/transparency", "in den letzten zwölf Monaten"),
            ("/nowhere", "Hier ist nichts"), ("/install", "Ein Befehl, der Bögen auf deinem Rechner"),
        ])
    func publicPages(path: String, expected: String) async throws {
        try await withMarket { market in
            let answer = try await market.http.get(path, headers: Self.german)
            #expect(answer.text.contains(expected), "\(path): \(answer.text)")
            #expect(answer.text.contains("<html lang=\"de\">"), "\(path)")
            for text in Self.englishTexts { #expect(!answer.text.contains(text), "\(path): \(text)") }
            let varies = answer.headers["vary"].joined(separator: ", ")
            #expect(varies.contains("Accept-Language") && varies.contains("Cookie"), "\(path): \(varies)")
            let english = try await market.http.get(path, headers: Self.browser)
            #expect(english.text.contains("<html lang=\"en\">") && !english.text.contains(expected), "\(path)")
        }
    }

    @Test("The switch in the footer is remembered, and leads back to the page")
    func choosing() async throws {
        try await withMarket { market in
            let page = try await market.http.get("/help", headers: Self.browser).text
            #expect(page.contains("<button class=\"link\" name=\"language\" value=\"de\" lang=\"de\">Deutsch</button>"))
            let host = ("Referer", "\(market.http.base)/help?x=1")
            let answer = try await market.http.send(
                .POST, "/language", headers: Self.browser + Self.form + [host], body: ByteBuffer(string: "language=de"))
            #expect(answer.status == 303 && answer.headers.first(name: "location") == "/help?x=1")
            let cookie = try #require(answer.headers.first(name: "set-cookie"))
            #expect(cookie.hasPrefix("sheetmarket_language=de;"))
            let chosen = [("Cookie", String(cookie.prefix { $0 != ";" }))]
            let german = try await market.http.get("/help", headers: Self.browser + chosen).text
            #expect(german.contains("<html lang=\"de\">") && german.contains(">English</button>"))
            // It wins over what the browser asks for.
            let english = [("Cookie", "sheetmarket_language=en")]
            #expect(try await market.http.get("/", headers: Self.german + english).text.contains("<html lang=\"en\">"))
        }
    }

    @Test("Nobody is led elsewhere by the switch, and no other language is taken")
    func refusals() async throws {
        try await withMarket { market in
            let foreign = Self.browser + Self.form + [("Referer", "https://evil.example/x")]
            let answer = try await market.http.send(
                .POST, "/language", headers: foreign, body: ByteBuffer(string: "language=de"))
            #expect(answer.status == 303 && answer.headers.first(name: "location") == "/")
            let unknown = try await market.http.send(
                .POST, "/language", headers: foreign, body: ByteBuffer(string: "language=xx"))
            #expect(unknown.status == 422)
            // A token that may only read changes no account.
            let reader = try await market.person("rea", scopes: [.read])
            let sent = try await reader.send(
                .POST, "/language", headers: Self.form, body: ByteBuffer(string: "language=de"))
            #expect(sent.status == 303)
            #expect(try await reader.get("\(Paths.base)/me").json(Account.self).language == nil)
        }
    }

    @Test("Who is signed in has the pages in the account's language, in every browser")
    func accounts() async throws {
        try await withMarket { market in
            let answer = try await market.http.send(
                .POST, "/register", headers: Self.german + Self.form,
                body: ByteBuffer(string: "handle=greta&email=greta%40example.org&password=four+plain+words"))
            let cookie = try #require(answer.headers.first(name: "set-cookie")?.split(separator: ";").first)
            let session = Self.browser + [("Cookie", String(cookie))]
            for (path, expected) in [
                ("/account", "Dein Konto"), ("/account/welcome", "Willkommen, greta"), ("/upload", "Bogen hochladen"),
                ("/account/sheets", "Wartet auf dich"), ("/account/following", "Neuigkeiten"),
                ("/account/security", "Angemeldete Browser"), ("/account/appeals", "Deine Einsprüche"),
                ("/account/webhooks", "Deine Webhooks"), ("/account/reports", "Deine Meldungen"),
            ] {
                let page = try await market.http.get(path, headers: session).text
                #expect(page.contains(expected) && page.contains("<html lang=\"de\">"), "\(path): \(page)")
                for text in Self.englishTexts { #expect(!page.contains(text), "\(path): \(text)") }
            }
            let faulty = try await market.http.send(
                .POST, "/account/tokens", headers: session + Self.form,
                body: ByteBuffer(string: "name=&expiresInDays=900"))
            #expect(faulty.text.contains("Eine ganze Zahl von Tagen, von 1 bis 366."), "\(faulty.text)")
            _ = try await market.http.send(
                .POST, "/language", headers: session + Self.form, body: ByteBuffer(string: "language=en"))
            let english = try await market.http.get("/account", headers: session + [("Accept-Language", "de")]).text
            #expect(english.contains("<html lang=\"en\">"))
        }
    }

    @Test("Every text of the templates is in the catalog, and nothing in it is left over")
    func completeness() throws {
        let web = BuildProducts.root.appendingPathComponent("web")
        let words = try PageLibraries.catalog(.german, in: web.appendingPathComponent("texts"))
        let folder = web.appendingPathComponent("templates")
        let isEnglish = /^(docs(-\w+)?|fields|kind|problems|problem-code|embed|spans)$/
        for file in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
            let name = String(file.dropLast(".mustache".count))
            guard file.hasSuffix(".mustache"), name.wholeMatch(of: isEnglish) == nil else { continue }
            let text = try String(contentsOf: folder.appendingPathComponent(file), encoding: .utf8)
            _ = TemplateTexts { english in
                #expect(words[english, in: name] != nil, "\(file): \(english)")
                return nil
            }.replaced(in: text)
        }
    }

    @Test("A text that is missing stays English, and the places of those there hold what they held")
    func fallback() {
        let texts = [
            "Find <1>{{name}}</1> at <2/> {{#open}}now{{/open}}.":
                "<2/>: {{#open}}Jetzt{{/open}} <1>{{name}}</1> finden.",
            "Close": "Schließen",
        ]
        let template =
            "<p title=\"Close\">\n Find <a class=\"x\" href=\"/{{id}}\">{{name}}</a> at <svg><path d=\"\"/></svg>"
            + "\n{{#open}}now{{/open}}.</p>{{#more}}<p>Not there</p>{{/more}}"
        let replaced = TemplateTexts { texts[$0] }.replaced(in: template)
        #expect(
            replaced == "<p title=\"Schließen\"> <svg><path d=\"\"/></svg>: {{#open}}Jetzt{{/open}} "
                + "<a class=\"x\" href=\"/{{id}}\">{{name}}</a> finden.</p>{{#more}}<p>Not there</p>{{/more}}")
    }

    @Test("Phrases keep values apart from words, count, and cannot be forged")
    func phrases() throws {
        let entries = try #require(
            GettextEntry.read(
                """
                # a comment
                msgid ""
                msgstr "Language: de"

                msgid "Page {} of {}"
                msgstr "{2}, "
                "Seite {1}"

                msgid "{} page"
                msgid_plural "{} pages"
                msgstr[0] "{} Seite"
                msgstr[1] "{} Seiten"

                msgid "Page {} of {} is gone."
                msgstr "Seite {} von {} ist weg."

                msgid "Page {}: gone."
                msgstr "Seite {}: weg."

                msgctxt "sheet"
                msgid "Open"
                msgstr "Öffnen"
                """))
        let words = PhraseCatalog(language: .german, entries: entries)
        let phrase: Phrase = "Page \(2) of \("Open")"
        #expect(phrase.description == "Page 2 of Open" && phrase.text(in: words) == "Open, Seite 2")
        #expect(Phrase.count(1, "page").text(in: words) == "1 Seite")
        #expect(Phrase.count(1204, "page").text(in: words) == "1.204 Seiten")
        #expect(Phrase(told: "Page 7 of it is gone.").text(in: words) == "Seite 7 von it ist weg.")
        #expect(Phrase(told: "Page 7 of it").text(in: words) == "Page 7 of it")
        #expect(words["Open"] == nil && words["Open", in: "sheet"] == "Öffnen")
        let date = Date(timeIntervalSince1970: 1_795_260_000)
        #expect(Phrase.time(date, .day).text(in: words) == "21. November 2026")
        let parts = ["Page \(3) of \("<b>")", DisplayText.tenths(4.26), .count(3, "page"), "just now"] as [Phrase]
        let whole = parts.joined(separator: "; ")
        #expect(Phrase(coded: whole.coded)?.text(in: words) == whole.text(in: words))
        #expect(whole.text(in: words).hasPrefix("<b>, Seite 3; 4,3; 3 Seiten"))
        for forged in ["\u{2}w4:Open1:0", "w4:Open1:0", "\u{2}\u{2}"] { #expect(Phrase(coded: forged) == nil) }
    }

    @Test(
        "The language is the best that a browser asks for and we have",
        arguments: [
            ("de", "de"), ("fr, de;q=0.8, en;q=0.9", "en"), ("de-CH, en", "de"), ("en;q=0, de;q=0.1", "de"),
            ("fr", nil), ("", nil), ("*", nil), (";;q=x,,de", "de"),
        ] as [(String, String?)])
    func accepted(field: String, expected: String?) {
        #expect(PageLanguage(accepting: field)?.rawValue == expected)
    }
}
