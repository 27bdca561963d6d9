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
    public func copyrightNotices(state: String? = nil) -> CursorSequence<CopyrightNotice> {
        let filter = state.map { [(name: "state", value: $0)] } ?? []
        return CursorSequence { cursor in
            let call = Call.get(Self.notices, filter + Self.page(cursor, nil))
            let page = try await requests.json(call, as: CopyrightNoticeList.self)
            return (page.notices, page.nextCursor)
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
