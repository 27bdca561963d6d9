// SPDX-License-Identifier: Apache-2.0

/// What a call counts for where it is limited; every route has one.
package enum RouteCost: String, Sendable, CaseIterable {
    /// Files that are the same for all, and health checks.
    case free
    /// One thing, or a page of a list.
    case read
    /// A search, or a comparison of versions.
    case search
    /// A change.
    case write
    /// A file to be read and looked at.
    case upload
    /// What hashes a password, or tells whether a secret is right.
    case signIn = "sign-in"

    /// Whether the call changes something: such a call is refused while the nodes' common store fails.
    package var isChange: Bool {
        switch self {
        case .free, .read, .search: false
        case .write, .upload, .signIn: true
        }
    }
}
