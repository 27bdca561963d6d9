// SPDX-License-Identifier: Apache-2.0
import MarketPlatform
import Postgres
import ServiceLifecycle

/// Asks the database and its replicas how far they are, as long as the server runs, and tells monitoring.
struct ReplicaMonitor: Service {
    let replicas: PostgresReplicas

    func run() async throws {
        await cancelWhenGracefulShutdown { [replicas] in await replicas.follow() }
    }

    func register(with registry: PrometheusRegistry) {
        registry.describe(
            "sheetmarket_database_replica_usable", .gauge, "1 while reads go to the replica; else the primary answers.")
        registry.describe("sheetmarket_database_replica_lag_seconds", .gauge, "How old what a replica shows may be.")
        registry.describe(
            "sheetmarket_database_replica_reads_total", .counter,
            "Statements that a replica may answer, by who did: 'replica', 'primary' since none was far enough, or 'repeated' "
                + "there after a replica had failed.")
        registry.addCollector { [replicas] in samples(of: replicas) }
    }

    private func samples(of replicas: PostgresReplicas) -> [PrometheusRegistry.Sample] {
        let reads = replicas.reads
        let answered = [("replica", reads.replica), ("primary", reads.primary), ("repeated", reads.repeated)]
        return replicas.standings.flatMap { standing in
            let label = [("replica", standing.name)]
            return [
                PrometheusRegistry.Sample("sheetmarket_database_replica_usable", label, standing.isUsable ? 1 : 0)
            ]
                + (standing.ageSeconds.map { [.init("sheetmarket_database_replica_lag_seconds", label, $0)] } ?? [])
        }
            + answered.map { .init("sheetmarket_database_replica_reads_total", [("by", $0)], Double($1)) }
    }
}
