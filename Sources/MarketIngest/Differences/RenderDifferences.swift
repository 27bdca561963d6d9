// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketPlatform
import Moderation
import NIOCore
import Postgres
import SheetCore
import TemplateIngest

/// Draws what differs between a submission's pages and those of the version on offer, and those that look like them.
package struct RenderDifferences: JobHandler {
    package let kind = JobKind.renderDifferences
    private let platform: Platform
    private let drawer: DifferenceRenderer

    /// How many attempts; moderation works without these pictures.
    package static let attempts = 3
    /// Most pictures of one submission.
    private static let maximumPictures = 40

    package init(platform: Platform, drawer: DifferenceRenderer) {
        self.platform = platform
        self.drawer = drawer
    }

    package func run(_ lease: JobLease) async throws -> String {
        let id = SubmissionID(rawValue: lease.subject)
        guard let task = try await DifferenceStore.task(id, in: platform.database) else {
            try await JobQueue.complete(lease, in: platform.database)
            return "skipped"
        }
        let drawn = try await draw(try await pairs(task), of: id)
        try await platform.database.withTransaction { connection in
            try await JobQueue.complete(lease, in: connection)
            guard try await SubmissionStore.lock(id, in: connection) != nil else { return }
            try await StorageGarbageCollection.blockGarbageCollection(in: connection)
            try await DifferenceStore.replace(drawn, of: id, at: platform.now(), in: connection)
        }
        return "drawn"
    }

    /// Nothing to do: moderation works without the pictures.
    package func deadLetter(_ lease: JobLease, in connection: PostgresConnection) async throws {}

    /// Pages of the version before first, in the order of this one.
    private func pairs(_ task: DifferenceStore.Task) async throws -> [PagePair] {
        var pairs: [PagePair] = []
        if let changes = task.changes,
            let before = try await SubmissionStore.submission(
                of: task.template, version: changes.since, in: platform.database)
        {
            pairs += changes.pages.map { PagePair(page: $0.to, other: before, otherPage: $0.from) }
            pairs += changes.pagesAdded.map { PagePair(page: $0, other: before, otherPage: nil) }
            pairs += changes.pagesRemoved.map { PagePair(page: nil, other: before, otherPage: $0) }
        }
        pairs += task.similarities.map { PagePair(page: $0.page, other: $0.submission, otherPage: $0.otherPage) }
        var seen: Set<PagePair> = []
        return pairs.filter { seen.insert($0).inserted }
    }

    private func draw(_ pairs: [PagePair], of id: SubmissionID) async throws -> [RenderedDifference] {
        let own = try await DifferenceStore.pages(of: id, in: platform.database)
        var others: [SubmissionID: [Int: DifferencePage]] = [:]
        var drawn: [RenderedDifference] = []
        for pair in pairs {
            guard drawn.count < Self.maximumPictures else { break }
            try Task.checkCancellation()
            let known = others[pair.other]
            let pages =
                if let known { known } else { try await DifferenceStore.pages(of: pair.other, in: platform.database) }
            others[pair.other] = pages
            let (old, new) = (pair.otherPage.flatMap { pages[$0] }, pair.page.flatMap { own[$0] })
            if let picture = try await draw(pair, from: old, to: new) { drawn.append(picture) }
        }
        return drawn
    }

    /// `nil` when both look the same, or when there is nothing to draw.
    private func draw(_ pair: PagePair, from old: DifferencePage?, to new: DifferencePage?) async throws
        -> RenderedDifference?
    {
        guard (old?.picture != nil) == (pair.otherPage != nil), (new?.picture != nil) == (pair.page != nil) else {
            return nil
        }
        var plan = DifferenceRenderer.Plan()
        if let old, let new {
            plan.transform = old.transform(to: new)
            let boxes = LayoutDifference(from: old, to: new, by: plan.transform)
            (plan.added, plan.removed) = (boxes.added, boxes.removed)
            if old.picture == new.picture, boxes.added.isEmpty, boxes.removed.isEmpty { return nil }
        }
        let (drawer, wish) = (self.drawer, plan)
        let picture: DrawnDifference?
        do {
            picture = try await withFile(old?.picture) { before in
                try await withFile(new?.picture) { after in try await drawer.draw(from: before, to: after, wish) }
            }
        } catch StorageError.missing {
            // One lost picture is no reason to go without the others.
            return nil
        }
        guard let picture else { return nil }
        let writer = try await platform.storage.makeWriter()
        do {
            try await writer.write(ByteBuffer(bytes: picture.webp))
        } catch {
            await writer.abandon()
            throw error
        }
        return RenderedDifference(
            pair: pair, width: picture.width, height: picture.height, object: try await writer.finish())
    }

    private func withFile<R: Sendable>(
        _ hash: ContentHash?, _ body: @escaping @Sendable (URL?) async throws -> R
    ) async throws -> R {
        guard let hash else { return try await body(nil) }
        return try await platform.storage.withLocalFile(hash) { try await body($0) }
    }
}
