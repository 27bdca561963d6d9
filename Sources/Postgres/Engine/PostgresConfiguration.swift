// SPDX-License-Identifier: Apache-2.0

/// How to reach the server, and the limits of one client.
package struct PostgresConfiguration: Sendable {
    /// A libpq connection string or URI. TLS (`sslmode`, `sslrootcert`, …) and everything else libpq knows passes
    /// through; what it sets wins over what the driver would set, `searchPath` excepted.
    package var connectionString: String
    /// The server itself, where `connectionString` leads to a pooler that lends its connections for one transaction each, as
    /// PgBouncer does in transaction mode. Subscriptions and `withConnection` go there; over the pooler no statement is
    /// prepared, and sessions begin with the settings of the role.
    package var directConnectionString: String?
    /// Exclusive connections for `withConnection` and `withTransaction`.
    package var maxConnections: Int = 4
    /// Shared connections over which independent single statements are pipelined.
    package var pipelineConnections: Int = 2
    /// How long a task may wait for a connection, and a single statement for being sent.
    package var checkoutTimeout: Duration = .seconds(5)
    /// How long making one connection may take.
    package var connectTimeout: Duration = .seconds(5)
    /// The server's `statement_timeout`; nil leaves the server's own setting.
    package var statementTimeout: Duration? = .seconds(30)
    /// The server's `idle_in_transaction_session_timeout`: a program that is stopped within a transaction lets go of its locks
    /// after so long, and can commit nothing of it. `nil` leaves the server's own setting.
    package var idleTransactionTimeout: Duration? = .seconds(10)
    /// What `pg_stat_activity` shows.
    package var applicationName: String = "sheetmarket"
    /// The schemas to look in, as `SET search_path` takes them; set at connection through libpq's `options`.
    package var searchPath: String?
    /// Prepared statements kept per connection; the least recently used goes first.
    package var statementCacheSize: Int = 256
    /// After how long without use a connection is probed.
    package var idleCheckInterval: Duration = .seconds(30)

    /// Streaming replicas of the server, each as `connectionString` is, that `ReplicaReads` may lead to.
    package var replicas: [String] = []
    /// How old what a replica shows may be.
    package var replicaBound: Duration = .seconds(10)
    /// The server is one of those: that it takes no writes is no news.
    var isReplica = false
    /// Sessions are the pooler's: nothing can be left in them.
    var isPooled: Bool { directConnectionString != nil }
    /// The server's settings by which it ends what takes too long, in milliseconds.
    var timeouts: [String: String] {
        ["statement_timeout": statementTimeout, "idle_in_transaction_session_timeout": idleTransactionTimeout]
            .compactMapValues { $0.map { String(max(1, $0.nanosecondsClamped / 1_000_000)) } }
    }

    /// The limits are set afterwards, where the defaults do not fit.
    package init(connectionString: String) {
        self.connectionString = connectionString
    }
}

/// What the client's connections are doing, for `/metrics`.
package struct PostgresPoolStatistics: Sendable, Equatable {
    /// Exclusive connections leased to a task.
    package var inUse = 0
    /// Exclusive connections open and free.
    package var idle = 0
    /// Tasks waiting for an exclusive connection.
    package var waiting = 0
    /// Connections of any sort being made.
    package var connecting = 0
    /// Shared connections open.
    package var pipelineConnections = 0
    /// Single statements sent and not yet answered.
    package var pipelineInFlight = 0
    /// Single statements not yet sent.
    package var pipelineQueued = 0
    /// Connections lost since the client was made.
    package var connectionsLost = 0

    package init() {}
}
