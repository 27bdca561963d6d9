// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketIngest
import MarketPlatform
import MarketWire
import Moderation
import Postgres
import SheetCore

/// Takes over submissions that were inspected: assesses them, opens their cases or publishes them.
package struct SubmissionRouting: SubmissionReview {
    private let moderation: RiskDependencies

    package init(_ moderation: RiskDependencies) {
        self.moderation = moderation
    }

    package func facts(of subject: InspectionSubject, _ outcome: InspectionOutcome) async throws -> RiskFacts? {
        guard moderation.risk.rules != nil else { return nil }
        return try await RiskFactCollector(moderation: moderation, subject: subject, outcome: outcome).facts()
    }

    package func route(
        _ subject: InspectionSubject, _ facts: RiskFacts?, in connection: PostgresConnection
    ) async throws -> SubmissionRoute {
        switch try await RiskService(moderation: moderation).route(subject, facts, in: connection) {
        case .moderator, .edited: .moderator
        case .approved, .audited: .published
        }
    }

    package func withdraw(_ submission: SubmissionID, at now: Date, in connection: PostgresConnection) async throws {
        try await CaseLifecycle.close(connection, submission: submission, at: now)
    }

    package func queuePlace(
        of submission: SubmissionID, at now: Date, in database: PostgresClient
    ) async throws -> QueuePlace? {
        try await QueuePositions.place(of: submission, at: now, in: database)
    }
}
