// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Hummingbird
import MarketCatalog
import MarketHTTP
import MarketPages
import MarketPlatform
import MarketWire
import MemberPages
import SheetCore

/// How moderators make, change and delete collections.
struct CollectionForms: Sendable {
    static let home = PagePaths.collectionForms
    static let adding = "/moderation/add-to-collection"
    /// Largest body of a form, in bytes: as many sheets as may be, each with the longest note in letters of four bytes,
    /// which are written as `%F0` each, take 1.2 MB.
    static let maximumFormBytes = 2 << 20

    let features: Features
    let pages: WebPages

    func register(on routes: APIRoutes) {
        routes.get(Self.home, access: .moderator, newForm)
        routes.takingLargeForms.post(Self.home, access: .moderator, make)
        routes.get("\(Self.home)/{slug}", access: .moderator, editForm)
        routes.takingLargeForms.post("\(Self.home)/{slug}", access: .moderator, save)
        routes.get("\(Self.home)/{slug}/delete", access: .moderator, deleteForm)
        routes.post("\(Self.home)/{slug}/delete", access: .moderator, delete)
        routes.get(Self.adding, access: .moderator, addForm)
        routes.post(Self.adding, access: .moderator, add)
    }

    private var service: CollectionService { CollectionService(catalog: features.catalog) }

    // MARK: Making and changing

    private func newForm(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        try answer(CollectionFormView(), context)
    }

    private func make(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let form = try await request.form(upTo: Self.maximumFormBytes)
        do {
            guard let slug = Slug(form["slug"] ?? "") else {
                throw APIError.validation([
                    .init(pointer: "/slug", detail: "Lower-case letters, digits and single hyphens, at most 64.")
                ])
            }
            return try await put(slug, form, if: Precondition(unchangedSince: nil), context)
        } catch {
            let problem = try FormProblem(error)
            return try answer(CollectionFormView(form, of: nil, problem: problem), context, problem)
        }
    }

    private func editForm(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let slug = try CollectionPages.slug(context)
        let state = try await service.state(of: slug.text)
        let detail = try await service.detail(slug.text)
        let lines = try await service.lines(slug)
        return try answer(CollectionFormView(detail, lines: lines, state: state), context)
    }

    private func save(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let slug = try CollectionPages.slug(context)
        let form = try await request.form(upTo: Self.maximumFormBytes)
        do {
            // A form without a state token was not made by this server and never matches.
            return try await put(slug, form, if: Precondition(unchangedSince: form["state"] ?? ""), context)
        } catch {
            let problem = try FormProblem(error)
            return try answer(CollectionFormView(form, of: slug.text, problem: problem), context, problem)
        }
    }

    private func put(
        _ slug: Slug, _ form: QueryParameters, if condition: Precondition, _ context: MarketRequestContext
    ) async throws -> Response {
        let lines = CollectionLines(form["sheets"] ?? "")
        // Before each line is looked at: a pasted text has any number of them.
        guard lines.all.count <= CollectionService.maximumItems else {
            throw APIError.validation([
                .init(pointer: "/items", detail: "At most \(CollectionService.maximumItems) sheets.")
            ])
        }
        let known = try await service.templates(lines.all.map(\.name))
        var items: [CollectionEdit.Item] = []
        var problems: [ProblemDocument.Detail] = []
        for line in lines.all {
            // A text that has the form of an id is taken for one, as in the address of a page.
            if let id = TemplateID(line.name) ?? known[line.name] {
                items.append(.init(templateId: id, note: line.note))
            } else {
                problems.append(line.saying("There is no sheet “\(line.name.prefix(Slug.maximumLength))”."))
            }
        }
        if !problems.isEmpty { throw APIError.validation(problems) }
        let edit = CollectionEdit(title: form["title"] ?? "", summary: form["summary"], items: items)
        do {
            _ = try await service.put(
                slug, edit, if: condition, by: try context.requireIdentity(), requestID: context.requestID)
        } catch  where APIError.mapping(error).error.code == .validationFailed {
            throw lines.naming(APIError.mapping(error).error)
        }
        return .seeOther("/collections/\(slug.text)")
    }

    private func answer(
        _ view: CollectionFormView, _ context: MarketRequestContext, _ problem: FormProblem? = nil
    ) throws -> Response {
        try pages.answer(
            .editCollection, view,
            head: PageHead(
                title: view.heading, place: .moderation, viewer: context.identity, scripts: ["sort.js"],
                styles: ["members.css"]),
            status: problem?.status ?? .ok, headers: problem?.headers ?? [:])
    }

    // MARK: Deleting

    private func deleteForm(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        try await deletePage(context)
    }

    private func delete(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let slug = try CollectionPages.slug(context)
        let form = try await request.form()
        do {
            try await service.delete(
                slug, if: Precondition(unchangedSince: form["state"] ?? ""), by: try context.requireIdentity(),
                requestID: context.requestID)
            return .seeOther("/collections")
        } catch {
            return try await deletePage(context, problem: try FormProblem(error))
        }
    }

    private func deletePage(_ context: MarketRequestContext, problem: FormProblem? = nil) async throws -> Response {
        let slug = try CollectionPages.slug(context)
        let state = try await service.state(of: slug.text)
        let detail = try await service.detail(slug.text)
        let isStale = problem?.code == .preconditionFailed
        let view = DeleteCollectionView(
            name: detail.title, size: DisplayText.count(detail.items.count, "sheet"),
            address: "/collections/\(detail.slug)", action: "\(Self.home)/\(detail.slug)/delete",
            state: state,
            problem: isStale ? "Somebody has changed it since you opened this page. Look again." : problem?.summary)
        return try pages.answer(
            .deleteCollection, view,
            head: PageHead(title: "Delete “\(detail.title)”?", place: .moderation, viewer: context.identity),
            status: problem?.status ?? .ok, headers: problem?.headers ?? [:])
    }

    // MARK: Adding one sheet

    private func addForm(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        try await addPage(request, context, sheet: request.query("sheet"))
    }

    private func add(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let form = try await request.form()
        do {
            guard let sheet = Slug(form["sheet"] ?? "") else { throw APIError.notFound("This template") }
            guard let slug = Slug(form["collection"] ?? "") else {
                throw APIError.validation([.init(pointer: "/collection", detail: "Choose one of these.")])
            }
            try await service.add(
                sheet, to: slug, by: try context.requireIdentity(), requestID: context.requestID)
            return .seeOther("/collections/\(slug.text)")
        } catch {
            return try await addPage(
                request, context, sheet: form["sheet"], chosen: form["collection"], problem: try FormProblem(error))
        }
    }

    private func addPage(
        _ request: Request, _ context: MarketRequestContext, sheet: String?, chosen: String? = nil,
        problem: FormProblem? = nil
    ) async throws -> Response {
        let key = try TemplateKey(sheet ?? "")
        let cursor = request.query("cursor")
        let list = try await service.list(PageRequest(cursor: cursor))
        let template = try await VersionReader(database: features.database).detail(key).summary
        let view = AddToCollectionView(
            sheetName: template.name, sheet: template.slug,
            action: PageAddress(Self.adding).with("cursor", cursor).text,
            choices: list.collections.map {
                Choice(value: $0.slug, label: Phrase(verbatim: $0.title), isSelected: $0.slug == chosen)
            },
            hasChoices: !list.collections.isEmpty,
            next: list.nextCursor.map {
                PageAddress(Self.adding).with("sheet", template.slug).with("cursor", $0).text
            },
            mistake: problem?.mistakes["collection"], problem: problem?.summary)
        return try pages.answer(
            .addToCollection, view,
            head: PageHead(title: "Add to a collection", place: .moderation, viewer: context.identity),
            status: problem?.status ?? .ok, headers: problem?.headers ?? [:])
    }
}

/// What curators write into a form: a sheet on each line, by its slug, its id or its page's address, and behind it why
/// it is there.
struct CollectionLines: Sendable {
    struct Line: Equatable, Sendable {
        /// Among all lines, also empty ones, from 1.
        var number: Int
        /// The sheet's slug or id.
        var name: String
        var note: String

        /// What is wrong with it.
        func saying(_ text: String) -> ProblemDocument.Detail {
            .init(pointer: "/items", detail: "Line \(number): \(text)")
        }
    }

    let all: [Line]

    init(_ text: String) {
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        all = lines.enumerated().compactMap { place, line -> Line? in
            let words = line.split(maxSplits: 1, whereSeparator: \.isWhitespace)
            guard let word = words.first else { return nil }
            let note = words.count > 1 ? String(words[1]).cleanedLine() : ""
            return Line(number: place + 1, name: Self.name(in: word), note: note)
        }
    }

    /// A collection's items as the text of the form.
    static func text(_ lines: [CollectionStore.Line]) -> String {
        lines.map { $0.note.isEmpty ? $0.slug : "\($0.slug) \($0.note)" }.joined(separator: "\n")
    }

    /// Translates what the service says of items to the lines that they were written on.
    func naming(_ error: APIError) -> APIError {
        var error = error
        error.errors = error.errors.map { fault in
            let parts = fault.pointer.split(separator: "/")
            guard parts.count == 3, parts[0] == "items", let place = Int(parts[1]), all.indices.contains(place) else {
                return fault
            }
            return all[place].saying(fault.detail)
        }
        return error
    }

    private static func name(in word: Substring) -> String {
        guard let begin = word.firstRange(of: "/sheets/")?.upperBound else { return word.lowercased() }
        return word[begin...].prefix { !"/?#".contains($0) }.lowercased()
    }
}

/// The form of a collection.
struct CollectionFormView: Sendable {
    let heading: Phrase
    let isNew: Bool
    let action: String
    let backAddress: String
    let deleteAddress: String
    let slug: String
    let name: String
    let text: String
    let sheets: String
    let state: String
    let maximumItems = CollectionService.maximumItems
    let problem: Phrase?
    /// Whether somebody else has changed it meanwhile.
    let isStale: Bool
    let mistakes: [String: Phrase]

    init() {
        self.init(QueryParameters(nil), of: nil, problem: nil)
    }

    /// The form of a collection as it is.
    init(_ detail: CollectionDetail, lines: [CollectionStore.Line], state: String) {
        self.init(
            slug: detail.slug, isNew: false, name: detail.title, text: detail.summary,
            sheets: CollectionLines.text(lines), state: state, problem: nil)
    }

    /// The form as it was sent, for the collection `slug`, or for a new one.
    init(_ form: QueryParameters, of slug: String?, problem: FormProblem?) {
        self.init(
            slug: slug ?? form["slug"] ?? "", isNew: slug == nil, name: form["title"] ?? "",
            text: form["summary"] ?? "", sheets: form["sheets"] ?? "", state: form["state"] ?? "", problem: problem)
    }

    private init(
        slug: String, isNew: Bool, name: String, text: String, sheets: String, state: String, problem: FormProblem?
    ) {
        heading = isNew ? "New collection" : "Edit a collection"
        self.isNew = isNew
        action = isNew ? CollectionForms.home : "\(CollectionForms.home)/\(slug)"
        backAddress = isNew ? "/collections" : "/collections/\(slug)"
        deleteAddress = "\(action)/delete"
        self.slug = slug
        self.name = name
        self.text = text
        self.sheets = sheets
        self.state = state
        isStale = problem?.code == .preconditionFailed && !isNew
        let isTaken = problem?.code == .preconditionFailed && isNew
        self.problem = isTaken ? "There is a collection with this address already." : problem?.summary
        mistakes = problem?.mistakes ?? [:]
    }
}

/// Asks whether a collection shall be deleted.
struct DeleteCollectionView: Sendable {
    let name: String
    let size: Phrase
    let address: String
    let action: String
    let state: String
    let problem: Phrase?
}

/// Asks which collection a sheet shall go to.
struct AddToCollectionView: Sendable {
    let sheetName: String
    let sheet: String
    let action: String
    let choices: [Choice]
    let hasChoices: Bool
    let next: String?
    /// What is wrong with the choice.
    let mistake: Phrase?
    let problem: Phrase?
}
