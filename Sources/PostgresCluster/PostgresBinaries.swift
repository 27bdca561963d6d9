// SPDX-License-Identifier: Apache-2.0
import Foundation

/// The server's programs, found and known to run.
struct PostgresBinaries: Sendable {
    let postgres: String
    let initdb: String
    /// The major version, as `PG_VERSION` spells it.
    let majorVersion: String

    /// Looks in `folder`, or else in `PATH` and Debian's folders; a version that fits existing files comes first.
    static func find(in folder: URL?, for dataVersion: String?) async throws -> PostgresBinaries {
        let folders = folder.map { [$0.path] } ?? candidates(preferring: dataVersion)
        guard let bin = folders.first(where: hasPrograms) else { throw missing(folder) }
        let found = PostgresBinaries(
            postgres: bin + "/postgres", initdb: bin + "/initdb",
            majorVersion: try await majorVersion(of: bin + "/postgres"))
        if let dataVersion, dataVersion != found.majorVersion {
            throw PostgresClusterError(
                .versionMismatch,
                "The data folder was made by PostgreSQL \(dataVersion), but \(bin) is PostgreSQL \(found.majorVersion). "
                    + "Install version \(dataVersion) (apt-get install postgresql-\(dataVersion)), or move the data "
                    + "with pg_upgrade or a backup and restore.")
        }
        return found
    }

    private static func hasPrograms(_ folder: String) -> Bool {
        ["postgres", "initdb"].allSatisfy { access(folder + "/" + $0, X_OK) == 0 }
    }

    private static func candidates(preferring version: String?) -> [String] {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        let debian = "/usr/lib/postgresql"
        // Other systems than Debian have no such folder.
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: debian)) ?? []
        let newestFirst = versions.compactMap(Int.init).sorted(by: >).map { "\(debian)/\($0)/bin" }
        let fitting = version.map { ["\(debian)/\($0)/bin"] } ?? []
        return fitting + path.split(separator: ":").map(String.init) + newestFirst
    }

    private static func missing(_ folder: URL?) -> PostgresClusterError {
        let place = folder.map { "in \($0.path)" } ?? "in PATH or /usr/lib/postgresql/*/bin"
        return PostgresClusterError(
            .binariesMissing,
            "PostgreSQL's server programs (postgres, initdb) were not found \(place). "
                + "On Debian: sudo apt-get install postgresql-15")
    }

    /// Runs `postgres -V`, which also proves that the program starts at all.
    private static func majorVersion(of program: String) async throws -> String {
        let (exit, text) = try await ChildProcess.output(of: program, ["-V"])
        // "postgres (PostgreSQL) 15.20 (Debian …)"
        let words = text.split(separator: " ")
        guard exit.isSuccess, words.count > 2, let major = words[2].split(separator: ".").first else {
            throw PostgresClusterError(.binariesMissing, "\(program) -V failed: \(text.isEmpty ? "no output" : text)")
        }
        return String(major.prefix { $0.isNumber })
    }
}
