// SPDX-License-Identifier: Apache-2.0

/// Why a text is not a value: the end of a sentence that begins with the setting.
package struct SettingValueError: Error {
    package let reason: String

    package init(_ reason: String) { self.reason = reason }
}

/// Settings that will not do; the service does not start with them.
package struct ConfigurationError: Error, CustomStringConvertible, Equatable {
    /// One sentence for each.
    package let problems: [String]

    package init(problems: [String]) { self.problems = problems }

    /// All of them, a line each.
    package var description: String { problems.joined(separator: "\n") }
}
