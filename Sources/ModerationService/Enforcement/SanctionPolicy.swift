// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketPlatform
import Moderation
import SheetCore

/// Keeps whoever is suspended or banned from what they are kept from: asked on each call that changes something, and on
/// each that needs more than an ordinary account.
package struct SanctionPolicy: Sendable {
    package let platform: Platform

    package init(platform: Platform) {
        self.platform = platform
    }

    /// What keeps somebody from an act now; `nil` when they may go on.
    func obstacle(to act: SanctionScope, for user: UserID) async throws -> Sanction? {
        let now = platform.now()
        let sanctions = try await SanctionStore.inForce(on: user, at: now, in: platform.database)
        return sanctions.obstacle(to: act, at: now)?.sanction
    }
}
