// SPDX-License-Identifier: Apache-2.0

/// A statement prepared, or being prepared, on one connection.
final class Statement {
    let sql: String
    let typeOIDs: [UInt32]
    /// The name on the server, as a C string.
    let name: ContiguousArray<CChar>
    var isReady = false
    /// Learned from the first result.
    var layout: RowLayout?
    fileprivate var lastUse: UInt64 = 0

    fileprivate init(sql: String, typeOIDs: [UInt32], number: Int) {
        self.sql = sql
        self.typeOIDs = typeOIDs
        name = ContiguousArray("s\(number)".utf8CString)
    }

    func matches(_ binds: PostgresBinds) -> Bool {
        guard typeOIDs.count == binds.entries.count else { return false }
        for index in 0..<typeOIDs.count where typeOIDs[index] != binds.entries[index].typeOID { return false }
        return true
    }
}

/// One connection's prepared statements, bounded; the least recently used goes first.
struct StatementCache {
    private var statements: [String: Statement] = [:]
    private var clock: UInt64 = 0
    private var lastNumber = 0
    let capacity: Int

    init(capacity: Int) {
        self.capacity = capacity
    }

    var count: Int { statements.count }
    /// Statements are not prepared at all.
    var isOff: Bool { capacity == 0 }
    var isFull: Bool { statements.count >= capacity }

    mutating func find(_ sql: String) -> Statement? {
        guard let statement = statements[sql] else { return nil }
        clock += 1
        statement.lastUse = clock
        return statement
    }

    mutating func insert(_ query: PostgresQuery) -> Statement {
        lastNumber += 1
        clock += 1
        let statement = Statement(
            sql: query.sql,
            typeOIDs: query.binds.entries.map(\.typeOID),
            number: lastNumber
        )
        statement.lastUse = clock
        statements[query.sql] = statement
        return statement
    }

    /// Takes out the least recently used statement, for DEALLOCATE. Looking through all of them is cheap beside the
    /// round trip that follows.
    mutating func evict() -> Statement? {
        guard let oldest = statements.values.filter(\.isReady).min(by: { $0.lastUse < $1.lastUse }) else { return nil }
        statements[oldest.sql] = nil
        return oldest
    }

    mutating func forget(_ statement: Statement) {
        if statements[statement.sql] === statement { statements[statement.sql] = nil }
    }

    mutating func removeAll() {
        statements.removeAll()
    }
}
