// SPDX-License-Identifier: Apache-2.0
import MarketCatalog
import MarketHTTP
import MarketIngest
import MarketPages
import MarketPlatform
import MarketWire
import SheetCore

/// What zoom regions are corrected of: a published version, or an upload that is not published yet.
struct RegionSubject: Sendable {
    enum Thing: Sendable {
        case version(SemanticVersion, of: TemplateID)
        case submission(SubmissionID)
    }

    let thing: Thing
    let name: String
    let version: String
    /// Of the editor's page.
    let address: String
    let back: PageAddress
    let backLabel: Phrase
    let pages: [PageSummary]
    let regions: RegionList
    /// What the inspection proposed, of pages where somebody corrected it.
    let proposal: RegionList
    /// Whether it is somebody else's.
    let isForMarket: Bool
    /// Whether the operator may learn from corrections; `nil` for whom it is not to say.
    let consent: TrainingConsent?
    /// Whether a moderator waits for the viewer to mend it.
    let isWanted: Bool

    /// A published version. Who manages the sheet comes from there, others from its page.
    init(_ found: CorrectableVersion) {
        let sheet = PagePaths.sheet(found.template.slug)
        let isAuthor = found.template.permissions.author != nil
        thing = .version(found.version.version, of: found.template.id)
        name = found.template.name
        version = found.version.version.description
        address = "\(sheet)/versions/\(found.version.version)/regions"
        back = PageAddress(isAuthor ? "\(sheet)/manage" : sheet)
        backLabel = isAuthor ? "Manage \(found.template.name)" : Phrase(verbatim: found.template.name)
        pages = found.version.pages
        regions = found.regions
        proposal = found.proposal
        consent = found.consent
        isForMarket = !isAuthor
        isWanted = false
    }

    /// An upload.
    init(
        _ status: SubmissionStatus, pages: [(page: PageSummary, regions: [ZoomRegion])], proposal: RegionList,
        isUploader: Bool
    ) {
        thing = .submission(status.id)
        name = status.templateName
        version = status.version.description
        address = "/submissions/\(status.id)/regions"
        if !isUploader, let id = status.caseId {
            back = PageAddress("/moderation/cases/\(id)")
            backLabel = "The case"
        } else {
            back = PageAddress("/submissions/\(status.id)")
            backLabel = "The upload"
        }
        self.pages = pages.map(\.page)
        regions = RegionList(pages: pages.map { .init(index: $0.page.index, regions: $0.regions) })
        self.proposal = proposal
        consent = nil
        isForMarket = !isUploader
        isWanted = isUploader && status.state == .changesRequested
    }

    /// What a form was made of.
    var revision: String {
        get throws { EntityTag.state(of: try .json(regions)) }
    }

    func regions(of page: Int) -> [ZoomRegion] { regions.pages.first { $0.index == page }?.regions ?? [] }

    /// The same with other regions on one page.
    func list(with regions: [ZoomRegion], on page: Int) -> RegionList {
        RegionList(
            pages: self.regions.pages.map { $0.index == page ? .init(index: page, regions: regions) : $0 })
    }

    /// Ids of regions on other pages.
    func ids(besides page: Int) -> Set<String> {
        Set(regions.pages.filter { $0.index != page }.flatMap(\.regions).map(\.id))
    }
}

extension SubmissionStatus {
    /// Where the zoom regions of its pages are corrected, while they can be.
    package var regionsAddress: String? {
        (pageCount ?? 0) > 0 && (state.takesCorrections || state == .published) ? "/submissions/\(id)/regions" : nil
    }
}
