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
    package let work: @Sendable () async throws -> Void

    /// The first run comes after a tenth of `interval` unless `firstAfter` says otherwise.
    package init(
        _ name: String, every interval: Duration, firstAfter first: Duration? = nil,
        work: @escaping @Sendable () async throws -> Void
    ) {
        self.name = name
        self.interval = interval
        self.first = first ?? interval / 10
        self.work = work
    }
}

/// Runs periodic tasks until the service group shuts down. What fails is logged and tried again the next time.
package struct PeriodicService: Service {
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
                    group.addTask {
                        await repeating(every: task.interval, firstAfter: task.first, spread: 0.2) {
                            await platform.attempt(task.name, task.work)
                        }
                    }
                }
            }
        }
    }

    /// Runs each task once, in order.
    package func runOnce() async {
        for task in tasks { await platform.attempt(task.name, task.work) }
    }
}

/// Does `work` again and again until the task is cancelled, with pauses of `interval`, each longer or shorter by up to
/// the part `spread` of it. `firstAfter` is the pause before the first time; with none it begins at once.
package func repeating(
    every interval: Duration, firstAfter first: Duration? = nil, spread: Double = 0, _ work: () async -> Void
) async {
    if first == nil { await work() }
    var pause = first ?? interval
    // Sleeping fails only when the task is cancelled.
    while (try? await Task.sleep(for: pause * Double.random(in: 1 - spread...1 + spread))) != nil {
        await work()
        pause = interval
    }
}
