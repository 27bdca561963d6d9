// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketHTTP
import MarketPlatform
import MarketWire
import SheetCore

/// The queue as it is listed, and what the moderators' page tells of it beside the cases themselves.
package struct QueueOverview: Sendable {
    private static let listName = "moderation.queue"

    package let moderation: ModerationDependencies

    package init(moderation: ModerationDependencies) {
        self.moderation = moderation
    }

    /// A part of the queue, the most urgent first. Throws `bad_cursor`.
    package func cases(_ filter: QueueFilter, _ pageRequest: PageRequest) async throws -> CaseList {
        let last: (at: Date, id: CaseID)? = try pageRequest.timePosition(in: Self.listName)
        let found = try await CaseQueueStore.cases(
            filter, after: last.map { .init(place: $0.at, id: $0.id) }, limit: pageRequest.fetchLimit,
            terms: moderation.caseDueTimes, in: moderation.database)
        let page = pageRequest.page(found, of: Self.listName) {
            [Cursor.key($0.position.place), $0.position.id.description]
        }
        return CaseList(cases: page.rows.map(\.summary), nextCursor: page.next)
    }

    /// The cases of these ids, in their order, without those that there are not.
    package func summaries(_ ids: [CaseID]) async throws -> [CaseSummary] {
        try await CaseQueueStore.summaries(ids, terms: moderation.caseDueTimes, in: moderation.database)
    }

    package func counts(_ filter: QueueFilter, for viewer: Identity) async throws -> QueueCounts {
        try await CaseQueueStore.counts(
            filter, for: viewer.userID, terms: moderation.caseDueTimes, in: moderation.database)
    }

    /// Those of the cases in which an uploader's message waits for an answer.
    package func unanswered(_ cases: [CaseSummary]) async throws -> Set<CaseID> {
        try await ConversationStore.unanswered(cases.map(\.id), in: moderation.database)
    }
}
