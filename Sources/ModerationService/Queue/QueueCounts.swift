// SPDX-License-Identifier: Apache-2.0

/// How many cases wait.
package struct QueueCounts: Sendable {
    package let all: Int
    package let open: Int
    package let claimed: Int
    /// For the uploader's answer.
    package let waiting: Int
    /// With the moderator who looks.
    package let mine: Int
    /// Past the time that was promised.
    package let over: Int
}
