// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketWire

/// The one appeal that a decision can have, as others who could have appealed it are told of it.
package struct EarlierAppeal: Sendable, Equatable {
    /// Where it stands.
    package var state: Appeal.State
    /// Whether it is theirs.
    package var isOwn: Bool
    /// Whether it is against a dismissal: reporters must not learn of other reporters.
    var isOfDismissal: Bool

    /// What became of it, in a sentence.
    package var words: String {
        let appealed =
            isOwn
            ? "You have appealed this decision already" : "Somebody whom it concerns has appealed this decision already"
        return switch (state, isOwn || !isOfDismissal) {
        case (.open, true): "\(appealed): it is being looked at again."
        case (.upheld, true): "\(appealed): it was looked at again, and kept."
        case (.overturned, true): "\(appealed): it was looked at again, and undone."
        case (.open, false):
            "This decision is being looked at again already. What becomes of it is told beside your report."
        case (.upheld, false): "This decision was looked at again already, and kept."
        case (.overturned, false): "This decision was looked at again already, and undone."
        }
    }
}
