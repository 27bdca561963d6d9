// SPDX-License-Identifier: Apache-2.0

/// What keeps a reader from working that is not the file's fault.
package enum SheetReaderError: Error, Equatable, CustomStringConvertible {
    /// The program could not be started.
    case cannotStart(executable: String, reason: String)
    /// The reader could not put up its sandbox.
    case noSandbox
    /// The reader did not understand the request: reader and server are not of the same build.
    case incompatibleReader
    /// Readers were gone before they saw the file.
    case vanished
    /// The file could not be opened or hashed.
    case cannotReadFile(reason: String)

    /// A sentence for the log.
    package var description: String {
        switch self {
        case .cannotStart(let executable, let reason): "cannot start \(executable): \(reason)"
        case .noSandbox: "the reader could not put up its sandbox"
        case .incompatibleReader: "the reader did not understand the request: it is of another version"
        case .vanished: "one reader after the other was gone before it saw the file"
        case .cannotReadFile(let reason): "cannot read the uploaded file: \(reason)"
        }
    }
}
