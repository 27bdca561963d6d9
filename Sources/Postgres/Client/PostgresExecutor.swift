// SPDX-License-Identifier: Apache-2.0

/// What can run a statement: the client, for single independent statements, or one leased connection.
package protocol PostgresExecutor: Sendable {
    /// Runs one statement; `query` and the other calls below come down to this.
    func run(_ query: PostgresQuery, at site: PostgresCallSite) async throws -> PostgresResult
}

extension PostgresExecutor {
    /// Runs one statement and gives its rows.
    package func query(
        _ query: PostgresQuery,
        file: String = #fileID,
        line: Int = #line
    ) async throws -> PostgresResult {
        try await run(query, at: PostgresCallSite(file: file, line: line))
    }

    /// Runs one statement and gives the number of rows it affected.
    @discardableResult
    package func execute(_ query: PostgresQuery, file: String = #fileID, line: Int = #line) async throws -> Int {
        try await run(query, at: PostgresCallSite(file: file, line: line)).rowsAffected
    }

    /// Runs one statement and decodes every row.
    nonisolated(nonsending) package func all<T>(
        _ query: PostgresQuery,
        file: String = #fileID,
        line: Int = #line,
        _ decode: (PostgresRow) throws -> T
    ) async throws -> [T] {
        try await run(query, at: PostgresCallSite(file: file, line: line)).map(decode)
    }

    /// Runs one statement and decodes the first row, if there is one.
    nonisolated(nonsending) package func first<T>(
        _ query: PostgresQuery,
        file: String = #fileID,
        line: Int = #line,
        _ decode: (PostgresRow) throws -> T
    ) async throws -> T? {
        try await run(query, at: PostgresCallSite(file: file, line: line)).first.map(decode)
    }

    /// Runs one statement that must give exactly one row, and decodes it.
    nonisolated(nonsending) package func one<T>(
        _ query: PostgresQuery,
        file: String = #fileID,
        line: Int = #line,
        _ decode: (PostgresRow) throws -> T
    ) async throws -> T {
        let site = PostgresCallSite(file: file, line: line)
        let result = try await run(query, at: site)
        guard let row = result.first else {
            throw PostgresError(.noRow, "the statement gave no row").at(site, sql: query.sql)
        }
        guard result.count == 1 else {
            throw PostgresError(.tooManyRows, "the statement gave \(result.count) rows").at(site, sql: query.sql)
        }
        return try decode(row)
    }

    /// Runs one statement that must give exactly one row, and reads its first column.
    package func scalar<T: PostgresDecodable>(
        _ query: PostgresQuery,
        as type: T.Type = T.self,
        file: String = #fileID,
        line: Int = #line
    ) async throws -> T {
        let site = PostgresCallSite(file: file, line: line)
        let result = try await run(query, at: site)
        guard result.count == 1, let row = result.first else {
            let kind: PostgresError.Kind = result.isEmpty ? .noRow : .tooManyRows
            throw PostgresError(kind, "the statement gave \(result.count) rows").at(site, sql: query.sql)
        }
        return try row.get(0, as: type, file: file, line: line)
    }
}
