// SPDX-License-Identifier: Apache-2.0
import Foundation
import SheetCore
import Synchronization
import SystemPackage

/// Bytes that an importer made, in a file of their own that goes away with this object.
package final class ArtifactFile: Sendable {
    package let path: FilePath
    private let state: Mutex<State>

    private struct State {
        var descriptor: FileDescriptor?
        var hasher = ContentHasher()
        var bytes = 0
        var hash: ContentHash?
    }

    /// An empty file that nobody else can read.
    init() throws {
        let folder = FileManager.default.temporaryDirectory.path
        path = FilePath("\(folder)/sheetmarket-artifact-\(UUID().lowercaseText)")
        let descriptor = try FileDescriptor.open(
            path, .writeOnly, options: [.create, .exclusiveCreate, .closeOnExec], permissions: .ownerReadWrite)
        state = Mutex(State(descriptor: descriptor))
    }

    deinit {
        // The file goes away: it does not matter whether all of it was written.
        state.withLock { try? $0.descriptor?.close() }
        unlink(path.string)
    }

    package var sizeBytes: Int { state.withLock { $0.bytes } }
    /// Their hash; `nil` before `finish`.
    package var sha256: ContentHash? { state.withLock { $0.hash } }

    func append(_ bytes: ArraySlice<UInt8>) throws {
        try state.withLock { state in
            guard let descriptor = state.descriptor else { throw Errno.badFileDescriptor }
            try bytes.withUnsafeBytes { buffer in
                _ = try descriptor.writeAll(buffer)
                state.hasher.update(buffer)
            }
            state.bytes += bytes.count
        }
    }

    /// Nothing more will come.
    func finish() throws {
        try state.withLock { state in
            try state.descriptor?.close()
            state.descriptor = nil
            state.hash = state.hasher.finalize()
        }
    }
}

extension ArtifactFile: Equatable {
    /// Whether both hold the same bytes.
    package static func == (left: ArtifactFile, right: ArtifactFile) -> Bool {
        left === right || (left.sha256 != nil && left.sha256 == right.sha256)
    }
}
