// SPDX-License-Identifier: Apache-2.0
import Foundation
import IngestWire
import SheetCore

/// Runs bytes through everything that stands between a reader, or an importer, and the rest of the service, as if it
/// had written them. For the fuzzer, and for the test that replays what it found.
package enum AnswerTrial {
    package enum Outcome: Equatable {
        case refused
        case unfinished
        case report(ReaderReport)
    }

    /// The file that the answer pretends to be about: nothing.
    package static let identity = FileIdentity(sha256: ContentHash(hashing: [UInt8]()), bytes: 0)

    /// With everything asked for that can be asked for, and small limits, so that a fuzzer comes near them.
    package static var request: ReaderRequest {
        var request = ReaderRequest(previewWidths: [10, 20], clean: true, wantsProof: true)
        request.limits.pages = 8
        request.limits.outputBytes = 1 << 20
        request.limits.textBytesPerPage = 256
        request.limits.regionsPerPage = 4
        return request
    }

    /// A whole answer in frames, arriving in pieces of so many bytes.
    package static func answer(_ bytes: [UInt8], pieceBytes: Int) -> Outcome {
        var parser = FrameParser(maximumBytes: request.limits.outputBytes)
        var answer = ReaderAnswer(request: request, identity: identity)
        var rest = bytes[...]
        do {
            while !rest.isEmpty {
                let piece = rest.prefix(max(1, pieceBytes))
                rest = rest.dropFirst(piece.count)
                try parser.append(piece)
                while let message = try parser.next() { _ = try answer.take(message.frame, message.payload) }
            }
        } catch {
            return .refused
        }
        guard answer.isComplete, let report = answer.report else { return .unfinished }
        return .report(answer.withUndrawnPages(report).value)
    }

    /// Lines of an importer program, and whether they are a whole answer.
    package static func lines(_ bytes: [UInt8], of kind: ImportRequest.Kind) -> Bool {
        var request = ImportRequest(kind)
        request.limits.findings = 8
        request.limits.regions = 8
        var answer = ImportAnswer(request: request)
        do {
            for line in bytes.split(separator: UInt8(ascii: "\n")) { _ = try answer.take(Array(line)) }
            try answer.checkComplete()
        } catch {
            return false
        }
        return true
    }

    /// A report alone.
    package static func report(_ bytes: [UInt8]) -> Outcome {
        guard let claimed = try? JSONDecoder().decode(ReaderReport.self, from: Data(bytes)),
            let checked = try? ReportCheck(limits: request.limits, identity: identity).check(claimed)
        else { return .refused }
        return .report(checked.value)
    }
}
