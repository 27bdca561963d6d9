// SPDX-License-Identifier: Apache-2.0
import Moderation

/// Why an action on a case is refused.
package enum CaseError: Error, Equatable, Sendable {
    case noSuchCase
    /// There is nothing that a case could be about.
    case noSuchSubject
    /// A decision's parts do not fit together.
    case malformed(Decision.Malformed)
    /// A text is empty or too long; the pointer names the field.
    case badText(pointer: String)
    /// A decision on many cases names none, or too many.
    case badCaseCount
    /// The case does not allow it.
    case refused(CaseRefusal)
}
