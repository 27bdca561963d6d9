// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketHTTP

/// The owner and expiry of a credential.
package struct CredentialRecord: Sendable {
    package var identity: Identity
    package var expiresAt: Date
    var isRevoked: Bool
    package var isDisabled: Bool
    package var lastUsedAt: Date?
    /// Whether the account has one that counts, or can have none.
    package var hasSecondFactor = false
}
