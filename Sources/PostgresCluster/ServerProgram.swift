// SPDX-License-Identifier: Apache-2.0
import Foundation

/// Runs PostgreSQL's programs on a cluster as the cluster's OS user.
struct ServerProgram {
    /// How every program names its data: the descriptor it inherits. The path would not do for another OS user when a
    /// parent folder is closed to it, as `/root` is.
    static let data = "/proc/self/fd/3"

    let folder: ClusterFolder
    let cluster: String

    func spawn(
        _ program: String, _ arguments: [String], input: String? = nil, output: OwnedDescriptor
    ) throws -> ChildProcess {
        let data = try OwnedDescriptor(opening: cluster, flags: O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
        guard let input else {
            return try ChildProcess(program, arguments, as: folder.user, output: output, extra: data)
        }
        let (reader, writer) = try ChildProcess.pipe()
        let bytes = Array(input.utf8)  // far below the 64 KiB that a pipe holds
        guard write(writer.raw, bytes, bytes.count) == bytes.count else {
            throw PostgresClusterError.system("write to", program, errno: errno)
        }
        return try ChildProcess(program, arguments, as: folder.user, input: reader, output: output, extra: data)
    }

    /// What the log gained since `mark`, the last 64 KiB at most.
    func logText(from mark: Int) -> String {
        // The log is added to a message that says more; without it the message stands alone.
        guard let file = try? FileHandle(forReadingFrom: URL(filePath: folder.log)) else { return "" }
        defer { try? file.close() }
        let end = (try? file.seekToEnd()) ?? 0
        let start = max(UInt64(max(mark, 0)), end > 65536 ? end - 65536 : 0)
        guard start < end, (try? file.seek(toOffset: start)) != nil else { return "" }
        return String(decoding: (try? file.readToEnd()) ?? Data(), as: UTF8.self)
    }
}
