// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketPlatform

/// What the stable words of the risk score mean, for moderators: risk-words.json. An operator's rules may have others:
/// those are shown as they are.
package enum RiskLabels {
    /// What a rule that hit has seen.
    package static func rule(_ code: String) -> Phrase { Phrase(told: book.rules[code] ?? plain(code)) }

    /// Why a submission could not be approved without a moderator.
    package static func obstacle(_ code: String) -> Phrase { Phrase(told: book.obstacles[code] ?? plain(code)) }

    /// `all_rights_reserved`: `All rights reserved`.
    package static func plain(_ code: String) -> String {
        let words = code.replacing("_", with: " ")
        return DisplayText.sentence(words)
    }

    private struct Book: Decodable {
        var rules: [String: String] = [:]
        var obstacles: [String: String] = [:]
    }

    /// Compiled in, so it is readable unless a build is broken; without it codes stand for themselves.
    private static let book =
        (try? JSONDecoder().decode(Book.self, from: Data(PackageResources.risk_words_json))) ?? Book()
}
