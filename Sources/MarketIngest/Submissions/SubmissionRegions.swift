// SPDX-License-Identifier: Apache-2.0
import MarketAccounts
import MarketCatalog
import MarketHTTP
import MarketPlatform
import MarketWire
import Postgres
import SheetCore

// Zoom regions are corrected while an upload waits for a moderator, or for its uploader, who was asked to mend something.
// Of a published version `OwnerService` corrects them.

extension SubmissionState {
    /// Whether zoom regions can be corrected now.
    package var takesCorrections: Bool { isUnderReview }
}

extension SubmissionService {
    /// Puts corrected zoom regions in the place of all that the pages have: its uploader may, and moderators, whose part
    /// is entered in the audit log.
    @discardableResult package func replaceRegions(
        of id: SubmissionID, with list: RegionList, if condition: Precondition = .none, by identity: Identity,
        requestID: String
    ) async throws -> RegionList {
        try await ingest.database.withTransaction { connection in
            guard let record = try await SubmissionStore.fetch(id, in: connection),
                record.uploaderID == identity.userID || identity.moderates,
                let state = try await SubmissionStore.lock(id, in: connection)
            else { throw SubmissionError.notFound }
            guard state.takesCorrections else { throw SubmissionError.wrongState(state, verb: "corrected") }
            let present = try await SubmissionStore.pages(id, in: connection)
            if condition.isSet {
                let list = RegionList(pages: present.map { .init(index: $0.page.index, regions: $0.regions) })
                try condition.check(EntityTag.state(of: try .json(list)))
            }
            let checked = try RegionRules.checked(list, pageCount: present.count)
            try await ingest.catalog.replaceRegions(id, checked, connection)
            if record.uploaderID != identity.userID {
                try await AuditLog.append(
                    connection, actor: AuditActor(identity), action: "regions.replaced", subject: "submission:\(id)",
                    requestID: requestID, at: ingest.now())
            }
            return checked
        }
    }
}
