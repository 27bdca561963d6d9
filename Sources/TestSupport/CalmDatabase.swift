// SPDX-License-Identifier: Apache-2.0
import Postgres

extension PostgresConfiguration {
    /// A database as most tests want it: on a machine that is too busy to serve them they wait, where the product gives
    /// up after seconds. Tests of those limits set their own.
    package static func calm(connectionString: String) -> PostgresConfiguration {
        var configuration = PostgresConfiguration(connectionString: connectionString)
        configuration.checkoutTimeout = .seconds(300)
        configuration.connectTimeout = .seconds(120)
        configuration.statementTimeout = .seconds(300)
        configuration.idleTransactionTimeout = .seconds(300)
        return configuration
    }
}
