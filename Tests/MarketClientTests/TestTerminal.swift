// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

#if canImport(Glibc)
    import Glibc
#endif

/// A terminal for a program that asks: the test reads what it shows, and types.
final class TestTerminal {
    private let ours: FileHandle
    /// The program's side.
    let theirs: FileHandle

    init() throws {
        let descriptor = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_NONBLOCK)
        try #require(descriptor >= 0)
        ours = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        // TIOCSPTLCK and TIOCGPTN, which Glibc's module lacks as it lacks `posix_openpt`.
        var (locked, number): (CInt, CUnsignedInt) = (0, 0)
        try #require(ioctl(descriptor, 0x4004_5431, &locked) == 0 && ioctl(descriptor, 0x8004_5430, &number) == 0)
        let other = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY)
        try #require(other >= 0)
        theirs = FileHandle(fileDescriptor: other, closeOnDealloc: true)
    }

    /// Waits until it shows a text, half a minute at most, and tells all that it showed till then.
    @discardableResult
    func wait(for text: String) async throws -> String {
        var shown = ""
        for _ in 0..<1500 {
            var bytes = [UInt8](repeating: 0, count: 4096)
            let count = read(ours.fileDescriptor, &bytes, bytes.count)
            if count > 0 { shown += String(decoding: bytes[..<count], as: UTF8.self) }
            if shown.contains(text) { return shown }
            try await Task.sleep(for: .milliseconds(20))
        }
        Issue.record("'\(text)' was not shown: \(shown)")
        return shown
    }

    func type(_ line: String) throws { try press(line + "\n") }

    /// Types keys, and no Return.
    func press(_ keys: String) throws { try ours.write(contentsOf: Data(keys.utf8)) }
}
