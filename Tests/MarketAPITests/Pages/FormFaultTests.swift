// SPDX-License-Identifier: Apache-2.0
import NIOCore
import NIOHTTP1
import TestSupport
import Testing

@testable import MarketPages

@Suite("Faulty fields of forms")
struct FormFaultTests {
    @Test("the notice links to each faulty field, and the first has the focus")
    func fields() throws {
        let page = FormFaults.linked(
            """
            <div class="notice bad" role="alert"><p>2 fields need another look.</p></div><form>
            <div class="field"><label for="name">Name</label><input id="name" name="name"></div>
            <fieldset class="field wrong"><legend>Stars</legend><label class="check"><input type="hidden" name="h">\
            <input type="radio" name="stars"> 1 star</label><p class="mistake">Choose &lt;one&gt;.</p></fieldset>
            <div class="field wrong"><label for="text">Text <span class="optional">optional</span></label>\
            <textarea id="text" aria-invalid="true"></textarea>\
            <p class="mistake" id="text-mistake">Too long.</p></div></form>
            """)
        #expect(page.contains("<li><a href=\"#faulty-0\">Stars: Choose &lt;one&gt;.</a></li>"), "\(page)")
        #expect(page.contains("<input id=\"faulty-0\" autofocus type=\"radio\""), "\(page)")
        #expect(page.contains("<li><a href=\"#text\">Text: Too long.</a></li></ul></div><form>"), "\(page)")
        #expect(page.matches(of: /autofocus/).count == 1 && page.contains("id=\"text\" aria-invalid"))
    }

    @Test("without a faulty field the notice itself has the focus, and a page without a notice stays as it is")
    func notice() {
        let refused = FormFaults.linked("<div class=\"notice bad\" role=\"alert\"><p>No.</p></div>")
        #expect(refused == "<div class=\"notice bad\" role=\"alert\" tabindex=\"-1\" autofocus><p>No.</p></div>")
        #expect(FormFaults.linked("<p class=\"field\">A page</p>") == "<p class=\"field\">A page</p>")
    }

    @Test("a form that comes back over HTTP has both, and what was typed cannot look like a field")
    func overHTTP() async throws {
        try await withMarket { market in
            let typed = "handle=%22%3E%3Cdiv+class%3D%22field+wrong%22%3E&email=t%40example.org&password=short"
            let answer = try await market.http.send(
                .POST, "/register",
                headers: [
                    ("Accept", "text/html"), ("Sec-Fetch-Site", "same-origin"),
                    ("Content-Type", "application/x-www-form-urlencoded"),
                ], body: ByteBuffer(string: typed))
            #expect(answer.status == 422)
            let links = answer.text.matches(of: /<li><a href="#([a-z]+)">[A-Z]/).map { String($0.output.1) }
            #expect(links == ["handle", "password"], "\(answer.text)")
            #expect(answer.text.contains("<input autofocus id=\"handle\""), "\(answer.text)")
            #expect(answer.text.matches(of: /autofocus/).count == 1)
        }
    }
}
