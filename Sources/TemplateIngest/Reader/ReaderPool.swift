// SPDX-License-Identifier: Apache-2.0
import IngestWire
import Logging
import Synchronization
import SystemPackage

/// Readers that stand ready in their sandboxes. One reads file after file; it is replaced after a number of them, after
/// every file that was not accepted, when it has grown, and when it was idle for long.
///
/// What a reader could learn or break by a file ends with it at the latest after that number: one file each is the
/// setting for those who would rather pay for a process than share one.
final class ReaderPool: Sendable {
    private let configuration: SheetReaderConfiguration
    private let state = Mutex(State())

    private struct State {
        var idle: [ReaderProcess] = []
        var busy = 0
        /// What readers are kept ready for, once that was asked for.
        var standing: ReaderLimits?
        var statistics = ReaderStatistics()
        var hasToldMissing = false
    }

    init(_ configuration: SheetReaderConfiguration) {
        self.configuration = configuration
    }

    deinit {
        for process in state.withLock({ $0.idle }) { process.retire() }
    }

    var statistics: ReaderStatistics {
        state.withLock { state in
            var statistics = state.statistics
            statistics.ready = state.idle.count { $0.isUsable }
            statistics.busy = state.busy
            return statistics
        }
    }

    /// Keeps readers ready from now on.
    func stand(ready limits: ReaderLimits) {
        state.withLock { $0.standing = limits }
        fill()
    }

    /// A reader for a file within these limits: one that stands ready, unless a fresh one is asked for.
    func take(for limits: ReaderLimits, isFresh: Bool) throws(SheetReaderError) -> ReaderProcess {
        let ready = state.withLock { state in
            state.busy += 1
            state.idle.removeAll { !$0.isUsable }
            let index = state.idle.lastIndex { process in
                process.start.terms.limits == limits && (!isFresh || process.filesRead == 0)
            }
            return index.map { state.idle.remove(at: $0) }
        }
        if let ready { return ready }
        do {
            return try start(limits)
        } catch {
            state.withLock { $0.busy -= 1 }
            throw error
        }
    }

    /// Takes a reader back; only one whose file was accepted may read another.
    func giveBack(_ process: ReaderProcess, isGood: Bool) {
        let mayStay = isGood && process.isUsable && process.grownBytes <= configuration.growthBytes
        let surplus: [ReaderProcess] = state.withLock { state in
            state.busy -= 1
            state.statistics.files += 1
            guard mayStay else {
                state.statistics.replaced += 1
                return [process]
            }
            state.idle.append(process)
            return state.idle.count > configuration.readers ? [state.idle.removeFirst()] : []
        }
        for process in surplus { process.retire() }
        if !mayStay { fill() }
    }

    /// Starts as many readers as are to stand ready. One that cannot start tells so when a file needs it.
    private func fill() {
        while true {
            let wanted: ReaderLimits? = state.withLock { state in
                state.idle.removeAll { !$0.isUsable }
                return state.idle.count + state.busy < configuration.readers ? state.standing : nil
            }
            guard let wanted, let process = try? start(wanted) else { return }
            state.withLock { $0.idle.insert(process, at: 0) }
        }
    }

    private func start(_ limits: ReaderLimits) throws(SheetReaderError) -> ReaderProcess {
        state.withLock { $0.statistics.started += 1 }
        return try ReaderProcess(
            .init(
                executable: configuration.executable.string,
                terms: ReaderStartOptions(limits: limits, files: max(1, configuration.filesPerReader)),
                idleSeconds: configuration.idleSeconds,
                onMissing: { [weak self] in self?.tell($0) }
            )
        )
    }

    private func tell(_ missing: [String]) {
        let isFirst = state.withLock { state in
            defer { state.hasToldMissing = true }
            return !state.hasToldMissing
        }
        guard isFirst else { return }
        configuration.logger.warning(
            "the kernel refuses the readers a part of their sandbox; the list of system calls still holds",
            metadata: ["missing": "\(missing.map { $0.prefix(40) }.prefix(4).joined(separator: ", "))"]
        )
    }
}

/// What became of readers so far.
package struct ReaderStatistics: Sendable, Equatable {
    /// Readers that were started.
    package var started = 0
    /// Files that were given to readers, each time they were.
    package var files = 0
    /// Readers that were ended after a file.
    package var replaced = 0
    /// Readers that stand ready now.
    package var ready = 0
    /// Readers that are at a file now.
    package var busy = 0
}
