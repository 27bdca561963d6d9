// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketAccounts
import MarketHTTP
import MarketPlatform
import MarketWire
import Moderation
import Postgres
import SheetCore

/// Moderation from the command line: the same actions, in a moderator's name.
package struct ModerationConsole: Sendable {
    private let moderation: ModerationDependencies
    private var caseService: CaseService { CaseService(moderation: moderation) }

    package init(moderation: ModerationDependencies) {
        self.moderation = moderation
    }

    /// The most urgent cases in a state, or all that wait.
    package func cases(state: CaseState?, limit: Int) async throws -> [CaseSummary] {
        try await CaseQueueStore.cases(
            QueueFilter(state: state), after: nil, limit: limit, terms: moderation.caseDueTimes, in: moderation.database
        ).map(\.summary)
    }

    /// A case with all that is needed to decide it; throws `CaseError`.
    package func detail(_ id: CaseID, as handle: String?) async throws -> CaseDetail {
        var reader = Self.nobody
        if let handle { reader = try await moderator(handle) }
        guard let detail = try await CaseDetailReader(moderation: moderation).detail(id, for: reader) else {
            throw CaseError.noSuchCase
        }
        return detail
    }

    /// Claims the most urgent case; `nil` when there is none. Throws `CaseError`.
    package func next(as handle: String) async throws -> CaseSummary? {
        try await caseService.next(by: try await moderator(handle), requestID: Self.requestID)
    }

    /// Claims the case, or keeps it longer; throws `CaseError`.
    package func claim(_ id: CaseID, reason: String?, as handle: String) async throws -> CaseSummary {
        try await caseService.claim(id, reason: reason, by: try await moderator(handle), requestID: Self.requestID)
    }

    /// Gives the case back; throws `CaseError`.
    package func release(_ id: CaseID, as handle: String) async throws -> CaseSummary {
        try await caseService.release(id, by: try await moderator(handle), requestID: Self.requestID)
    }

    /// Claims the case where that is needed, and decides it; throws `CaseError`.
    package func decide(_ id: CaseID, _ request: DecisionRequest, as handle: String) async throws -> CaseSummary {
        let moderator = try await moderator(handle)
        _ = try await caseService.claim(id, by: moderator, requestID: Self.requestID)
        return try await caseService.decide(id, request, by: moderator, requestID: Self.requestID)
    }

    /// Claims the case where that is needed, and confirms what another moderator proposed; throws `CaseError`.
    package func confirm(_ id: CaseID, as handle: String) async throws -> CaseSummary {
        let moderator = try await moderator(handle)
        _ = try await caseService.claim(id, by: moderator, requestID: Self.requestID)
        return try await caseService.confirm(id, by: moderator, requestID: Self.requestID)
    }

    /// Claims the case where that is needed, and declines what another moderator proposed; the case stays with the
    /// moderator. Throws `CaseError`.
    package func decline(_ id: CaseID, reason: String, as handle: String) async throws -> CaseSummary {
        let moderator = try await moderator(handle)
        _ = try await caseService.claim(id, by: moderator, requestID: Self.requestID)
        return try await caseService.decline(id, reason: reason, by: moderator, requestID: Self.requestID)
    }

    private static let requestID = "command"

    /// Only reads, and sees what an administrator sees.
    private static let nobody = Identity(
        userID: .make(), handle: "operator", role: .administrator, credential: .session(.make()), scopes: [])

    private func moderator(_ handle: String) async throws -> Identity {
        guard let user = try await AccountStore.user(handle: handle.lowercased(), in: moderation.database),
            user.disabledAt == nil, user.role >= .moderator
        else { throw CaseError.refused(.noModerator) }
        return Identity(
            userID: user.id, handle: user.handle, role: user.role, credential: .session(.make()),
            scopes: Set(TokenScope.all))
    }
}
