// SPDX-License-Identifier: Apache-2.0

/// Why metadata cannot be published.
package enum TrustPublishingError: Error, Sendable, Equatable, CustomStringConvertible {
    /// No key is set that opens or seals online keys.
    case cannotSeal
    /// The role's private key is not here, or cannot be opened.
    case noKey(role: String)
    /// There is no working set of keys yet.
    case notInitialized
    /// There is one already.
    case alreadyInitialized
    /// What was handed in will not do.
    case refused(String)

    package var description: String {
        switch self {
        case .cannotSeal: "SHEETMARKET_SECRET_KEYS is not set: the keys that sign online are sealed by it."
        case .noKey(let role):
            "The private key of '\(role)' is not here, or SHEETMARKET_SECRET_KEYS does not open it: "
                + "`sheetmarket keys rotate \(role)` makes another."
        case .notInitialized: "This market has no signing keys yet: `sheetmarket keys init` makes them."
        case .alreadyInitialized: "This market has signing keys already; `sheetmarket keys status` shows them."
        case .refused(let reason): reason
        }
    }
}
