// SPDX-License-Identifier: Apache-2.0
import Logging
import ServiceLifecycle

/// Something that is done now and then beside the requests and jobs. Each feature names its own; any number of nodes
/// may do it, so it must do no harm when two do it at once.
package struct PeriodicTask: Sendable {
    /// Completes the sentence "cannot …" in the log.
    package let name: String
    /// The pause between two runs, give or take a fifth: nodes that start together drift apart.
    package let interval: Duration
    /// The pause before the first run, likewise.
    package let first: Duration
    /// The longest pause after failures: each one in a row doubles it.
    package let longestPause: Duration
    package let work: @Sendable () async throws -> Void

    /// The first run comes after a tenth of `interval` unless `firstAfter` says otherwise; failures do not change the
    /// pauses unless `atMost` lets them grow.
    package init(
        _ name: String, every interval: Duration, firstAfter first: Duration? = nil, atMost longest: Duration? = nil,
        work: @escaping @Sendable () async throws -> Void
    ) {
        self.name = name
        self.interval = interval
        self.first = first ?? interval / 10
        longestPause = longest ?? interval
        self.work = work
    }
}

/// Runs periodic tasks until the service group shuts down. What fails is logged and tried again the next time.
package struct PeriodicService: Service {
    private static let spread = 0.8...1.2

    private let tasks: [PeriodicTask]
    private let platform: Platform

    package init(_ tasks: [PeriodicTask], platform: Platform) {
        self.tasks = tasks
        self.platform = platform
    }

    package func run() async throws {
        await cancelWhenGracefulShutdown { [self] in
            await withDiscardingTaskGroup { group in
                for task in tasks {
                    group.addTask { await keepRunning(task) }
                }
            }
        }
    }

    private func keepRunning(_ task: PeriodicTask) async {
        var pause = task.interval
        await repeating(firstAfter: task.first * .random(in: Self.spread)) {
            let isDone = await platform.attempt(task.name, task.work)
            pause = isDone ? task.interval : max(task.interval, min(pause * 2, task.longestPause))
            return pause * .random(in: Self.spread)
        }
    }

    /// Runs each task once, in order.
    package func runOnce() async {
        for task in tasks { await platform.attempt(task.name, task.work) }
    }
}

/// Does `work` again and again until the task is cancelled, with pauses of `interval`. For what belongs to one process,
/// such as its memory; what any node may do for all is a `PeriodicTask`.
package func repeating(
    every interval: Duration, firstAfter first: Duration = .zero, _ work: () async -> Void
) async {
    await repeating(firstAfter: first) {
        await work()
        return interval
    }
}

/// `work` answers the pause before the next time.
private func repeating(firstAfter first: Duration, _ work: () async -> Duration) async {
    var pause = first
    // Sleeping fails only when the task is cancelled.
    while (try? await Task.sleep(for: pause)) != nil { pause = await work() }
}
