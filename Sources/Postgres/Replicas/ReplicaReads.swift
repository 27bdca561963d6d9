// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// Lets the single statements of a task read from a replica, all from the same one. Without it, and for transactions and
/// leased connections always, the primary is asked.
///
/// A task that has turned to the primary stays there, so that what it reads never goes back in time.
package final class ReplicaReads: Sendable {
    /// The one of this task.
    @TaskLocal package static var current: ReplicaReads?

    private enum Choice {
        case open
        case replica(Replica)
        case primary
    }

    private let position: LogPosition?
    private let choice = Mutex(Choice.open)

    /// A replica must have got to `position`, where there is one.
    package init(from position: LogPosition? = nil) {
        self.position = position
    }

    /// From here on this task reads from the primary: it may have written something.
    package func stayOnPrimary() { choice.withLock { $0 = .primary } }

    /// Whom to ask; `nil` is the primary. `choose` finds a replica that is far enough, `mayAsk` says whether one still is.
    func replica(
        mayAsk: (Replica, LogPosition?) -> Bool, choose: (LogPosition?) -> Replica?
    ) -> Replica? {
        choice.withLock { choice in
            switch choice {
            case .primary: return nil
            case .replica(let replica) where mayAsk(replica, position): return replica
            case .replica: choice = .primary
            case .open: choice = choose(position).map { .replica($0) } ?? .primary
            }
            if case .replica(let replica) = choice { return replica }
            return nil
        }
    }
}
