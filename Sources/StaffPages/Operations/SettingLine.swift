// SPDX-License-Identifier: Apache-2.0
import MarketPlatform

/// A setting as administrators see it: never a secret's value.
package struct SettingLine: Sendable {
    package let name: String
    /// What it is set to, or its default.
    package let value: String
    /// Where that comes from.
    package let origin: Phrase
    package let explanation: String

    package init(name: String, value: String, origin: String, explanation: String) {
        self.name = name
        self.value = value
        self.origin = Phrase(told: origin)
        // Written for `settings`, which marks names as Markdown does.
        self.explanation = explanation.filter { $0 != "`" }
    }
}
