// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Hummingbird
import MarketHTTP
import MarketWire
import Postgres
import SheetCore

/// What a token for named templates may do. It is asked where the caller is told, before any route: away from its own
/// templates such a token carries no scope at all, so that no route can forget to ask.
struct TemplateTokenPolicy: Sendable {
    /// What a request is about, as its address says.
    enum Subject: Equatable {
        /// A template by its slug or id.
        case template(String)
        case submission(SubmissionID)
        /// The account, as far as any token of its may see it.
        case account
        /// Nothing that such a token could be for.
        case other

        /// Whatever is not known here is `other`.
        init(method: HTTPRequest.Method, path: String) {
            var parts = path.split(separator: "/").map(String.init)[...]
            guard parts.starts(with: ["api", "v1"]) else {
                self = .other
                return
            }
            parts = parts.dropFirst(2)
            switch (parts.first, parts.count) {
            case ("templates", 2...): self = .template(parts[parts.startIndex + 1].removingPercentEncoding ?? "")
            case ("submissions", 2...):
                self = SubmissionID(parts[parts.startIndex + 1]).map { .submission($0) } ?? .other
            case ("me", 1) where method == .get || method == .head: self = .account
            // Its service lets such a token revoke itself alone.
            case ("auth", 3) where method == .delete && parts[parts.startIndex + 1] == "tokens": self = .account
            default: self = .other
            }
        }
    }

    private let identity: Identity
    private let database: PostgresClient

    init(_ identity: Identity, in database: PostgresClient) {
        self.identity = identity
        self.database = database
    }

    /// The caller with the scopes that the token has for this request.
    func restricted(for request: Request) async throws -> Identity {
        guard case .token(let token) = identity.credential else { return identity }
        let isFor =
            switch Subject(method: request.method, path: request.uri.path) {
            case .template(let key): try await CredentialStore.isToken(token, forTemplate: key, in: database)
            case .submission(let id): try await CredentialStore.isToken(token, forSubmission: id, in: database)
            case .account: true
            case .other: false
            }
        return isFor ? identity : identity.withoutScopes
    }
}

extension Identity {
    /// The same caller, who may do what anybody may.
    fileprivate var withoutScopes: Identity {
        Identity(
            userID: userID, handle: handle, role: role, credential: credential, scopes: [], isLimited: isLimited)
    }
}
