// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketCommunity
import MarketHTTP
import MarketPages
import MarketPlatform
import MarketWire
import SheetCore

/// All collections of a person, for themselves.
struct OwnCollectionsView: Sendable {
    struct Line: Sendable {
        let address: String
        let editAddress: String
        let name: String
        let size: Phrase
        let updated: DisplayTime
        let isUnlisted: Bool
        let isHidden: Bool
    }

    let lines: [Line]
    let hasLines: Bool
    let personAddress: String

    init(_ list: MemberCollectionList, handle: String, now: Date) {
        lines = list.collections.map { collection in
            Line(
                address: PagePaths.memberCollection(collection),
                editAddress: PagePaths.ownCollection(collection.id), name: collection.title,
                size: DisplayText.count(collection.templateCount, "sheet"),
                updated: DisplayTime(collection.updatedAt, now: now), isUnlisted: !collection.isListed,
                isHidden: collection.isHidden ?? false)
        }
        hasLines = !lines.isEmpty
        personAddress = PagePaths.author(handle)
    }
}

/// The form of a collection of one's own.
struct OwnCollectionView: Sendable {
    struct Line: Sendable {
        let id: String
        let address: String
        let sheetName: String
        let note: String
        let isOffered: Bool
        let isFirst: Bool
        let isLast: Bool
    }

    /// A sheet that a search for more of them found.
    struct Found: Sendable {
        let foundID: String
        let foundName: String
        let foundAddress: String
        let author: String
        /// Whether it is in the collection already.
        let isIn: Bool
    }

    let heading: Phrase
    let isNew: Bool
    let action: String
    let backAddress: String
    /// Its page.
    let address: String?
    let name: String
    let text: String
    let isListed: Bool
    let isHidden: Bool
    let lines: [Line]
    let hasLines: Bool
    let state: String
    let problem: Phrase?
    /// Whether it was changed meanwhile.
    let isStale: Bool
    let mistakes: [String: Phrase]
    /// Words by which more sheets are looked for, and what they found.
    private(set) var asked: String?
    private(set) var found: [Found] = []
    private(set) var hasFound = false

    /// The form of a new one, as it was sent.
    init(_ form: QueryParameters, problem: FormProblem?) {
        heading = "New collection"
        isNew = true
        action = PagePaths.newCollection
        backAddress = PagePaths.ownCollections
        address = nil
        name = form["title"] ?? ""
        text = form["summary"] ?? ""
        isListed = form["listed"] != "no"
        isHidden = false
        lines = []
        hasLines = false
        state = ""
        self.problem = problem?.summary
        isStale = false
        mistakes = problem?.mistakes ?? [:]
    }

    /// The form of one that is there; `typed` is what was sent, where that did not hold.
    init(
        _ collection: MemberCollection, _ lines: [MemberCollectionStore.Line], state: String,
        typed: QueryParameters? = nil, problem: FormProblem? = nil
    ) {
        heading = "Edit a collection"
        isNew = false
        action = PagePaths.ownCollection(collection.id)
        backAddress = PagePaths.ownCollections
        address = PagePaths.memberCollection(collection)
        name = typed.map { $0["title"] ?? "" } ?? collection.title
        text = typed.map { $0["summary"] ?? "" } ?? collection.summary
        isListed = typed.map { $0["listed"] != "no" } ?? collection.isListed
        isHidden = collection.isHidden ?? false
        self.lines = lines.enumerated().map { place, line in
            Line(
                id: line.id.description, address: "/sheets/\(line.slug)", sheetName: line.name,
                note: typed.map { $0["note-\(line.id)"] ?? "" } ?? line.note, isOffered: line.isOffered,
                isFirst: place == 0, isLast: place == lines.count - 1)
        }
        hasLines = !lines.isEmpty
        self.state = state
        isStale = problem?.code == .preconditionFailed
        self.problem = problem?.summary
        mistakes = problem?.mistakes ?? [:]
    }

    /// Shows what was found by words, beside the sheets that are `present`.
    mutating func search(_ words: String, _ sheets: [TemplateSummary], present: Set<TemplateID>) {
        asked = words
        found = sheets.map {
            Found(
                foundID: $0.id.description, foundName: $0.name, foundAddress: PagePaths.sheet($0.slug),
                author: $0.author, isIn: present.contains($0.id))
        }
        hasFound = !found.isEmpty
    }
}

/// Asks whether a collection shall be deleted.
struct DeleteOwnCollectionView: Sendable {
    let name: String
    let size: Phrase
    let address: String
    let action: String
    let state: String
    let problem: Phrase?
}

/// Asks which of one's collections a sheet shall go to.
struct CollectView: Sendable {
    struct Line: Sendable {
        let value: String
        let label: String
        /// Whether the sheet is in it already.
        let isHeld: Bool
        let isSelected: Bool
    }

    let sheetName: String
    let sheet: String
    let action: String
    let choices: [Line]
    let isNewChosen: Bool
    let title: String
    let problem: Phrase?
    let mistakes: [String: Phrase]

    init(
        _ template: TemplateSummary, _ own: MemberCollectionList, holding: Set<MemberCollectionID>,
        form: QueryParameters, problem: FormProblem?
    ) {
        sheetName = template.name
        sheet = template.slug
        action = "/sheets/\(template.slug)/collect"
        let open = own.collections.filter { !holding.contains($0.id) }
        let chosen = form["collection"] ?? open.first?.id.description ?? "new"
        choices = own.collections.map { collection in
            Line(
                value: collection.id.description, label: collection.title, isHeld: holding.contains(collection.id),
                isSelected: collection.id.description == chosen)
        }
        isNewChosen = chosen == "new"
        title = form["title"] ?? ""
        self.problem = problem?.summary
        mistakes = problem?.mistakes ?? [:]
    }
}
