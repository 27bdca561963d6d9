// SPDX-License-Identifier: Apache-2.0
import Foundation
import IngestWire
import MarketIngest
import MarketPlatform
import MarketWire
import Moderation
import Postgres
import SheetCore

/// Gathers what the risk rules are told of an inspected submission.
struct RiskFactCollector: Sendable {
    let moderation: RiskDependencies
    let subject: InspectionSubject
    let outcome: InspectionOutcome

    /// Most characters of a page's text.
    private static let maximumPageText = 40_000
    /// Most characters of all pages' texts together.
    private static let maximumText = 200_000

    /// All facts but the author's record, which is read when the submission is routed.
    func facts() async throws -> RiskFacts {
        let metadata = outcome.imported.metadata
        var facts = RiskFacts()
        facts.findings = outcome.report.findings
        facts.pageCount = outcome.report.pages.count
        let publishedState = try await RiskStore.publishedState(
            of: subject.templateID, uploader: subject.uploader, in: moderation.database)
        facts.isUpdate = publishedState?.isOffered ?? false
        facts.license = metadata.license ?? publishedState?.license ?? ""
        facts.passages =
            Self.passages(metadata, fileName: outcome.imported.fileName, name: publishedState?.name)
            + Self.passages(outcome.report.pages.map { ($0.index, $0.text ?? "") })
        facts.links = links(metadata)
        if facts.isUpdate, let publishedState, let changes = outcome.changes {
            facts.change = ChangeSummary(changes, metadata: Self.changed(metadata, publishedState))
        }
        let hashes = [subject.sha256, outcome.imported.hash] + (outcome.copy.map { [$0.object.hash] } ?? [])
        facts.twins = try await RiskStore.twins(
            of: hashes, submission: subject.id, template: subject.templateID, in: moderation.database)
        facts.similarities = outcome.alike.map(\.fact)
        if let publishedState { try await addNames(to: &facts, metadata, publishedState) }
        return facts
    }

    private func addNames(
        to facts: inout RiskFacts, _ metadata: UploadMetadata, _ publishedState: RiskStore.PublishedState
    ) async throws {
        let name = metadata.name ?? publishedState.name
        if !facts.isUpdate || name != publishedState.name { facts.names.append(.init(.template, name)) }
        if !facts.isUpdate { facts.names.append(.init(.slug, publishedState.slug)) }
        // An account may change its names between two versions.
        facts.names.append(.init(.author, publishedState.uploaderHandle))
        if publishedState.uploaderName != publishedState.uploaderHandle {
            facts.names.append(.init(.author, publishedState.uploaderName))
        }
        var known = try await RiskStore.knownNames(
            besides: subject.uploader, template: subject.templateID, in: moderation.database)
        known += (moderation.risk.rules?.vocabulary.publisherNames ?? []).map { (.publisher, $0) }
        facts.compareNames(to: known.map { .init($0.kind, $0.text) })
    }

    private static func changed(_ new: UploadMetadata, _ old: RiskStore.PublishedState) -> Set<String> {
        let pairs = [
            ("name", new.name, old.name), ("license", new.license, old.license),
            ("gameSystem", new.gameSystem, old.gameSystem), ("language", new.language, old.language),
        ]
        return Set(pairs.filter { $0.1 != nil && $0.1 != $0.2 }.map(\.0))
    }

    /// What an upload's metadata say, as texts to check.
    static func passages(_ metadata: UploadMetadata, fileName: String, name: String?) -> [RiskFacts.Passage] {
        let parts: [(RiskFacts.Place, String?)] = [
            (.name, metadata.name ?? name), (.summary, metadata.summary), (.description, metadata.description),
            (.changelog, metadata.changelog), (.tags, metadata.tags?.joined(separator: ", ")), (.fileName, fileName),
        ]
        return parts.compactMap { place, text in
            guard let text, !text.isEmpty else { return nil }
            return .init(place, String(text.prefix(maximumPageText)))
        }
    }

    /// What stands on a sheet's pages, as texts to check.
    static func passages(_ pages: [(index: Int, text: String)]) -> [RiskFacts.Passage] {
        var left = maximumText
        var passages: [RiskFacts.Passage] = []
        for page in pages where left > 0 && !page.text.isEmpty {
            let text = String(page.text.prefix(min(left, maximumPageText)))
            left -= text.count
            passages.append(.init(.page, page: page.index, text))
        }
        return passages
    }

    private func links(_ metadata: UploadMetadata) -> [RiskFacts.Link] {
        var links: [RiskFacts.Link] = []
        for (place, text) in [(RiskFacts.Place.description, metadata.description), (.changelog, metadata.changelog)] {
            if let text { links += RiskFacts.links(inMarkdown: text, place: place) }
        }
        for page in outcome.report.pages {
            links += (page.linkTargets ?? []).map { .init(.page, page: page.index, target: String($0.prefix(2000))) }
        }
        return Array(links.prefix(RiskFacts.maximumLinks))
    }
}

extension SimilarPage {
    /// As the rules are told of it.
    var fact: RiskFacts.Similarity {
        .init(
            fate: isTakenDown ? .takenDown : .published, page: page, template: templateID, submission: submissionID,
            name: templateName, version: version.description, otherPage: otherPage)
    }
}
