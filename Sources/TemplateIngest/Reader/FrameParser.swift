// SPDX-License-Identifier: Apache-2.0
import Foundation
import IngestWire

/// Cuts a reader's output into frames as it arrives. Holds at most one frame.
struct FrameParser {
    /// One frame and its bytes.
    typealias Message = (frame: ReaderFrame, payload: [UInt8])

    /// Why the output cannot be parsed.
    enum Failure: Error {
        case garbled
        case flooded
    }

    private let maximumBytes: Int
    private var taken = 0
    private var buffer: [UInt8] = []
    private var start = 0
    private var head: ReaderFrame?

    /// Largest frame: a report of 500 pages with their text, or a picture.
    private static let maximumFrameBytes = 64 << 20

    init(maximumBytes: Int) {
        self.maximumBytes = maximumBytes
    }

    /// Whether every byte so far belonged to a frame that was taken.
    var isEmpty: Bool { head == nil && start == buffer.count }

    mutating func append(_ bytes: some Collection<UInt8>) throws(Failure) {
        taken += bytes.count
        guard taken <= maximumBytes else { throw .flooded }
        if start > 0 {
            buffer.removeFirst(start)
            start = 0
        }
        buffer += bytes
    }

    /// The next whole frame, if there is one.
    mutating func next() throws(Failure) -> Message? {
        if head == nil { head = try nextHead() }
        guard let frame = head, buffer.count - start >= frame.bytes else { return nil }
        let payload = Array(buffer[start..<start + frame.bytes])
        start += frame.bytes
        head = nil
        return (frame, payload)
    }

    private mutating func nextHead() throws(Failure) -> ReaderFrame? {
        let reach = buffer[start..<min(buffer.count, start + ReaderFrame.maximumHeadBytes)]
        guard let end = reach.firstIndex(of: UInt8(ascii: "\n")) else {
            guard reach.count < ReaderFrame.maximumHeadBytes else { throw .garbled }
            return nil
        }
        guard let frame = try? JSONDecoder().decode(ReaderFrame.self, from: Data(buffer[start..<end])),
            frame.bytes >= 0
        else { throw .garbled }
        guard frame.bytes <= min(Self.maximumFrameBytes, maximumBytes) else { throw .flooded }
        start = end + 1
        return frame
    }
}
