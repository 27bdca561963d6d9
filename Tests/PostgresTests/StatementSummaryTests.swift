// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Postgres

@Suite("What traces say of a statement")
struct StatementSummaryTests {
    @Test(
        "is the first table that it names",
        arguments: [
            ("SELECT id FROM jobs WHERE state = 'queued'", "jobs"), ("INSERT INTO jobs (id) VALUES ($1)", "jobs"),
            ("update public.jobs SET state = $1", "public.jobs"), ("DELETE FROM \"jobs\"", "jobs"),
            ("SELECT extract(epoch FROM now()) FROM jobs", "jobs"), ("SELECT * FROM jobs(1), cases", nil),
            ("WITH next AS (SELECT id FROM jobs FOR UPDATE SKIP LOCKED) UPDATE jobs SET a = 1", "jobs"),
            ("SELECT substring(name FROM 3) FROM\n  users", "users"), ("COMMIT", nil), ("", nil), ("SELECT 1", nil),
            ("SELECT x FROM", nil), ("SELECT a FROM (SELECT b FROM cases) AS some", "cases"),
            ("UPDATE ONLY jobs SET a = 1", "jobs"),
        ])
    func table(sql: String, table: String?) {
        #expect(StatementSummary.table(of: sql) == table)
    }
}
