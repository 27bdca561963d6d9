// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Hummingbird
import MarketContract
import MarketHTTP
import MarketPlatform
import MarketWire

/// The contract for people: an overview with a first step, a page for each group of calls, for each shape, and for each
/// code of a problem.
struct ReferencePages: Sendable {
    /// What the pages are made of, made once.
    struct Book: Sendable {
        let reference: ReferenceView
        let problems: ProblemReference
    }

    let pages: WebPages
    let book: @Sendable () throws -> Book

    func register(on routes: APIRoutes) {
        routes.get("/docs", access: .optionalAuthentication, overview)
        routes.get("/docs/shapes", access: .optionalAuthentication, shapes)
        routes.get("/docs/shapes/{name}", access: .optionalAuthentication, shape)
        routes.get("/docs/{group}", access: .optionalAuthentication, group)
        routes.get("/docs/{group}/{call}", access: .optionalAuthentication, call)
        routes.get("/problems", access: .optionalAuthentication, problems)
        routes.get("/problems/{code}", access: .optionalAuthentication, problem)
    }

    private func overview(_ request: Request, _ context: MarketRequestContext) throws -> Response {
        let view = ReferenceOverview(
            try book(), words: String((request.query("q") ?? "").prefix(100)), site: context.site.text)
        return try pages.answer(
            .docs, view,
            head: PageHead(
                title: "API", viewer: context.identity, scripts: ["copy.js", "docs.js"],
                summary: "Sheetmarket's API: a quick start in curl, Swift and Python, and every call.",
                language: .english))
    }

    private func group(_ request: Request, _ context: MarketRequestContext) throws -> Response {
        let name = try context.path("group")
        let reference = try book().reference
        guard let group = reference.groups.first(where: { $0.anchor == name }) else {
            throw APIError.notFound("This part of the documentation")
        }
        return try pages.answer(
            .docsGroup, ReferenceGroupView(group, of: reference),
            head: PageHead(
                title: "API: \(group.title)", viewer: context.identity, summary: Phrase(verbatim: group.about),
                language: .english))
    }

    private func call(_ request: Request, _ context: MarketRequestContext) throws -> Response {
        let (name, anchor) = (try context.path("group"), try context.path("call"))
        guard let group = try book().reference.groups.first(where: { $0.anchor == name }),
            let call = group.calls.first(where: { $0.anchor == anchor })
        else { throw APIError.notFound("This part of the documentation") }
        return try pages.answer(
            .docsCall, ReferenceCallView(group: group, call: call),
            head: PageHead(
                title: "API: \(call.title)", viewer: context.identity, summary: "\(call.method) \(call.path)",
                language: .english))
    }

    private func shapes(_ request: Request, _ context: MarketRequestContext) throws -> Response {
        try pages.answer(
            .docsShapes, ReferenceShapesView(try book().reference),
            head: PageHead(
                title: "API: shapes", viewer: context.identity,
                summary: "What goes into calls and comes back from them.", language: .english))
    }

    private func shape(_ request: Request, _ context: MarketRequestContext) throws -> Response {
        let name = try context.path("name")
        guard let shape = try book().reference.shapes.first(where: { $0.name == name }) else {
            throw APIError.notFound("This shape")
        }
        return try pages.answer(
            .docsShape, shape, head: PageHead(title: "API: \(name)", viewer: context.identity, language: .english))
    }

    private func problems(_ request: Request, _ context: MarketRequestContext) throws -> Response {
        try pages.answer(
            .problems, try book().problems,
            head: PageHead(
                title: "Error codes", viewer: context.identity,
                summary: "What each code of an error answer means, and what to do.", language: .english))
    }

    private func problem(_ request: Request, _ context: MarketRequestContext) throws -> Response {
        let code = try context.path("code")
        guard let page = try book().problems.page(code) else {
            throw APIError(
                .notFound, .notFound, "No problem has this code here. A newer or older server may know it.")
        }
        return try pages.answer(
            .problemCode, page,
            head: PageHead(title: "Problem: \(page.title)", viewer: context.identity, language: .english))
    }
}

/// The first page of the documentation, or what a search in it finds.
struct ReferenceOverview: Sendable {
    struct Part: Sendable {
        let title: String
        let address: String
        let anchor: String
        let about: String
        let links: [ReferenceView.CallLink]
    }

    /// A shape or a code that a search found.
    struct Hit: Sendable {
        let label: String
        let address: String
    }

    let version: String
    let introduction: [MarkdownBlocks.Item]
    let site: String
    let words: String
    let isSearch: Bool
    let parts: [Part]
    let hits: [Hit]
    let hasHits: Bool
    let found: String
    let foundNothing: Bool

    init(_ book: ReferencePages.Book, words: String, site: String) {
        version = book.reference.version
        introduction = book.reference.introduction
        self.site = site
        self.words = words
        let wanted = words.lowercased().split(whereSeparator: \.isWhitespace)
        isSearch = !wanted.isEmpty
        func fits(_ text: String) -> Bool {
            let text = text.lowercased()
            return wanted.allSatisfy { text.contains($0) }
        }
        parts = book.reference.groups.compactMap { group in
            let links = group.calls.filter { call in
                wanted.isEmpty
                    || fits(
                        "\(call.method) \(call.path) \(call.title) \(call.spans.map(\.text).joined()) \(group.title)")
            }.map(\.link)
            if links.isEmpty { return nil }
            return Part(
                title: group.title, address: group.address, anchor: group.anchor, about: group.about, links: links)
        }
        let shapes = book.reference.shapes.filter { fits($0.name) }.map { Hit(label: $0.name, address: $0.address) }
        let codes = book.problems.all.filter { fits("\($0.code) \($0.title)") }.map {
            Hit(label: $0.code, address: $0.address)
        }
        hits = wanted.isEmpty ? [] : shapes + codes
        hasHits = !hits.isEmpty
        let calls = parts.reduce(0) { $0 + $1.links.count }
        found =
            "\(DisplayText.count(calls, "call")), \(DisplayText.count(hits.count, "shape or code", "shapes and codes"))"
        foundNothing = isSearch && calls == 0 && hits.isEmpty
    }
}

/// A page with the calls of a group.
struct ReferenceGroupView: Sendable {
    struct Neighbour: Sendable {
        let title: String
        let address: String
        let isHere: Bool
    }

    let group: ReferenceView.Group
    let neighbours: [Neighbour]

    init(_ group: ReferenceView.Group, of reference: ReferenceView) {
        self.group = group
        neighbours = reference.groups.map {
            Neighbour(title: $0.title, address: $0.address, isHere: $0.anchor == group.anchor)
        }
    }
}

/// A page with all there is to say of a call.
struct ReferenceCallView: Sendable {
    let group: ReferenceView.Group
    let call: ReferenceView.Call
}

/// All shapes by their letters.
struct ReferenceShapesView: Sendable {
    struct Letter: Sendable {
        let letter: String
        let shapes: [ReferenceView.Shape]
    }

    let letters: [Letter]

    init(_ reference: ReferenceView) {
        letters = Dictionary(grouping: reference.shapes) { String($0.name.prefix(1)) }
            .sorted { $0.key < $1.key }.map { Letter(letter: $0.key, shapes: $0.value) }
    }
}
