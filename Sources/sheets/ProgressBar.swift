// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketClient
import Synchronization

/// One line on standard error that shows how far something is: redrawn on a terminal, a few plain lines elsewhere.
final class ProgressBar: Sendable {
    enum Style { case automatic, lines, silent }

    private struct State {
        var lastDrawn: ContinuousClock.Instant?
        var lastQuarter = 0
        var lastText = ""
        var began: ContinuousClock.Instant?
        var beganAt = 0
        var beganFraction = 0.0
        var open = false
    }

    private let title: String
    private let live: Bool
    private let isSilent: Bool
    private let state = Mutex(State())

    init(title: String, style: Style) {
        self.title = Terminal.printable(title)
        isSilent = style == .silent
        live = style == .automatic && Terminal.isWatched
    }

    /// Bytes of a transfer.
    func show(_ progress: TransferProgress) {
        show(
            progress.fraction, "\(Readable.bytes(progress.bytes)) of \(Readable.bytes(progress.total))",
            bytes: progress.bytes)
    }

    /// Bytes of several transfers whose sizes are not all known yet: a part from 0 to 1, and what that is.
    func show(_ fraction: Double, _ amounts: @autoclosure () -> String, bytes: Int) {
        state.withLock { state in
            let now = ContinuousClock.now
            begin(&state, bytes, fraction, now)
            // Most pieces of a download are not worth a line.
            guard isDue(state, fraction, now) else { return }
            let amounts = amounts()
            draw(&state, fraction, amounts + speed(state, bytes, now, left: fraction), plain: amounts)
        }
    }

    private func isDue(_ state: State, _ fraction: Double, _ now: ContinuousClock.Instant) -> Bool {
        guard !isSilent else { return false }
        guard let last = state.lastDrawn else { return true }
        return live ? fraction >= 1 || now - last >= .milliseconds(40) : Int(fraction * 4) > state.lastQuarter
    }

    private func begin(_ state: inout State, _ bytes: Int, _ fraction: Double, _ now: ContinuousClock.Instant) {
        guard state.began == nil else { return }
        state.began = now
        state.beganAt = bytes
        state.beganFraction = fraction
    }

    /// A part from 0 to 1, and what is being done.
    func show(_ fraction: Double, _ step: String) {
        let step = Terminal.printable(step)
        state.withLock { draw(&$0, min(max(fraction, 0), 1), step, plain: step) }
    }

    /// Steps done of all; throws if it is to stop.
    func steps(_ done: Int, _ all: Int) throws {
        do { try Interruption.check() } catch {
            end()
            throw error
        }
        show(Double(done) / Double(max(1, all)), "\(done) of \(all)")
    }

    /// Leaves the line.
    func end() {
        state.withLock { state in
            if state.open { Terminal.draw("\n") }
            state.open = false
        }
    }

    /// Says something above the line.
    func say(_ text: String, _ print: (String) -> Void = Terminal.note) {
        state.withLock { state in
            if state.open { Terminal.draw("\r\u{1B}[K") }
            state.open = false
            state.lastDrawn = live ? nil : state.lastDrawn
            print(text)
        }
    }

    /// Speed, and how much longer it takes at that, once there is something to go by.
    private func speed(
        _ state: State, _ bytes: Int, _ now: ContinuousClock.Instant, left fraction: Double
    ) -> String {
        guard let began = state.began, now - began > .seconds(1) else { return "" }
        let seconds = (now - began) / .seconds(1)
        let speed = ", \(Readable.bytes(Int(Double(bytes - state.beganAt) / seconds)))/s"
        let done = fraction - state.beganFraction
        guard done > 0.01, fraction < 1 else { return speed }
        return speed + ", \(Readable.timeLeft(seconds / done * (1 - fraction))) left"
    }

    private func draw(_ state: inout State, _ fraction: Double, _ text: String, plain: String) {
        guard isDue(state, fraction, .now) else { return }
        guard live else {
            state.lastQuarter = Int(fraction * 4)
            state.lastDrawn = .now
            Terminal.note("\(title): \(Int(fraction * 100))%, \(plain)")
            return
        }
        let now = ContinuousClock.now
        if let last = state.lastDrawn, now - last < .milliseconds(80), fraction < 1, text == state.lastText { return }
        state.lastDrawn = now
        state.lastText = text
        state.open = true
        let (full, empty) = Terminal.isUnicode ? ("━", "╌") : ("=", "-")
        let percent = String(format: "%3d%%", Int(fraction * 100))
        // A narrow window takes from the bar before it takes from the words.
        let room = Terminal.columns - 1 - Table.width("\(title)   \(percent)  \(text)")
        let cells = min(24, max(8, room))
        let done = Int(fraction * Double(cells))
        let bar = String(repeating: full, count: done) + String(repeating: empty, count: cells - done)
        var line = "\(title)  \(bar) \(percent)  \(text)"
        while Table.width(line) >= Terminal.columns { line.removeLast() }
        Terminal.draw("\r\u{1B}[K\(line)")
    }
}
