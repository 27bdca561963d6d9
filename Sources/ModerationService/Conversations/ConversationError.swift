// SPDX-License-Identifier: Apache-2.0

/// Why an uploader cannot write to the moderators.
package enum ConversationError: Error, Equatable, Sendable {
    /// The submission has no case yet.
    case notInReview
}
