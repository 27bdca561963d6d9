// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc

/// Where the tests find what was built beside them, and the project's own files.
package enum BuildProducts {
    /// The folder of the running test bundle.
    package static let directory: URL = {
        let path =
            // Only Linux has it.
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]
        return URL(fileURLWithPath: path).deletingLastPathComponent()
    }()

    /// Executables to try instead of those beside the tests, such as optimized ones (`make test-release`).
    static let tried: URL? = ProcessInfo.processInfo.environment["SHEETMARKET_TEST_PROGRAMS"]
        .map { URL(fileURLWithPath: $0, relativeTo: root).standardizedFileURL }

    /// An executable of this package.
    package static func executable(_ name: String) -> URL {
        let tried = tried?.appendingPathComponent(name)
        if let tried, FileManager.default.isExecutableFile(atPath: tried.path) { return tried }
        return directory.appendingPathComponent(name)
    }

    /// The package's root.
    package static let root: URL = {
        var folder = URL(fileURLWithPath: #filePath)
        while folder.path != "/",
            !FileManager.default.fileExists(atPath: folder.appendingPathComponent("Package.swift").path)
        {
            folder.deleteLastPathComponent()
        }
        return folder
    }()

    /// Measuring material beside the checkout, where there is any (`SHEETMARKET_SHARED`, or `../shared`).
    package static let shared: URL? = {
        let named = ProcessInfo.processInfo.environment["SHEETMARKET_SHARED"].map { URL(fileURLWithPath: $0) }
        let folder = named ?? root.deletingLastPathComponent().appendingPathComponent("shared")
        return FileManager.default.fileExists(atPath: folder.appendingPathComponent("regions").path) ? folder : nil
    }()
}

/// A folder that is gone when its owner is.
package final class ScratchFolder: Sendable {
    package let url: URL

    /// In memory where there is plenty of it: what databases do with thousands of small files takes a disk five times as
    /// long. `scripts/check-logs` chooses by the same rule, because it takes links to logs.
    static let place: String = {
        var memory = statvfs()
        guard statvfs("/dev/shm", &memory) == 0, access("/dev/shm", W_OK) == 0,
            UInt64(memory.f_bavail) * UInt64(memory.f_frsize) >= 4 << 30,
            // ST_NOEXEC, for tests start programs that they put there.
            memory.f_flag & 8 == 0
        else { return "/tmp" }
        return "/dev/shm"
    }()

    /// Makes an empty folder; its path is short, since sockets go into it.
    package init(_ label: String = "t") throws {
        url = URL(fileURLWithPath: "\(Self.place)/sm-\(label)-\(UInt32.random(in: .min ... .max))")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        // What is left lies below /tmp.
        try? FileManager.default.removeItem(at: url)
    }
}
