// SPDX-License-Identifier: Apache-2.0
import Foundation

/// A data folder where `sheetmarket up` was started once and stopped, made once in a run of the tests. Copies of it spare
/// each test that is not about a first start the making and migrating of a cluster. Markets that began as copies have the
/// same keys, and the same administrator's token.
package actor PreparedData {
    /// The one of this process.
    package static let shared = PreparedData()
    /// One more, with the examples on offer.
    package static let withExamples = PreparedData()

    private var making: Task<ScratchFolder, any Error>?

    /// Why there is none.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Copies it to a place where nothing is; elsewhere it does nothing. `startOnce` starts a market on a folder for the
    /// first time, ends it, and returns its exit status.
    func copy(to data: URL, startOnce: @escaping @Sendable (URL) async throws -> Int32) async throws {
        // A folder that is not there has nothing in it, either.
        let present = (try? FileManager.default.contentsOfDirectory(atPath: data.path)) ?? []
        guard present.isEmpty else { return }
        let folder = try await prepared(startOnce).url
        let copy = try await Command.run(
            URL(fileURLWithPath: "/bin/cp"),
            [
                "--archive", "--reflink=auto", "--no-target-directory", folder.appendingPathComponent("data").path,
                data.path,
            ])
        guard copy.status == 0 else { throw Failure(description: copy.errors) }
    }

    private func prepared(
        _ startOnce: @escaping @Sendable (URL) async throws -> Int32
    ) async throws -> ScratchFolder {
        if let making { return try await making.value }
        let task = Task {
            let folder = try ScratchFolder("prepared")
            let data = folder.url.appendingPathComponent("data")
            let status = try await startOnce(data)
            guard status == 0 else { throw Failure(description: "up ended with \(status)") }
            // Each copy's log is its own.
            try FileManager.default.removeItem(at: data.appendingPathComponent("postgres/postgres.log"))
            return folder
        }
        making = task
        return try await task.value
    }
}
