// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import MarketWire
import SheetCore

extension MarketClient {
    private static var notices: String { "\(Paths.base)/copyright/notices" }

    /// Claims that something on offer infringes a copyright.
    public func submitCopyrightNotice(_ notice: CopyrightNoticeRequest) async throws -> CopyrightNotice {
        try await requests.json(try .send(.post, Self.notices, notice))
    }

    /// Notices that the caller may see; those in one state (`received`, `taken_down`, …) alone, if wanted.
    public func copyrightNotices(state: String? = nil, limit: Int? = nil) -> CursorSequence<CopyrightNotice> {
        entries(Self.notices, [("state", state)], limit: limit, as: CopyrightNoticeList.self) {
            ($0.notices, $0.nextCursor)
        }
    }

    /// A notice, for those whom it concerns.
    public func copyrightNotice(_ id: CopyrightNoticeID) async throws -> CopyrightNotice {
        try await requests.json(.get("\(Self.notices)/\(id)"))
    }

    /// Answers a notice by a counter-notice.
    public func counter(_ id: CopyrightNoticeID, _ request: CounterNoticeRequest) async throws -> CopyrightNotice {
        try await requests.json(try .send(.post, "\(Self.notices)/\(id)/counter-notice", request))
    }

    /// Decides on a notice; for moderators.
    public func decide(_ id: CopyrightNoticeID, _ decision: CopyrightDecisionRequest) async throws -> CopyrightNotice {
        try await requests.json(try .send(.post, "\(Self.notices)/\(id)/decision", decision))
    }
}
