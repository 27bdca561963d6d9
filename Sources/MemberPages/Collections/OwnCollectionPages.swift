// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Hummingbird
import MarketCatalog
import MarketCommunity
import MarketHTTP
import MarketPages
import MarketPlatform
import MarketSearch
import MarketWire
import SheetCore

/// How people make, change and delete their own collections.
struct OwnCollectionPages: Sendable {
    private static let home = PagePaths.ownCollections
    /// Largest body of a form, in bytes: as many sheets as may be, with the longest notes in letters of four bytes.
    static let maximumFormBytes = 2 << 20
    /// Sheets that a search for more of them shows.
    private static let sheetsFound = 8

    let features: Features
    let pages: WebPages

    func register(on routes: APIRoutes) {
        routes.get(Self.home, access: .user(.read), list)
        routes.get(PagePaths.newCollection, access: .user(.read), newForm)
        routes.post(PagePaths.newCollection, access: .user(.reviewsWrite), make)
        routes.get("\(Self.home)/{id}", access: .user(.read), editForm)
        routes.takingLargeForms.post("\(Self.home)/{id}", access: .user(.reviewsWrite), save)
        routes.get("\(Self.home)/{id}/delete", access: .user(.read), deleteForm)
        routes.post("\(Self.home)/{id}/delete", access: .user(.reviewsWrite), delete)
        let moving = routes.wrapping(MovedTemplates(database: features.database).redirectingMovedSlugs)
        moving.get("/sheets/{id}/collect", access: .user(.read), collectForm)
        moving.post("/sheets/{id}/collect", access: .user(.reviewsWrite), collect)
    }

    private var service: MemberCollectionService { MemberCollectionService(catalog: features.catalog) }

    private static func id(_ context: MarketRequestContext) throws -> MemberCollectionID {
        guard let id = MemberCollectionID(try context.path("id")) else {
            throw MemberCollectionError.noSuchCollection
        }
        return id
    }

    // MARK: All of them

    private func list(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let identity = try context.requireIdentity()
        let view = OwnCollectionsView(
            try await service.own(identity.userID), handle: identity.handle, now: features.now())
        return try pages.answer(
            .ownCollections, view, head: PageHead(title: "Your collections", place: .account, viewer: identity))
    }

    // MARK: Making

    private func newForm(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        try answer(OwnCollectionView(QueryParameters(nil), problem: nil), context)
    }

    private func make(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let form = try await request.form()
        do {
            let made = try await service.make(
                OwnCollectionForm(form).edit, by: try context.requireIdentity().userID)
            return .seeOther(PagePaths.ownCollection(made.collection.id))
        } catch {
            let problem = try FormProblem(error)
            return try answer(OwnCollectionView(form, problem: problem), context, problem)
        }
    }

    // MARK: Changing

    private func editForm(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let found = try await service.editing(try Self.id(context), by: try context.requireIdentity().userID)
        var view = OwnCollectionView(found.collection, found.lines, state: found.state)
        let asked = OwnCollectionForm.asked(request.query("find"))
        if !asked.isEmpty {
            view.search(asked, try await sheets(matching: asked), present: Set(found.lines.map(\.id)))
        }
        return try answer(view, context)
    }

    /// What the first page of a search for sheets has.
    private func sheets(matching words: String) async throws -> [TemplateSummary] {
        var query = CatalogQuery()
        query.words = SearchWords(words)
        query.sort = .relevance
        query.pageRequest = PageRequest(limit: Self.sheetsFound)
        try query.begin()
        return try await CatalogSearch(database: features.database, cache: features.catalog.searches)
            .page(query).templates
    }

    /// Saves the form as it stands; a button of a sheet moves, removes or adds that one besides, and words that were
    /// typed to look for sheets are looked up then.
    private func save(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let (id, user) = (try Self.id(context), try context.requireIdentity().userID)
        let form = try await request.form(upTo: Self.maximumFormBytes)
        do {
            // A form without a state token was not made by this server and never matches.
            let wanted = OwnCollectionForm(form)
            _ = try await service.put(
                id, wanted.edit, if: Precondition(unchangedSince: form["state"] ?? ""), by: user)
            return .seeOther(wanted.address(PagePaths.ownCollection(id)))
        } catch {
            let problem = try FormProblem(error)
            let found = try await service.editing(id, by: user)
            let view = OwnCollectionView(
                found.collection, found.lines, state: form["state"] ?? "", typed: form, problem: problem)
            return try answer(view, context, problem)
        }
    }

    private func answer(
        _ view: OwnCollectionView, _ context: MarketRequestContext, _ problem: FormProblem? = nil
    ) throws -> Response {
        try pages.answer(
            .ownCollection, view,
            head: PageHead(
                title: view.heading, place: .account, viewer: context.identity, scripts: ["sort.js"],
                styles: ["members.css"]),
            status: problem?.status ?? .ok, headers: problem?.headers ?? [:])
    }

    // MARK: Deleting

    private func deleteForm(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        try await deletePage(context)
    }

    private func delete(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let form = try await request.form()
        do {
            try await service.delete(
                try Self.id(context), if: Precondition(unchangedSince: form["state"] ?? ""),
                by: try context.requireIdentity().userID)
            return .seeOther(Self.home)
        } catch {
            return try await deletePage(context, problem: try FormProblem(error))
        }
    }

    private func deletePage(_ context: MarketRequestContext, problem: FormProblem? = nil) async throws -> Response {
        let found = try await service.editing(try Self.id(context), by: try context.requireIdentity().userID)
        let address = PagePaths.ownCollection(found.collection.id)
        let isStale = problem?.code == .preconditionFailed
        let view = DeleteOwnCollectionView(
            name: found.collection.title, size: DisplayText.count(found.lines.count, "sheet"), address: address,
            action: "\(address)/delete", state: found.state,
            problem: isStale ? "It was changed since you opened this page. Look again." : problem?.summary)
        return try pages.answer(
            .deleteCollection, view,
            head: PageHead(title: "Delete “\(view.name)”?", place: .account, viewer: context.identity),
            status: problem?.status ?? .ok, headers: problem?.headers ?? [:])
    }

    // MARK: Adding one sheet

    private func collectForm(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        try await collectPage(context)
    }

    private func collect(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let user = try context.requireIdentity().userID
        let form = try await request.form()
        do {
            let key = try context.template
            if form["collection"] == "new" {
                let template = try await VersionReader(database: features.database).detail(key).summary.id
                let made = try await service.make(
                    MemberCollectionEdit(title: form["title"] ?? "", items: [.init(templateId: template)]), by: user)
                return .seeOther(PagePaths.memberCollection(made.collection))
            }
            guard let id = form["collection"].flatMap({ MemberCollectionID($0) }) else {
                throw APIError.validation([.init(pointer: "/collection", detail: "Choose one of these.")])
            }
            try await service.add(key, to: id, by: user)
            return .seeOther(PagePaths.memberCollection(try await service.detail(id, for: user).collection))
        } catch {
            return try await collectPage(context, form: form, problem: try FormProblem(error))
        }
    }

    private func collectPage(
        _ context: MarketRequestContext, form: QueryParameters = QueryParameters(nil), problem: FormProblem? = nil
    ) async throws -> Response {
        let user = try context.requireIdentity().userID
        let template = try await VersionReader(database: features.database).detail(try context.template).summary
        async let own = service.own(user)
        let holding = try await service.holding(template.id, of: user)
        let view = CollectView(template, try await own, holding: holding, form: form, problem: problem)
        return try pages.answer(
            .collect, view,
            head: PageHead(title: "Add to your collections", place: .collections, viewer: context.identity),
            status: problem?.status ?? .ok, headers: problem?.headers ?? [:])
    }
}

/// What the form of a collection says.
struct OwnCollectionForm: Sendable {
    let edit: MemberCollectionEdit
    /// The sheet that was moved, to come back to.
    private let place: String?
    /// Words to look for sheets by.
    private let words: String

    init(_ form: QueryParameters) {
        // Whoever sends other ids than the form had gets no sheet for them. One more than may be is told of as too many.
        var items = form.all("sheet").prefix(MemberCollectionService.maximumItems + 1).compactMap { TemplateID($0) }.map
        { id in
            CollectionEdit.Item(templateId: id, note: form["note-\(id)"])
        }
        func place(of name: String) -> Int? {
            form[name].flatMap { TemplateID($0) }.flatMap { id in items.firstIndex { $0.templateId == id } }
        }
        var moved: TemplateID?
        if let from = place(of: "up"), from > 0 {
            items.swapAt(from, from - 1)
            moved = items[from - 1].templateId
        } else if let from = place(of: "down"), from < items.count - 1 {
            items.swapAt(from, from + 1)
            moved = items[from + 1].templateId
        } else if let from = place(of: "remove") {
            items.remove(at: from)
        } else if let added = form["add"].flatMap({ TemplateID($0) }),
            !items.contains(where: { $0.templateId == added })
        {
            items.append(.init(templateId: added))
        }
        self.place = moved?.description
        words = Self.asked(form["find"])
        edit = MemberCollectionEdit(
            title: form["title"] ?? "", summary: form["summary"], isListed: form["listed"] != "no", items: items)
    }

    /// What is looked up of words that were typed.
    static func asked(_ typed: String?) -> String {
        String((typed ?? "").cleanedLine().prefix(SearchWords.maximumLength))
    }

    /// Where to go on once all is saved.
    func address(_ home: String) -> String {
        let fragment = place.map { "#sheet-\($0)" } ?? (words.isEmpty ? "" : "#more")
        return PageAddress(home).with("find", words.isEmpty ? nil : words).text + fragment
    }
}
