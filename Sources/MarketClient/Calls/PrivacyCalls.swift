// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import MarketWire

extension MarketClient {
    /// Everything that the market keeps about the account: a JSON document to keep or to take elsewhere.
    public func exportAccount() async throws -> Data {
        let response = try await requests.send(.get("\(Paths.base)/me/export"))
        return try await requests.collect(response, upTo: Requests.maximumExportBytes)
    }

    /// Has the account erased after the time to think it over.
    public func eraseAccount(_ request: ErasureRequest) async throws -> ErasureStatus {
        try await requests.json(try .send(.delete, "\(Paths.base)/me", request))
    }

    /// When the account will be erased; throws `refused` with `not_found` when it will not.
    public func erasure() async throws -> ErasureStatus {
        try await requests.json(.get("\(Paths.base)/me/erasure"))
    }

    /// Takes the erasure back.
    public func keepAccount() async throws {
        try await requests.discard(try .send(.delete, "\(Paths.base)/me/erasure", repeatable: true))
    }

    /// One page of the account's sanctions, the newest first.
    public func ownSanctions(cursor: String? = nil, limit: Int? = nil) async throws -> SanctionList {
        try await requests.json(.get("\(Paths.base)/me/sanctions", Self.page(cursor, limit)))
    }

    /// What the account reported, and what became of it.
    public func ownReports(limit: Int? = nil) -> CursorSequence<ReportList.Item> {
        entries("\(Paths.base)/reports/mine", limit: limit, as: ReportList.self) { ($0.reports, $0.nextCursor) }
    }
}
