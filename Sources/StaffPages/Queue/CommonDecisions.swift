// SPDX-License-Identifier: Apache-2.0
import MarketWire

/// What can be decided on many cases of a kind at once: nothing that publishes, and nothing against a person.
enum CommonDecisions {
    static let byKind: [CaseSummary.Kind: [DecisionKind]] = [
        .submission: [.requestChanges, .reject], .report: [.dismiss],
    ]
}
