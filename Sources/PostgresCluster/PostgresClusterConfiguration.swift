// SPDX-License-Identifier: Apache-2.0
import Foundation

/// Where a private PostgreSQL lives and how it is run.
package struct PostgresClusterConfiguration: Sendable {
    /// The folder that belongs to this cluster alone. It holds `cluster/` (PostgreSQL's data), `sock/`, `lock` and
    /// `postgres.log`, and is made when it is missing.
    package var dataDirectory: URL
    /// The folder with `postgres` and `initdb`; nil looks in `PATH` and in Debian's `/usr/lib/postgresql/*/bin`.
    package var binaries: URL?
    /// Server settings that are added to the built-in ones, or replace them (`["max_connections": "200"]`).
    package var settings: [String: String]
    /// The OS user the server runs as when this process is root; nil means `postgres`, or else `nobody`. An existing
    /// cluster keeps the user that owns its files. Ignored when this process is not root.
    package var osUser: String?
    /// How long a start may take. Recovery after a crash replays the log first, which can be long.
    package var startTimeout: Duration
    /// How long a clean shutdown may take before it is forced; the log is replayed at the next start then.
    package var stopTimeout: Duration

    /// A configuration for the cluster in `dataDirectory`.
    package init(
        dataDirectory: URL,
        binaries: URL? = nil,
        settings: [String: String] = [:],
        osUser: String? = nil,
        startTimeout: Duration = .seconds(600),
        stopTimeout: Duration = .seconds(60)
    ) {
        self.dataDirectory = dataDirectory
        self.binaries = binaries
        self.settings = settings
        self.osUser = osUser
        self.startTimeout = startTimeout
        self.stopTimeout = stopTimeout
    }

    /// What every cluster runs with unless `settings` says otherwise. Nothing here trades durability for speed.
    static let builtInSettings: [String: String] = [
        // Tables are empty on the first day: plans that were made for that should not last the usual minute.
        "autovacuum_naptime": "10s",
        "cluster_name": "sheetmarket",
        "fsync": "on",
        "full_page_writes": "on",
        "jit": "off",
        "lc_messages": "C",
        "listen_addresses": "",
        "log_line_prefix": "%m [%p] ",
        "log_timezone": "UTC",
        "max_connections": "100",
        "shared_buffers": "128MB",
        "synchronous_commit": "on",
        "timezone": "UTC",
        "unix_socket_permissions": "0700",
    ]
}
