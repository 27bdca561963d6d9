// SPDX-License-Identifier: Apache-2.0
import Foundation

/// Why a private PostgreSQL could not be made, started or stopped, in words for the operator.
package struct PostgresClusterError: Error, CustomStringConvertible, Equatable {
    /// The kinds of failure a caller may want to tell apart.
    package struct Code: Sendable, Equatable {
        private enum Value { case binariesMissing, folderUnusable, alreadyRunning, versionMismatch, osUser, server }
        private let value: Value
        /// `postgres` or `initdb` was not found or does not run.
        package static let binariesMissing = Code(value: .binariesMissing)
        /// The folder cannot be made, read or written, or its disk is full.
        package static let folderUnusable = Code(value: .folderUnusable)
        /// Another process already runs the server of this folder.
        package static let alreadyRunning = Code(value: .alreadyRunning)
        /// The folder was made by another major version of PostgreSQL.
        package static let versionMismatch = Code(value: .versionMismatch)
        /// The OS user to run as does not exist or may not use the folder.
        package static let osUser = Code(value: .osUser)
        /// PostgreSQL itself refused; the message quotes it.
        package static let server = Code(value: .server)
    }

    /// What kind of failure this is.
    package let code: Code
    /// What happened and what to do about it.
    package let message: String
    package var description: String { message }

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    static func system(_ action: String, _ path: String, errno code: Int32) -> PostgresClusterError {
        let reason = String(cString: strerror(code))
        let hint =
            switch code {
            case ENOSPC, EDQUOT: " Free some space and start again."
            case EACCES, EPERM, EROFS: " Choose a folder that this user may write to, or change its owner."
            default: ""
            }
        return PostgresClusterError(.folderUnusable, "Cannot \(action) \(path): \(reason).\(hint)")
    }

    /// Turns what PostgreSQL wrote into one message: the line that names the failure, and what to do where that is known.
    static func server(_ action: String, output: String, log: String) -> PostgresClusterError {
        let lines = output.split(separator: "\n").map(String.init)
        let markers = ["FATAL:", "PANIC:", "ERROR:", "initdb: error:", "setpriv:"]
        let blamed = lines.last { line in markers.contains { line.contains($0) } } ?? lines.last
        let reason = blamed ?? "it wrote nothing"
        if output.contains("No space left on device") {
            return PostgresClusterError(
                .folderUnusable,
                "PostgreSQL could not \(action): the disk is full (\(reason)). Free some space and start again.")
        }
        return PostgresClusterError(.server, "PostgreSQL could not \(action): \(reason). Its log: \(log)")
    }
}
