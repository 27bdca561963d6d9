// SPDX-License-Identifier: Apache-2.0
import MarketPlatform

/// A line of a table of two columns.
struct Fact: Sendable {
    let label: Phrase
    let value: Phrase
}
