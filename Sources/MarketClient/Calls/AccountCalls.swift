// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import MarketWire
import SheetCore

extension MarketClient {
    /// Makes an account. Programs then ask for a token by `makeToken`.
    public func register(_ request: RegisterRequest) async throws -> Account {
        try await requests.json(try .send(.post, "\(Paths.base)/auth/register", request))
    }

    /// Checks a login and password. The session that comes along is for browsers and is dropped;
    /// programs ask for a token by `makeToken`.
    public func logIn(_ request: LoginRequest) async throws -> Account {
        try await requests.json(try .send(.post, "\(Paths.base)/auth/login", request, repeatable: true))
    }

    /// Ends the session that this client uses, if it is one of a browser. A token is ended by `revokeToken`.
    public func logOut() async throws {
        try await requests.discard(try .send(.post, "\(Paths.base)/auth/logout", repeatable: true))
    }

    /// Who is signed in.
    public func me() async throws -> Account {
        try await requests.json(.get("\(Paths.base)/me"))
    }

    /// Makes a token: for who is signed in, or for the login and password in the request.
    public func makeToken(_ request: TokenRequest) async throws -> NewToken {
        // With a login of its own the request must not be answered for whoever an older token belongs to.
        let sender = request.login == nil ? self : signedIn(with: nil)
        return try await sender.requests.json(try .send(.post, "\(Paths.base)/auth/tokens", request))
    }

    /// The account's tokens, without their secrets.
    public func tokens(limit: Int? = nil) async throws -> [TokenInfo] {
        let list: CursorSequence<TokenInfo> = entries(
            "\(Paths.base)/auth/tokens", limit: limit, as: TokenList.self
        ) { ($0.tokens, $0.nextCursor) }
        return try await list.all(by: { $0.id })
    }

    /// Makes a token worthless.
    public func revokeToken(_ id: TokenID) async throws {
        try await requests.discard(try .send(.delete, "\(Paths.base)/auth/tokens/\(id)", repeatable: true))
    }

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
