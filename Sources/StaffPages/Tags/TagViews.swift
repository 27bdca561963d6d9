// SPDX-License-Identifier: Apache-2.0
import MarketHTTP
import MarketPages
import MarketPlatform
import MarketWire

struct TagsView: Sendable {
    struct Line: Sendable {
        let tag: String
        let address: String
        let sheets: Phrase
    }

    let navigation: StaffNavigation
    /// What was looked for, if anything was.
    let asked: String?
    let lines: [Line]
    let hasLines: Bool
    let next: String?

    init(navigation: StaffNavigation, _ list: TagList, asked: String) {
        self.navigation = navigation
        self.asked = asked.isEmpty ? nil : asked
        let home = StaffNavigation.Place.tags.rawValue
        lines = list.tags.map {
            Line(tag: $0.tag, address: "\(home)/\($0.tag)", sheets: DisplayText.number($0.templateCount))
        }
        hasLines = !lines.isEmpty
        next = list.nextCursor.map { PageAddress(home).with("q", asked).with("cursor", $0).text }
    }
}

struct TagView: Sendable {
    let navigation: StaffNavigation
    let tag: String
    let address: String
    let listAddress: String
    /// Those on offer, which the list has.
    let sheets: Phrase
    /// The others, which are changed with them.
    let absent: Phrase?
    let uploads: Phrase?
    let formerNames: String?
    /// The new name as it was typed, and what is wrong with it.
    let to: String
    let mistake: Phrase?
    let problem: Phrase?

    init(navigation: StaffNavigation, _ detail: TagDetail, offered: Int, to: String?, problem: FormProblem?) {
        self.navigation = navigation
        tag = detail.tag
        address = "\(StaffNavigation.Place.tags.rawValue)/\(detail.tag)"
        listAddress = PageAddress("/").with("tag", detail.tag).text
        sheets = DisplayText.count(offered, "sheet")
        let others = max(0, detail.templateCount - offered)
        absent = others == 0 ? nil : DisplayText.count(others, "sheet not on offer", "sheets not on offer")
        uploads =
            detail.submissionCount == 0
            ? nil : DisplayText.count(detail.submissionCount, "upload in review", "uploads in review")
        formerNames = detail.formerNames.isEmpty ? nil : detail.formerNames.joined(separator: ", ")
        self.to = to ?? ""
        mistake = problem?.mistakes["to"]
        self.problem = problem?.summary
    }
}

/// What renaming a tag, or taking it off, would change.
struct ChangeTagView: Sendable {
    let heading: Phrase
    let tag: String
    /// The new name; none where the tag is taken off.
    let to: String?
    let address: String
    let action: String
    let sheets: Phrase
    let uploads: Phrase
    /// Sheets that have the new name already.
    let already: Phrase?

    init(_ detail: TagDetail, to other: (tag: String, templateCount: Int)?) {
        tag = detail.tag
        to = other?.tag
        address = "\(StaffNavigation.Place.tags.rawValue)/\(detail.tag)"
        action = other == nil ? "\(address)/remove" : "\(address)/rename"
        heading = other.map { "Rename \(detail.tag) to \($0.tag)?" } ?? "Take \(detail.tag) off?"
        sheets = DisplayText.count(detail.templateCount, "sheet")
        uploads = DisplayText.count(detail.submissionCount, "upload in review", "uploads in review")
        already = other.flatMap { $0.templateCount == 0 ? nil : DisplayText.count($0.templateCount, "sheet") }
    }
}
