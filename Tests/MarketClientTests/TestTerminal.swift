// SPDX-License-Identifier: Apache-2.0
import Foundation
import Synchronization
import Testing

#if canImport(Glibc)
    import Glibc
#endif

/// A terminal for a program that asks: the test reads what it shows, and types.
final class TestTerminal {
    /// What a terminal says of itself when it is asked.
    struct Answer: Sendable {
        let question: String
        let text: String
        var delay: Duration = .zero
    }

    private let ours: FileHandle
    /// The program's side.
    let theirs: FileHandle
    private let screen = Screen()

    /// With `answer` it answers by itself: a program waits for a terminal's own answers for seconds at most, and a test
    /// may not get to run for as long.
    init(answer: Answer? = nil) throws {
        let descriptor = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_NONBLOCK)
        try #require(descriptor >= 0)
        ours = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        // TIOCSPTLCK and TIOCGPTN, which Glibc's module lacks as it lacks `posix_openpt`.
        var (locked, number): (CInt, CUnsignedInt) = (0, 0)
        try #require(ioctl(descriptor, 0x4004_5431, &locked) == 0 && ioctl(descriptor, 0x8004_5430, &number) == 0)
        let other = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY)
        try #require(other >= 0)
        theirs = FileHandle(fileDescriptor: other, closeOnDealloc: true)
        let (ours, screen) = (ours, screen)
        Thread.detachNewThread { screen.fill(from: ours, answer: answer) }
    }

    deinit { screen.turnOff() }

    /// Waits until it shows a text, two minutes at most, and tells all that it showed since the last one.
    @discardableResult
    func wait(for text: String) async throws -> String {
        for _ in 0..<6000 {
            if let shown = screen.takeText(with: text) { return shown }
            try await Task.sleep(for: .milliseconds(20))
        }
        let shown = screen.takeText(with: "") ?? ""
        Issue.record("'\(text)' was not shown: \(shown)")
        return shown
    }

    func type(_ line: String) throws { try press(line + "\n") }

    /// Types keys, and no Return.
    func press(_ keys: String) throws { try ours.write(contentsOf: Data(keys.utf8)) }
}

/// What a program has shown, and no test has taken yet.
private final class Screen: Sendable {
    private let state = Mutex<(bytes: [UInt8], isOff: Bool)>(([], false))

    func turnOff() { state.withLock { $0.isOff = true } }

    func takeText(with part: String) -> String? {
        state.withLock {
            let text = String(decoding: $0.bytes, as: UTF8.self)
            guard let end = part.isEmpty ? text.endIndex : text.range(of: part)?.upperBound else { return nil }
            // What comes behind it is for whoever waits next.
            $0.bytes = Array(text[end...].utf8)
            return String(text[..<end])
        }
    }

    /// Takes in what is shown until the terminal is turned off.
    func fill(from terminal: FileHandle, answer: TestTerminal.Answer?) {
        var answer = answer
        var unanswered = ""
        while !state.withLock({ $0.isOff }) {
            var ready = pollfd(fd: terminal.fileDescriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&ready, 1, 100) > 0 else { continue }
            var bytes = [UInt8](repeating: 0, count: 4096)
            let count = read(terminal.fileDescriptor, &bytes, bytes.count)
            guard count > 0 else { continue }
            state.withLock { $0.bytes += bytes[..<count] }
            guard let known = answer else { continue }
            unanswered += String(decoding: bytes[..<count], as: UTF8.self)
            guard unanswered.contains(known.question) else { continue }
            answer = nil
            Thread.sleep(forTimeInterval: known.delay / .seconds(1))
            try? terminal.write(contentsOf: Data(known.text.utf8))
        }
    }
}
