// SPDX-License-Identifier: Apache-2.0
import CharacterCore
import Foundation
import SheetCore

/// Archives on a disk, of which what is asked for is read.
enum ArchiveFile {
    static func open(_ path: String) throws -> ArchiveSource {
        let unreadable = CommandFailure("\(Terminal.printable(path)) cannot be read.")
        let tooLarge = ArchiveFailure(.archiveTooLarge, "The archive is larger than any that is read here.")
        let most = ZipReader.Limits.allBytes
        let descriptor = Foundation.open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw unreadable }
        let file = OpenFile(descriptor)
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw unreadable }
        guard status.st_mode & S_IFMT == S_IFREG else {
            // What is piped in can be read once.
            let data = try? FileHandle(fileDescriptor: descriptor, closeOnDealloc: false).read(upToCount: most + 1)
            guard let data else { throw unreadable }
            guard data.count <= most else { throw tooLarge }
            return ArchiveSource(data)
        }
        guard status.st_size <= most else { throw tooLarge }
        return ArchiveSource(count: Int(status.st_size)) { file.bytes($0) }
    }

    private final class OpenFile: Sendable {
        private let descriptor: Int32

        init(_ descriptor: Int32) { self.descriptor = descriptor }

        deinit { close(descriptor) }

        /// `nil` if they are not there any more.
        func bytes(_ range: Range<Int>) -> Data? {
            var data = Data(count: range.count)
            let isRead = data.withUnsafeMutableBytes { buffer -> Bool in
                var done = 0
                while done < buffer.count {
                    let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
                    let count = pread(descriptor, rest.baseAddress, rest.count, off_t(range.lowerBound + done))
                    if count < 0 && errno == EINTR { continue }
                    guard count > 0 else { return false }
                    done += count
                }
                return true
            }
            return isRead ? data : nil
        }
    }
}
