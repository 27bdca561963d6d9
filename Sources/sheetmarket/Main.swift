// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import MarketPlatform
import Postgres
import SheetCore

@main
struct Sheetmarket: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sheetmarket",
        abstract: "Runs a marketplace for character sheets.",
        discussion: """
            On one machine, `up` is all there is to it: it makes its own database. In production, run `migrate` once per \
            release and `serve` and `work` on as many machines as wanted.
            """,
        version: ReleaseVersion.current,
        subcommands: [
            Up.self, Serve.self, Work.self, Migrate.self, Seed.self, Keys.self, Admin.self,
            BackupCommand.self, RestoreCommand.self, VerifyCommand.self, StorageCommand.self, Plugin.self, Mirror.self,
            Settings.self,
        ])

    static func main() async {
        // Whoever reads our output may go away first; a write then fails instead of ending the process.
        signal(SIGPIPE, SIG_IGN)
        raiseOpenFilesLimit()
        do {
            var command = try parseAsRoot()
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
        } catch let error as PostgresError {
            // The operator may see what the server said; the plain description is made for strangers.
            exit(withError: CommandFailure(error.debugDescription))
        } catch let error as StorageError {
            exit(withError: CommandFailure(error.words))
        } catch {
            exit(withError: error)
        }
    }

    /// Every connection is an open file, and the usual limit of 1,024 is for programs that look into sets of files by number.
    private static func raiseOpenFilesLimit() {
        let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limit = rlimit()
        guard getrlimit(files, &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        _ = setrlimit(files, &limit)
    }
}

extension StorageError {
    /// For the operator.
    fileprivate var words: String {
        switch self {
        case .missing(let hash): "The store has no object \(hash)."
        case .full: "The store is full."
        case .unavailable(let text): text
        }
    }
}
