// SPDX-License-Identifier: Apache-2.0
import MarketHTTP
import MarketPages
import MarketPlatform
import MarketWire
import SheetCore

/// What the page of correcting zoom regions shows: one page of the sheet, with a row of fields for each region.
struct RegionEditorView: Sendable {
    struct Tab: Sendable {
        let address: String
        let label: Phrase
        let isHere: Bool
    }

    /// A region's fields, or those of a new one.
    struct Row: Sendable {
        let row: Int
        let isNew: Bool
        let isOpen: Bool
        let regionID: String
        let order: String
        let rowLabel: Phrase
        let regionName: String
        let placeholder: Phrase
        let kinds: [Choice]
        let x: String
        let y: String
        let width: String
        let height: String
        let scale: String
        let isDeleted: Bool
        let mistakes: [String: Phrase]
    }

    /// A region that the inspection proposed, in percent.
    struct Proposed: Sendable {
        let proposedName: Phrase
        let proposedKind: String
        let x: String
        let y: String
        let width: String
        let height: String
    }

    let sheetName: String
    let version: String
    let backAddress: String
    let backLabel: Phrase
    let isForMarket: Bool
    let isSaved: Bool
    let problem: Phrase?
    let action: String
    let revision: String
    let tabs: [Tab]
    let hasTabs: Bool
    let sheetPage: SheetPageView
    let rows: [Row]
    let proposed: [Proposed]
    let hasProposal: Bool
    let isWanted: Bool
    /// Whether it is the viewer's to say what the operator may learn from, and what they said.
    let isOwners: Bool
    let isTrainingAllowed: Bool
    let trainingAction: String
    let note: String
    let noteMistake: Phrase?

    init(
        _ subject: RegionSubject, page: PageSummary, isSaved: Bool, problem: FormProblem?, form: QueryParameters,
        standardNote: String
    ) throws {
        let regions = subject.regions(of: page.index)
        let isOutdated = problem?.code == .preconditionFailed
        sheetName = subject.name
        version = subject.version
        backAddress = subject.back.text
        backLabel = subject.backLabel
        isForMarket = subject.isForMarket
        self.isSaved = isSaved
        self.problem =
            isOutdated
            ? "Somebody changed the zoom regions since you opened this page. What you entered is still here; saving it "
                + "again puts it in the place of theirs."
            : problem.map { $0.mistakes["row"] ?? $0.summary }
        action = PageAddress(subject.address).with("page", "\(page.index + 1)").text
        // A form that somebody was told of as outdated is about the present state from then on.
        revision = isOutdated || problem == nil ? try subject.revision : form["revision"] ?? ""
        tabs = subject.pages.map { other in
            Tab(
                address: PageAddress(subject.address).with("page", "\(other.index + 1)").text,
                label: "Page \(other.index + 1)", isHere: other.index == page.index)
        }
        hasTabs = tabs.count > 1
        sheetPage = SheetPageView(page, regions: regions, of: subject.name)
        rows = Self.rows(problem == nil ? RegionForm(regions) : RegionForm(form), problem?.mistakes ?? [:])
        let proposal = subject.proposal.pages.first { $0.index == page.index }
        proposed = Self.proposed(proposal?.regions ?? [])
        hasProposal = proposal != nil
        isWanted = subject.isWanted
        isOwners = subject.consent != nil
        isTrainingAllowed = subject.consent?.isGiven ?? false
        trainingAction = PageAddress("\(subject.address)/training").with("page", "\(page.index + 1)").text
        note = problem == nil ? standardNote : form["note"] ?? ""
        noteMistake = problem?.mistakes["text"]
    }

    /// The rows of a form, with a new one at their end.
    private static func rows(_ form: RegionForm, _ mistakes: [String: Phrase]) -> [Row] {
        var rows = form.rows
        if rows.last?.isBlank != true {
            rows.append(RegionForm.Row(row: (rows.map(\.row).max() ?? -1) + 1))
        }
        var unnamed = 0
        return rows.enumerated().map { place, row in
            let isNew = place == rows.count - 1 && row.isBlank
            if row.name.isEmpty && !isNew { unnamed += 1 }
            let placeholder: Phrase = isNew ? "" : "Region \(unnamed)"
            var own: [String: Phrase] = [:]
            for name in ["name", "x", "y", "width", "height", "scale"] { own[name] = mistakes["\(name)-\(row.row)"] }
            return Row(
                row: row.row, isNew: isNew, isOpen: !own.isEmpty, regionID: row.id, order: row.order,
                rowLabel: isNew ? "Add a region" : row.name.isEmpty ? placeholder : Phrase(verbatim: row.name),
                regionName: row.name,
                placeholder: row.name.isEmpty ? placeholder : "", kinds: kinds(row.kind), x: row.x, y: row.y,
                width: row.width, height: row.height, scale: row.scale, isDeleted: row.isDeleted, mistakes: own)
        }
    }

    private static func kinds(_ chosen: String) -> [Choice] {
        let others = chosen.isEmpty || RegionForm.kinds.contains(chosen) ? [] : [chosen]
        return [Choice(value: "", label: "Not said", isSelected: chosen.isEmpty)]
            + (RegionForm.kinds + others).map {
                Choice(value: $0, label: RegionWords.kind($0), isSelected: $0 == chosen)
            }
    }

    private static func proposed(_ regions: [ZoomRegion]) -> [Proposed] {
        zip(RegionWords.names(regions), RegionForm(regions).rows).map { name, row in
            Proposed(
                proposedName: name, proposedKind: row.kind, x: row.x, y: row.y, width: row.width, height: row.height)
        }
    }
}
