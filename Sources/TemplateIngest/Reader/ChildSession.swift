// SPDX-License-Identifier: Apache-2.0
import CSpawn
import Foundation

/// Starts programs that read what strangers sent: in a session of their own, with an empty environment and no other
/// descriptor than those that are named.
enum ChildSession {
    /// The program finds `descriptors[i]` at number i; -1 stands for /dev/null. 0, or an error number.
    static func start(_ command: [String], _ descriptors: [Int32], _ child: inout pid_t) -> Int32 {
        var arguments = command.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var nothing: UnsafeMutablePointer<CChar>?
        return arguments.withUnsafeMutableBufferPointer { arguments in
            // A program that is being put in place is busy for a moment.
            for _ in 0..<50 {
                let failure = cspawn_session(
                    &child, arguments.baseAddress, &nothing, descriptors, Int32(descriptors.count))
                if failure != ETXTBSY { return failure }
                usleep(10_000)
            }
            return ETXTBSY
        }
    }
}
