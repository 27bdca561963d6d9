// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Hummingbird
import MarketWire
import NIOCore
import SheetCore
import Synchronization
import Testing

@testable import MarketCatalog
@testable import MarketHTTP
@testable import MarketPlatform
@testable import MarketSearch

@Suite("Parts of the catalog and of downloads")
struct CatalogPartsTests {
    @Test("What was not used for longest is forgotten first, and the cost stays bounded")
    func recentlyUsed() {
        var table = LRUCache<String, Int>(capacity: 10)
        table.enter(1, for: "a", cost: 4)
        table.enter(2, for: "b", cost: 4)
        #expect(table.use("a") == 1)
        table.enter(3, for: "c", cost: 4)
        #expect(table.use("b") == nil)
        #expect(table.use("a") == 1)
        #expect(table.use("c") == 3)
        #expect(table.cost == 8)
        table.enter(4, for: "a", cost: 1)
        #expect(table.use("a") == 4)
        #expect(table.cost == 5)
        table.enter(5, for: "large", cost: 11)
        #expect(table.use("large") == nil)
        #expect(table.count == 2)
        table.remove("c")
        table.remove("c")
        #expect(table.cost == 1)
        for index in 0..<1000 { table.enter(index, for: "\(index)", cost: 3) }
        #expect(table.count == 3)
        for index in 997...999 { #expect(table.use(String(index)) == index) }
        table.removeAll()
        #expect(table.count == 0 && table.cost == 0)
    }

    @Test("Ranges are read as RFC 9110 says")
    func ranges() {
        let cases: [(String?, ByteRange)] = [
            (nil, .whole), ("bytes=0-0", .part(0..<1)), ("bytes=0-", .part(0..<100)), ("bytes=90-200", .part(90..<100)),
            ("bytes=-1", .part(99..<100)), ("bytes=-500", .part(0..<100)), ("bytes=100-", .unsatisfiable),
            ("bytes=-0", .unsatisfiable), ("bytes=5-4", .whole), ("bytes=0-1,5-6", .whole), ("lines=0-1", .whole),
            ("bytes=a-b", .whole), ("bytes=-", .whole), ("bytes=99999999999999999999-", .unsatisfiable),
            ("bytes=10-99999999999999999999", .part(10..<100)), ("bytes= 1-2", .whole), ("bytes=--1", .whole),
        ]
        for (field, wanted) in cases { #expect(ByteRange(field, size: 100) == wanted, "\(String(describing: field))") }
        #expect(ByteRange("bytes=0-", size: 0) == .unsatisfiable)
        #expect(ByteRange(nil, size: 0) == .whole)
    }

    @Test("A query is read as forms write it")
    func queries() {
        let text = "q=wide+margins%2B&tag=a&tag=b%20c&empty=&x&q=second&nul=a%00b&bad=%ZZ&&=y&last=z=1"
        let query = QueryParameters(text)
        for name in ["q", "tag", "empty", "x", "nul", "bad", "", "last", "none"] {
            #expect(QueryParameters.value(of: name, in: text) == query[name], "\(name)")
        }
        #expect(query["last"] == "z=1" && QueryParameters.value(of: "q", in: nil) == nil)
        #expect(query["q"] == "wide margins+")
        #expect(query.all("tag") == ["a", "b c"])
        #expect(query["empty"] == nil)
        #expect(query["x"] == nil)
        #expect(query["nul"] == "ab")
        #expect(query["bad"] == "%ZZ")
        #expect(QueryParameters(nil)["q"] == nil)
    }

    @Test("Programs that read everything are known by a part of their names")
    func automatic() {
        func isAutomatic(_ agent: String?) -> Bool {
            var head = HTTPRequest(method: .get, scheme: nil, authority: nil, path: "/")
            head.headerFields[.userAgent] = agent
            return Request(head: head, body: .init(buffer: ByteBuffer())).isAutomatic
        }
        for agent in ["bot", "GoogleBOT/2.1", "a Spider", "x HeadlessChrome", "Lighthouse", "Ünïcode-Crawler é"] {
            #expect(isAutomatic(agent), "\(agent)")
        }
        for agent in [nil, "", "bo", "spide", "b\u{F6}t", "Mozilla/5.0 (X11; Linux x86_64)", "sheets/0.1.0"] {
            #expect(!isAutomatic(agent), "\(agent ?? "none")")
        }
    }

    @Test("A file name in any script survives, and cannot break out of its field")
    func dispositions() {
        #expect(
            ContentDisposition.attachment("a \"b\"\r\n; x=é.pdf")
                == "attachment; filename=\"a _b___; x=_.pdf\"; filename*=UTF-8''a%20%22b%22%0D%0A%3B%20x%3D%C3%A9.pdf")
    }

    @Test("The last word may go on; phrases, minus and or keep their meaning")
    func words() {
        let cases: [(String, head: String, beginning: String?, isAlternative: Bool)] = [
            ("wander", "", "wander", false), ("call of cth", "call of", "cth", false),
            ("dnd or pathf", "dnd", "pathf", true), ("or", "", "or", false), ("ledger -old", "ledger -old", nil, false),
            ("\"call of", "\"call of", nil, false), ("\"call of\" cth", "\"call of\"", "cth", false),
            ("!!", "!!", nil, false),
        ]
        for (text, head, beginning, isAlternative) in cases {
            let words = SearchWords(text)
            #expect(words.head == head, "\(text)")
            #expect(words.beginning == beginning, "\(text)")
            #expect(words.isAlternative == isAlternative, "\(text)")
        }
        #expect(SearchWords("the d&d 5e sheet").words == ["the", "sheet"])
        // Who is exact means it.
        #expect(SearchWords("\"call of\" cthulu").words.isEmpty)
        #expect(SearchWords("ledgr -old").words.isEmpty)
    }
}

@Suite("Corrected zoom regions")
struct CatalogRegionTests {
    private func region(
        _ id: String, page: Int = 0, _ rect: NormalizedRect = .init(x: 0.1, y: 0.1, width: 0.5, height: 0.2),
        name: String = "Skills", scale: Double = 2
    ) -> ZoomRegion {
        ZoomRegion(id: id, name: name, rect: rect, scale: scale, pageIndex: page, confidence: 0.4, source: .detected)
    }

    @Test("Good ones are stored as corrected, on every page")
    func good() throws {
        let edge = region("edge", page: 1, .init(x: -0.00005, y: 0, width: 1.00005, height: 1))
        let list = RegionList(pages: [
            .init(index: 1, regions: [edge]), .init(index: 0, regions: [region("a"), region("b")]),
        ])
        let checked = try RegionRules.checked(list, pageCount: 3)
        #expect(checked.pages.map(\.index) == [0, 1, 2])
        #expect(checked.pages.map(\.regions.count) == [2, 1, 0])
        for region in checked.pages.flatMap(\.regions) {
            #expect(region.source == .corrected && region.confidence == 1)
        }
        #expect(checked.pages[1].regions[0].rect.x == 0)
    }

    @Test("Everything that is wrong is said at once, and where")
    func bad() throws {
        let list = RegionList(pages: [
            .init(
                index: 0,
                regions: [
                    region("a"), region("a"), region("Not A Slug"), region("c", page: 1),
                    region("d", .init(x: 0.9, y: 0, width: 0.5, height: 0.1)), region("e", name: " "),
                    region("f", scale: 9),
                ]),
            .init(index: 0, regions: []), .init(index: 7, regions: []),
        ])
        let error = #expect(throws: CatalogError.self) { try RegionRules.checked(list, pageCount: 2) }
        #expect(error?.apiError.code == .validationFailed)
        #expect(
            error?.apiError.errors.map(\.pointer) == [
                "/pages/0/regions/1/id", "/pages/0/regions/2/id", "/pages/0/regions/3/pageIndex",
                "/pages/0/regions/4/rect", "/pages/0/regions/5/name", "/pages/0/regions/6/scale", "/pages/1/index",
                "/pages/2/index", "/pages",
            ])
        let many = RegionList(pages: [.init(index: 0, regions: (0...64).map { region("r\($0)") })])
        #expect(throws: CatalogError.self) { try RegionRules.checked(many, pageCount: 1) }
    }
}
