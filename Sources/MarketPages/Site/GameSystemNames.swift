// SPDX-License-Identifier: Apache-2.0
import MarketWire

extension Collection<GameSystem> {
    /// What games are called, by their slugs.
    package var namesBySlug: [String: String] {
        Dictionary(map { ($0.slug, $0.name) }, uniquingKeysWith: { first, _ in first })
    }
}
