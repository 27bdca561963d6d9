// SPDX-License-Identifier: Apache-2.0

/// The end of a sentence about what was withdrawn or taken down.
package enum WithdrawalReason {
    /// A colon and the reason as it was given, or nothing of it, and a full stop, so that another sentence can follow.
    package static func ending(_ reason: String?) -> String {
        guard let reason, let last = reason.last else { return "." }
        return ": \(reason)\(".!?…".contains(last) ? "" : ".")"
    }
}
