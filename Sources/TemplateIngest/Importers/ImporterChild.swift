// SPDX-License-Identifier: Apache-2.0
import CSpawn
import Foundation

/// A running importer program and the ends of its pipes that stay with us: it has its request at descriptor 0, answers
/// at 1, complains at 2, reads the file at 3 and writes the artifact to 4.
struct ImporterChild {
    /// Why it did not start.
    struct StartError: Error {
        let number: Int32
    }

    private(set) var process: pid_t = 0
    let request: Int32
    let answer: Int32
    let complaints: Int32
    let artifact: Int32

    init(_ command: [String], input: Int32) throws(StartError) {
        var pipes: [(reader: Int32, writer: Int32)] = []
        func fail(_ number: Int32) -> StartError {
            for pipe in pipes {
                close(pipe.reader)
                close(pipe.writer)
            }
            return StartError(number: number)
        }
        for _ in 0..<4 {
            var ends: [Int32] = [-1, -1]
            let failure = cspawn_pipe(&ends)
            guard failure == 0 else { throw fail(failure) }
            pipes.append((ends[0], ends[1]))
        }
        let failure = ChildSession.start(
            command, [pipes[0].reader, pipes[1].writer, pipes[2].writer, input, pipes[3].writer], &process)
        guard failure == 0 else { throw fail(failure) }
        for theirs in [pipes[0].reader, pipes[1].writer, pipes[2].writer, pipes[3].writer] { close(theirs) }
        (request, answer, complaints, artifact) = (
            pipes[0].writer, pipes[1].reader, pipes[2].reader, pipes[3].reader
        )
    }

    /// Whether it has ended; its status stays to be taken.
    var hasEnded: Bool { cspawn_has_ended(process) }
}
