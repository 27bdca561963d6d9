// SPDX-License-Identifier: Apache-2.0
import MarketWire

/// Why somebody may not read, write or judge a review.
package enum ReviewError: Error, Equatable, Sendable {
    /// The template is not offered, or there is none.
    case noSuchTemplate
    /// The review is not shown to the caller, or there is none.
    case noSuchReview
    /// The caller has not reviewed the template.
    case noOwnReview
    case noSuchReply
    /// An author reviews their own template.
    case reviewOfOwnTemplate
    /// An author votes on a review of their own template.
    case voteOnOwnTemplate
    /// The writer of a review votes on it.
    case voteOnOwnReview
    /// Who is no author of the template replies.
    case replyByNoAuthor
    /// Who is neither an author of the template nor a moderator deletes the reply.
    case replyDeletedByNoAuthor
    /// Values do not hold.
    case invalid([ProblemDocument.Detail])
}
