// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// How many bytes several answers may come to that are kept together. A value of the task: every call that makes a list would
/// have to hand it down to the reading of bodies.
final class AnswerBudget: Sendable {
    @TaskLocal static var current: AnswerBudget?

    private let left: Mutex<Int>

    init(_ bytes: Int) {
        left = Mutex(bytes)
    }

    func take(_ bytes: Int) throws {
        let isWithin = left.withLock { left in
            left -= bytes
            return left >= 0
        }
        guard isWithin else { throw MarketClientError.unreadableAnswer("a list is larger than any that can be kept") }
    }
}
