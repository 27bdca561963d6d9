// SPDX-License-Identifier: Apache-2.0
import SheetCore

/// All that the risk rules may know of a submission: values only, gathered by whoever can read the database.
///
/// What is stored of them leaves the passages out; they are in the submission.
package struct RiskFacts: Sendable, Equatable {
    /// Where a passage stands.
    package enum Place: String, Sendable, Codable, CaseIterable {
        case name, summary, description, changelog, tags
        case fileName = "file_name"
        case page
    }

    /// Text that somebody will read.
    package struct Passage: Sendable, Equatable {
        package var place: Place
        /// Index of the page, from 0.
        package var page: Int?
        package var text: String

        package init(_ place: Place, page: Int? = nil, _ text: String) {
            self.place = place
            self.page = page
            self.text = text
        }
    }

    /// What stands for a name.
    package enum NameKind: String, Sendable, Codable, CaseIterable {
        case template, slug, author, publisher
    }

    /// A name with its skeletons (Unicode Technical Standard 39), as it is written and in small letters: names that look
    /// alike share one.
    package struct Name: Sendable, Codable, Equatable {
        package var kind: NameKind
        package var text: String
        package var skeletons: [String]
        /// Whether it mixes scripts as no language does, or hides characters.
        package var isSuspicious: Bool

        package init(_ kind: NameKind, _ text: String, skeletons: [String], isSuspicious: Bool = false) {
            self.kind = kind
            self.text = text
            self.skeletons = skeletons
            self.isSuspicious = isSuspicious
        }
    }

    /// What became of the sheet that a submission is like.
    package enum Fate: String, Sendable, Codable, CaseIterable {
        case published
        case takenDown = "taken_down"
        case rejected
    }

    /// Another submission with the same bytes.
    package struct Twin: Sendable, Codable, Equatable {
        package var fate: Fate
        package var isSameTemplate: Bool
        package var name: String
        package var version: String

        package init(fate: Fate, isSameTemplate: Bool = false, name: String, version: String) {
            self.fate = fate
            self.isSameTemplate = isSameTemplate
            self.name = name
            self.version = version
        }
    }

    /// A page that looks like one of another sheet.
    package struct Similarity: Sendable, Codable, Equatable {
        package var fate: Fate
        package var page: Int
        package var template: TemplateID
        package var submission: SubmissionID
        package var name: String
        package var version: String
        package var otherPage: Int

        package init(
            fate: Fate, page: Int, template: TemplateID, submission: SubmissionID, name: String, version: String,
            otherPage: Int
        ) {
            self.fate = fate
            self.page = page
            self.template = template
            self.submission = submission
            self.name = name
            self.version = version
            self.otherPage = otherPage
        }
    }

    /// A link in the sheet or in what is said of it.
    package struct Link: Sendable, Codable, Equatable {
        package var place: Place
        package var page: Int?
        package var target: String
        /// What it is shown as, where that is known.
        package var label: String?

        package init(_ place: Place, page: Int? = nil, target: String, label: String? = nil) {
            self.place = place
            self.page = page
            self.target = target
            self.label = label
        }
    }

    package var findings: [Finding] = []
    package var passages: [Passage] = []
    /// SPDX identifier, as declared.
    package var license = ""
    package var pageCount = 0
    /// The names that this submission brings or changes, and its author's.
    package var names: [Name] = []
    /// The names that they could be taken for: somebody else's.
    package var knownNames: [Name] = []
    package var twins: [Twin] = []
    package var similarities: [Similarity] = []
    package var links: [Link] = []
    package var author = AuthorRecord()
    /// What changed; `nil` for the first upload of a template.
    package var change: ChangeSummary?
    /// Whether the template has a version on offer.
    package var isUpdate = false

    /// Nothing known yet.
    package init() {}
}

extension RiskFacts: Codable {
    private enum CodingKeys: String, CodingKey {
        case findings, license, pageCount, names, knownNames, twins, links, author, change, isUpdate
        /// Facts are stored: databases have them under this word.
        case similarities = "likenesses"
    }
}

/// What an uploader did before.
package struct AuthorRecord: Sendable, Codable, Equatable {
    /// Days since the account was made.
    package var accountDays = 0.0
    /// Submissions that a moderator approved.
    package var approvals = 0
    /// Submissions that a moderator refused, in the last 90 days.
    package var refusals = 0
    /// Versions that were taken down, ever.
    package var takeDowns = 0
    /// Strikes as they weigh today.
    package var strikes = 0.0
    /// Uploads in the last 24 hours, this one among them.
    package var uploadsToday = 0
    /// Reports on the template that wait for an answer.
    package var openReports = 0

    /// Of an account that was just made.
    package init() {}
}

/// How much a new version changes: the comparison of its pages and of what is said of it, in numbers.
package struct ChangeSummary: Sendable, Codable, Equatable {
    /// The worst of all pages.
    package var ink: InkVerdict
    package var pagesBefore: Int
    package var pagesAdded: Int
    package var pagesRemoved: Int
    /// Pages that look different: in more bits than saving again explains.
    package var pagesChanged: Int
    /// Names of the metadata's parts that changed: `name`, `license`, `gameSystem`, `language`.
    package var metadata: Set<String>

    /// In so many bits of 64 the looks of a page differ when a little on it changed.
    package static let smallLookDistance = 6

    package init(
        ink: InkVerdict, pagesBefore: Int, pagesAdded: Int = 0, pagesRemoved: Int = 0, pagesChanged: Int = 0,
        metadata: Set<String> = []
    ) {
        self.ink = ink
        self.pagesBefore = pagesBefore
        self.pagesAdded = pagesAdded
        self.pagesRemoved = pagesRemoved
        self.pagesChanged = pagesChanged
        self.metadata = metadata
    }

    /// Of a comparison. A page whose look is not known in both versions counts as changed.
    package init(_ changes: VersionChanges, metadata: Set<String>) {
        let changed = changes.pages.filter { page in
            guard page.ink != .incompatible, let distance = page.lookDistance else { return true }
            return distance > Self.smallLookDistance
        }
        self.init(
            ink: changes.ink, pagesBefore: changes.pages.count + changes.pagesRemoved.count,
            pagesAdded: changes.pagesAdded.count, pagesRemoved: changes.pagesRemoved.count,
            pagesChanged: changed.count, metadata: metadata)
    }

    /// The part of the pages that came, went or changed: 0…1.
    package var share: Double {
        let touched = pagesAdded + pagesRemoved + pagesChanged
        return min(1, Double(touched) / Double(max(1, pagesBefore + pagesAdded)))
    }
}
