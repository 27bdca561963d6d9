// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Foundation
import IngestWire
import Synchronization

/// One file at one reader, as seen by whoever asked for it: what the reader says, and a way to break it off.
final class InspectionSession: Sendable {
    /// What happens, in order; any but `frame` is the last.
    enum Event: Sendable {
        /// A whole frame. Nothing more is read before `proceed()`.
        case frame(ReaderFrame, [UInt8])
        /// The answer is whole, and the reader waits for the next file.
        case answered
        /// The reader ended, or had to be ended, before its answer was whole.
        case ended(ReaderEnd)
        /// The reader was gone before it saw the file.
        case unseen
        /// There is no reader to be had.
        case failed(SheetReaderError)
    }

    let limits: ReaderLimits
    /// The request as JSON.
    let message: [UInt8]
    /// Stays open until the last event.
    let input: Int32
    private let state = Mutex(State())
    private let handedOver = DispatchSemaphore(value: 0)

    private struct State {
        var events: [Event] = []
        var waiter: CheckedContinuation<Event, Never>?
        var isCancelled = false
        var isSeen = false
    }

    init(_ request: ReaderRequest, input: Int32) throws {
        message = Array(try JSONEncoder().encode(request))
        limits = request.limits
        self.input = input
    }

    /// The next event, for one caller. Waits for it also when the task is cancelled: the last event says that the
    /// reader is dead and reaped, and until then the file must stay open.
    func next() async -> Event {
        await withCheckedContinuation { continuation in
            let event: Event? = state.withLock { state in
                if !state.events.isEmpty { return state.events.removeFirst() }
                state.waiter = continuation
                return nil
            }
            if let event { continuation.resume(returning: event) }
        }
    }

    /// Lets the reader's thread read on after a frame was dealt with.
    func proceed() {
        handedOver.signal()
    }

    /// The reader is to be killed, by `ReaderProcess.cancel`.
    func markCancelled() {
        state.withLock { $0.isCancelled = true }
    }

    // MARK: - For the reader's thread

    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Whether the file was handed to a reader.
    var isSeen: Bool { state.withLock { $0.isSeen } }

    func markSeen() {
        state.withLock { $0.isSeen = true }
    }

    /// Hands a frame over and waits until it was dealt with.
    func hand(over frame: ReaderFrame, _ payload: [UInt8]) {
        post(.frame(frame, payload))
        handedOver.wait()
    }

    func finish(_ last: Event) {
        post(last)
    }

    private func post(_ event: Event) {
        let waiter = state.withLock { state in
            if state.waiter == nil { state.events.append(event) }
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume(returning: event)
    }
}
