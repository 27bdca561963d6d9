// SPDX-License-Identifier: Apache-2.0
import Foundation
import IngestWire
import SheetCore
import SystemPackage
import TemplateIngest
import Testing

/// The stand-in `faulty-reader` sits in the real sandbox and does what the file says.
@Suite("What becomes of a reader that a file has taken over, in its sandbox")
struct TakenOverTests {
    private let bench: Workbench
    private let reader: SheetReader

    init() throws {
        bench = try Workbench()
        reader = try bench.reader("faulty-reader")
    }

    /// Reads a file that says `words`, within the limits for `fault`.
    private func read(_ words: String, fault: String = "") async throws -> ReaderReport {
        var request = ReaderRequest(limits: .calm, previewWidths: [])
        // Only who is to run out of time gets little of it.
        request.limits.cpuSeconds = fault == "compute" ? 1 : 120
        request.limits.wallSeconds = fault == "hang" ? 10 : 300
        request.limits.memoryBytes = 256 << 20
        request.limits.outputBytes = 1 << 20
        return try await reader.read(try bench.file("file", Data(words.utf8)), request: request).value
    }

    @Test(
        "it ends as the right finding, and the next file is read as if nothing had been",
        arguments: [
            ("crash", FindingCode.malformed), ("abort", .malformed), ("hang", .timeLimit), ("compute", .timeLimit),
            ("ponder", .tooComplex), ("flood", .tooComplex), ("eat", .memoryLimit), ("fork", .malformed),
            ("exec", .malformed), ("socket", .malformed), ("read", .malformed), ("write", .malformed),
            ("signal", .malformed),
        ]
    )
    func fault(word: String, code: FindingCode) async throws {
        #expect(try await read("sheet before", fault: word).verdict == .accepted)
        let report = try await read("\(word) now", fault: word)
        #expect(report.verdict == .refused)
        #expect(report.blockers == [code])
        #expect(report.sha256 == ContentHash(hashing: Data("\(word) now".utf8)))
        // Nothing is left of it.
        #expect(reader.statistics.ready == 0)
        #expect(try await bench.hasChildren(0))
        #expect(try await read("sheet after", fault: word).verdict == .accepted)
        // One that read others before is not believed: the file was shown to a fresh one too.
        let isFinal = code == .timeLimit || code == .tooComplex
        #expect(reader.statistics.started == (isFinal ? 2 : 3))
    }

    @Test("one that dies or speaks after its answer does not harm the next file", arguments: ["later", "chatter"])
    func afterwards(word: String) async throws {
        for _ in 0..<3 {
            _ = try await read("\(word) one")
            #expect(try await read("sheet two").verdict == .accepted)
        }
    }

    @Test("bad and good files at once")
    func mixed() async throws {
        let words = ["sheet", "crash", "sheet", "socket", "sheet", "eat", "sheet", "abort", "sheet", "flood"]
        let good = try await withThrowingTaskGroup(of: (String, ReaderReport).self) { group in
            let bench = bench
            let reader = reader
            for (index, word) in words.enumerated() {
                let file = try bench.file("file-\(index)", Data("\(word) \(index)".utf8))
                group.addTask {
                    var request = ReaderRequest(limits: .calm, previewWidths: [])
                    request.limits.outputBytes = 1 << 20
                    return (word, try await reader.read(file, request: request).value)
                }
            }
            return try await group.reduce(into: []) { list, one in
                if (one.0 == "sheet") == (one.1.verdict == .accepted) { list.append(one.0) }
            }
        }
        #expect(good.count == words.count)
        #expect(reader.statistics.busy == 0)
    }
}
