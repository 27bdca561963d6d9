// SPDX-License-Identifier: Apache-2.0
import CSandbox
import FoundationEssentials
import Glibc
import IngestWire
import SheetCore

/// Unbuffered writing to a descriptor.
enum Output {
    /// Writes all bytes; false when the other side is gone.
    @discardableResult
    static func write(_ bytes: some Sequence<UInt8>, to descriptor: Int32) -> Bool {
        let bytes = ContiguousArray(bytes)
        return bytes.withUnsafeBytes { write($0, to: descriptor) }
    }

    /// Writes a string.
    @discardableResult
    static func write(_ text: String, to descriptor: Int32) -> Bool {
        write(text.utf8, to: descriptor)
    }

    private static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = Glibc.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno != EINTR {
                return false
            }
        }
        return true
    }
}

/// Writes the frames of an answer (`ReaderFrame`).
struct FrameWriter {
    let descriptor: Int32
    private let encoder = ReportEncoding.encoder(isPretty: false)

    init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// One frame; a supervisor that is gone ends the process.
    func send(_ frame: ReaderFrame, _ payload: [UInt8] = []) {
        guard let bytes = encoded(frame, payload), Output.write(bytes, to: descriptor) else { exit(1) }
    }

    func send(_ report: ReaderReport) {
        guard let payload = try? encoder.encode(report) else { exit(1) }
        send(ReaderFrame(kind: .report), Array(payload))
    }

    /// What the process answers if the next step takes too long; `nil` is nothing.
    func setLastWords(_ report: ReaderReport?) {
        guard let report, let payload = try? encoder.encode(report),
            let told = encoded(ReaderFrame(kind: .report), Array(payload)), let end = encoded(ReaderFrame(kind: .end))
        else { return sandbox_set_last_words(-1, nil, 0) }
        sandbox_set_last_words(descriptor, told + end, told.count + end.count)
    }

    private func encoded(_ frame: ReaderFrame, _ payload: [UInt8] = []) -> [UInt8]? {
        var frame = frame
        frame.bytes = payload.count
        return (try? encoder.encode(frame)).map { Array($0) + [UInt8(ascii: "\n")] + payload }
    }

    func send(_ report: CleaningReport) {
        guard let payload = try? encoder.encode(report) else { exit(1) }
        send(ReaderFrame(kind: .cleaning), Array(payload))
    }
}

/// One way to write reports as JSON, the same on every run.
enum ReportEncoding {
    static func encoder(isPretty: Bool) -> JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        if isPretty { encoder.outputFormatting.insert(.prettyPrinted) }
        return encoder
    }

    /// Writes a report for nobody. Swift looks up what it needs for a type at its first use; done before a process forks, that
    /// is done for both.
    static func warmUp() {
        let nothing = NormalizedRect(x: 0, y: 0, width: 1, height: 1)
        let page = ReaderReport.Page(
            index: 0, width: 1, height: 1, rotation: 0, textCharacters: 0, formFields: 0,
            regions: [ZoomRegion(id: "", name: "", rect: nothing, pageIndex: 0)])
        guard let hash = ContentHash(bytes: [UInt8](repeating: 0, count: 32)) else { return }
        var report = ReaderReport.refused(sha256: hash, bytes: 0, finding: Finding(.empty, .blocker, message: ""))
        report.pages = [page]
        // Only what it looks up matters.
        _ = try? encoder(isPretty: false).encode(report)
    }
}
