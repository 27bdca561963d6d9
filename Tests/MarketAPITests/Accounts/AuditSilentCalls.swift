// SPDX-License-Identifier: Apache-2.0

extension AuditWalkTests {
    /// Calls that leave no entry: of everybody's own account and credentials, of what is somebody's own to write or to
    /// have, and questions with a body. None of them is the team's.
    static let silent = Set(
        """
        POST /api/v1/auth/confirm
        POST /api/v1/auth/forgot-password
        POST /api/v1/auth/login
        POST /api/v1/auth/logout
        POST /api/v1/auth/register
        POST /api/v1/auth/reset-password
        POST /api/v1/auth/second-factor
        POST /api/v1/auth/tokens
        POST /api/v1/auth/tokens/revoke
        DELETE /api/v1/auth/tokens/{id}
        POST /api/v1/auth/verify-email
        POST /api/v1/copyright/notices
        DELETE /api/v1/me
        PATCH /api/v1/me
        PUT /api/v1/me/email
        POST /api/v1/me/email/verification
        DELETE /api/v1/me/erasure
        DELETE /api/v1/me/identities/{id}
        PUT /api/v1/me/password
        DELETE /api/v1/me/second-factor
        POST /api/v1/me/second-factor
        POST /api/v1/me/second-factor/activate
        POST /api/v1/me/second-factor/recovery-codes
        DELETE /api/v1/me/sessions
        DELETE /api/v1/me/sessions/{id}
        PUT /api/v1/reviews/{id}/reply
        POST /api/v1/reviews/{id}/votes
        POST /api/v1/submissions/{id}/messages
        PATCH /api/v1/templates/{id}
        DELETE /api/v1/templates/{id}/reviews/mine
        PUT /api/v1/templates/{id}/reviews/mine
        PUT /api/v1/templates/{id}/versions/{v}/channel
        POST /api/v1/updates
        POST /api/v1/webhooks
        DELETE /api/v1/webhooks/{id}
        PATCH /api/v1/webhooks/{id}
        POST /api/v1/webhooks/{id}/deliveries/{delivery}/redeliver
        POST /api/v1/webhooks/{id}/ping
        POST /api/v1/webhooks/{id}/secret
        POST /account/confirm
        POST /account/identities/confirm
        POST /account/identities/{id}/unlink
        POST /account/privacy/erase
        POST /account/privacy/keep
        POST /account/second-factor
        POST /account/second-factor/activate
        POST /account/second-factor/off
        POST /account/second-factor/recovery-codes
        POST /account/security/email
        POST /account/security/email/verification
        POST /account/security/password
        POST /account/security/profile
        POST /account/security/sessions/end-others
        POST /account/security/sessions/{id}/end
        POST /account/tokens
        POST /account/tokens/{id}/revoke
        POST /account/webhooks
        POST /account/webhooks/{id}/delete
        POST /account/webhooks/{id}/deliveries/{delivery}/redeliver
        POST /account/webhooks/{id}/ping
        POST /account/webhooks/{id}/secret
        POST /account/webhooks/{id}/switch
        POST /auth/oidc/{provider}/callback
        POST /auth/sign-up
        POST /forgot-password
        POST /login
        POST /login/second-factor
        POST /logout
        POST /register
        POST /reset-password
        POST /reviews/{id}/reply
        POST /reviews/{id}/vote
        POST /sheets/{id}/copyright
        POST /sheets/{id}/manage
        POST /sheets/{id}/review
        POST /sheets/{id}/review/delete
        POST /sheets/{id}/versions/{v}/channel
        POST /submissions/{id}/messages
        POST /verify-email
        """.split(separator: "\n").map(String.init))
}
