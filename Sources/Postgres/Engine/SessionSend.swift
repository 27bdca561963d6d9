// SPDX-License-Identifier: Apache-2.0
import CLibPQ
import DequeModule

// What goes out. Every function answers false if the connection is no longer of use.
extension Session {
    func sendStatement(_ query: PostgresQuery, _ operation: Operation) -> Bool {
        guard case .pipeline = mode else { return refuse(operation, "a COPY is under way on this connection") }
        if !isShared, inFlight.isEmpty { operation.startedInTransaction = transactionStatus != PQTRANS_IDLE }
        // What an earlier try was sent in.
        operation.parts.removeAll()
        var evicted: Statement?
        if let ahead = operation.ahead {
            guard push(ahead, operation, evicting: &evicted) else { return operation.state == .done }
            operation.parts.append(.ahead(operation.statement))
            operation.statement = nil
        }
        guard push(query, operation, evicting: &evicted) else { return operation.state == .done }
        guard sync(operation) else { return false }
        return evicted.map(deallocate) ?? true
    }

    /// Sends a statement without the Sync that ends it. `false` when the operation ended instead, or the connection is no
    /// longer of use.
    private func push(_ query: PostgresQuery, _ operation: Operation, evicting evicted: inout Statement?) -> Bool {
        let isPrepared = query.isPrepared && !statements.isOff
        let known = isPrepared ? statements.find(query.sql) : nil
        if let known, known.isReady, known.matches(query.binds), query.binds.failure == nil {
            operation.statement = known
            return pushPrepared(query, known, operation)
        }
        if !operation.isInternal, let objection = StatementRules.objection(to: query, shared: isShared) {
            operation.fail(objection)
            return false
        }
        // A statement that is just being prepared may yet fail; a second one must not depend on it. In a transaction
        // nothing is evicted, as a DEALLOCATE that fails would end the transaction.
        let mayPrepare = isPrepared && known == nil && !(statements.isFull && operation.startedInTransaction)
        guard mayPrepare else { return pushUnnamed(query) }
        if statements.isFull { evicted = statements.evict() }
        let statement = statements.insert(query)
        operation.statement = statement
        operation.parts.append(.prepare(statement))
        let prepared = delegate.scratch.with(query.binds) { count in
            statement.name.withUnsafeBufferPointer {
                PQsendPrepare(connection, $0.baseAddress, query.sql, count, delegate.scratch.types)
            }
        }
        return prepared == 1 && pushPrepared(query, statement, operation)
    }

    private func refuse(_ operation: Operation, _ reason: String) -> Bool {
        operation.fail(PostgresError(.misuse, reason))
        return true
    }

    private func pushPrepared(_ query: PostgresQuery, _ statement: Statement, _ operation: Operation) -> Bool {
        operation.layout = statement.layout
        let scratch = delegate.scratch
        return scratch.with(query.binds) { count in
            statement.name.withUnsafeBufferPointer {
                PQsendQueryPrepared(
                    connection,
                    $0.baseAddress,
                    count,
                    scratch.values,
                    scratch.lengths,
                    scratch.formats,
                    0
                )
            }
        } == 1
    }

    private func pushUnnamed(_ query: PostgresQuery) -> Bool {
        let scratch = delegate.scratch
        return scratch.with(query.binds) { count in
            PQsendQueryParams(
                connection,
                query.sql,
                count,
                scratch.types,
                scratch.values,
                scratch.lengths,
                scratch.formats,
                0
            )
        } == 1
    }

    private func sync(_ operation: Operation) -> Bool {
        // From here on the server may have it.
        operation.state = .sent
        inFlight.append(operation)
        return PQpipelineSync(connection) == 1
    }

    func deallocate(_ statement: Statement) -> Bool {
        let name = statement.name.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
        return pushUnnamed(PostgresQuery(unsafeSQL: "DEALLOCATE \(name)"))
            && sync(Operation(.script(name), isInternal: true))
    }

    func sendSimple(_ sql: String, _ operation: Operation) -> Bool {
        guard case .pipeline = mode else { return refuse(operation, "a COPY is under way on this connection") }
        guard !sql.utf8.contains(0) else { return refuse(operation, "the script has a NUL character in it") }
        guard PQexitPipelineMode(connection) == 1 else { return false }
        mode = .simple
        guard PQsendQuery(connection, sql) == 1 else { return false }
        operation.state = .sent
        inFlight.append(operation)
        return true
    }

    func sendCopyData(_ bytes: [UInt8], _ operation: Operation) -> Bool {
        guard case .copying = mode else { return refuse(operation, "no COPY is under way on this connection") }
        operation.state = .sent
        inFlight.append(operation)
        return bytes.withUnsafeBytes { buffer in
            let start = buffer.bindMemory(to: CChar.self).baseAddress
            return PQputCopyData(connection, start, Int32(clamping: buffer.count)) == 1
        }
    }

    func sendCopyEnd(_ reason: String?, _ operation: Operation) -> Bool {
        guard case .copying = mode else { return refuse(operation, "no COPY is under way on this connection") }
        mode = .simple
        operation.state = .sent
        inFlight.append(operation)
        return PQputCopyEnd(connection, reason) == 1
    }
}
