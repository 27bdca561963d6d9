// SPDX-License-Identifier: Apache-2.0

/// Why a person cannot be erased.
package enum ErasureError: Error, Equatable, Sendable {
    /// The account is gone, or erased already.
    case noAccount
    /// Nobody would be left to run the market.
    case lastAdministrator
    /// There is no wish to be erased that could be shown or taken back.
    case noWish
}
