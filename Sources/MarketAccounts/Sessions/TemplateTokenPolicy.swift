// SPDX-License-Identifier: Apache-2.0
import MarketHTTP
import Postgres
import SheetCore

/// What a call with a token for named templates is about.
enum TokenSubject: Equatable {
    /// A template by its slug or id.
    case template(String)
    case submission(SubmissionID)
    /// The account, as far as any token of its may see it.
    case account
    /// Nothing that such a token could be for.
    case other
}

/// What a token for named templates may do. It is asked where the caller is told, before any route: away from its own
/// templates such a token carries no scope at all, so that no route can forget to ask.
struct TemplateTokenPolicy: Sendable {
    private let identity: Identity
    private let database: PostgresClient

    init(_ identity: Identity, in database: PostgresClient) {
        self.identity = identity
        self.database = database
    }

    /// The caller with the scopes that the token has for this subject.
    func restricted(for subject: TokenSubject) async throws -> Identity {
        guard case .token(let token) = identity.credential else { return identity }
        let isFor =
            switch subject {
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
