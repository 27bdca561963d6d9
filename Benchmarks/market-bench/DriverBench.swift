// SPDX-License-Identifier: Apache-2.0
import Foundation
import Logging
import Postgres

/// What one measurement gave.
struct BenchFigures: Sendable {
    var queriesPerSecond: Double
    var p50: Duration
    var p99: Duration
}

/// The table that single-row reads are measured on.
enum DriverBenchTable {
    static let rows = 10_000

    static func prepare(_ client: PostgresClient) async throws {
        let exists = try await client.scalar("SELECT to_regclass('bench_items') IS NOT NULL", as: Bool.self)
        guard !exists else { return }
        try await client.withTransaction { connection in
            try await connection.executeScript(
                """
                CREATE TABLE bench_items (
                    id bigint PRIMARY KEY, title text, slug text, price int, currency text, status text,
                    author text, rating float8, downloads int, created timestamptz);
                INSERT INTO bench_items
                SELECT n, 'Character sheet number ' || n, 'sheet-' || n, n % 5000, 'EUR', 'published',
                    'author ' || n % 100, n % 50 / 10.0, n * 7, now()
                FROM generate_series(1, \(rows)) AS n;
                """
            )
        }
        try await client.withConnection { try await $0.executeScript("VACUUM ANALYZE bench_items") }
    }
}

private struct BenchItem {
    var id: Int
    var title: String
    var slug: String
    var price: Int
    var currency: String
    var status: String
    var author: String
    var rating: Double
    var downloads: Int
    var created: Date

    init(_ row: PostgresRow) throws {
        id = try row.get("id")
        title = try row.get("title")
        slug = try row.get("slug")
        price = try row.get("price")
        currency = try row.get("currency")
        status = try row.get("status")
        author = try row.get("author")
        rating = try row.get("rating")
        downloads = try row.get("downloads")
        created = try row.get("created")
    }
}

/// Reads single rows of ten columns by primary key from many tasks at once, decoding every column.
func driverBench(connectionString: String, seconds: Double, tasks: Int) async throws -> BenchFigures {
    let client = PostgresClient(
        configuration: PostgresConfiguration(connectionString: connectionString),
        logger: Logger(label: "driver-bench")
    )
    do {
        try await DriverBenchTable.prepare(client)
        _ = try await measure(client, seconds: min(1, seconds / 4), tasks: tasks)
        let figures = try await measure(client, seconds: seconds, tasks: tasks)
        await client.shutdown()
        return figures
    } catch {
        await client.shutdown()
        throw error
    }
}

private func measure(_ client: PostgresClient, seconds: Double, tasks: Int) async throws -> BenchFigures {
    let clock = ContinuousClock()
    let start = clock.now
    let end = start.advanced(by: .seconds(seconds))
    let latencies = try await withThrowingTaskGroup(of: [Duration].self) { group in
        for task in 0..<tasks {
            group.addTask {
                var latencies: [Duration] = []
                latencies.reserveCapacity(100_000)
                var id = task
                var now = clock.now
                while now < end {
                    id = (id * 1_103_515_245 + 12_345) % DriverBenchTable.rows
                    let wanted = id + 1
                    let item = try await client.one(
                        """
                        SELECT id, title, slug, price, currency, status, author, rating, downloads, created
                        FROM bench_items WHERE id = \(wanted)
                        """
                    ) { try BenchItem($0) }
                    guard item.id == wanted else { throw DriverBenchError.wrongRow }
                    let done = clock.now
                    latencies.append(done - now)
                    now = done
                }
                return latencies
            }
        }
        var all: [Duration] = []
        for try await some in group { all += some }
        return all.sorted()
    }
    guard !latencies.isEmpty else { throw DriverBenchError.nothingMeasured }
    return BenchFigures(
        queriesPerSecond: Double(latencies.count) / seconds,
        p50: latencies[latencies.count / 2],
        p99: latencies[min(latencies.count - 1, latencies.count * 99 / 100)]
    )
}

enum DriverBenchError: Error {
    case wrongRow
    case nothingMeasured
}
