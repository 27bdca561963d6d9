// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation

/// What `bench.py` measures inside a process of ours.
@main
struct MarketBench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "market-bench", abstract: "Measurements for Benchmarks/bench.py; `make bench` runs them all.",
        subcommands: [
            Arrivals.self, Delta.self, Driver.self, Ink.self, InkArchive.self, Readers.self, Sheets.self,
            Similarity.self, Trust.self,
        ])
}

/// Single-row reads through the driver.
struct Driver: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Read single rows from many tasks at once; prints JSON with queries per second and latencies in ms.")

    @Option(help: "A libpq connection string. A table bench_items is made in the database.")
    var connection: String

    @Option(help: "How long to measure, in seconds.")
    var seconds = 3.0

    @Option(help: "How many tasks read at once.")
    var tasks = 64

    func run() async throws {
        let figures = try await driverBench(connectionString: connection, seconds: seconds, tasks: tasks)
        let report = [
            "rate": figures.queriesPerSecond, "p50": Self.milliseconds(figures.p50),
            "p99": Self.milliseconds(figures.p99),
        ]
        print(String(decoding: try JSONEncoder().encode(report), as: UTF8.self))
    }

    private static func milliseconds(_ duration: Duration) -> Double {
        Double(duration.components.seconds) * 1e3 + Double(duration.components.attoseconds) * 1e-15
    }
}
