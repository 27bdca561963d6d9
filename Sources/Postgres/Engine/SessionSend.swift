// SPDX-License-Identifier: Apache-2.0
import CLibPQ
import DequeModule

// What goes out. Every function answers false if the connection is no longer of use.
extension Session {
    /// Sends what goes before an operation, which has no other way to the server than this.
    func sendAhead(of operation: Operation) -> Bool {
        guard let ahead = operation.ahead, case .statement(let query) = ahead.work else { return true }
        ahead.session = self
        return sendStatement(query, ahead)
    }

    func sendStatement(_ query: PostgresQuery, _ operation: Operation) -> Bool {
        if operation.ahead?.failure != nil { return refuse(operation, "the statement before it could not be sent") }
        guard case .pipeline = mode else { return refuse(operation, "a COPY is under way on this connection") }
        // libpq tells how things stand only while nothing is under way; what goes behind another is in its transaction.
        if !isShared {
            operation.startedInTransaction = !inFlight.isEmpty || transactionStatus != PQTRANS_IDLE
        }
        let known = query.isPrepared ? statements.find(query.sql) : nil
        if let known, known.isReady, known.matches(query.binds), query.binds.failure == nil {
            operation.statement = known
            return sendPrepared(query, known, operation)
        }
        if !operation.isInternal, let objection = StatementRules.objection(to: query, shared: isShared) {
            operation.fail(objection)
            return true
        }
        // A statement that is just being prepared may yet fail; a second one must not depend on it. In a transaction
        // nothing is evicted, as a DEALLOCATE that fails would end the transaction.
        let mayPrepare = query.isPrepared && known == nil && !(statements.isFull && operation.startedInTransaction)
        guard mayPrepare else { return sendUnnamed(query, operation) }
        let evicted = statements.isFull ? statements.evict() : nil
        let statement = statements.insert(query)
        operation.statement = statement
        operation.awaitsPrepare = true
        let prepared = engine.scratch.with(query.binds) { count in
            statement.name.withUnsafeBufferPointer {
                PQsendPrepare(connection, $0.baseAddress, query.sql, count, engine.scratch.types)
            }
        }
        guard prepared == 1, sendPrepared(query, statement, operation) else { return false }
        return evicted.map(deallocate) ?? true
    }

    private func refuse(_ operation: Operation, _ reason: String) -> Bool {
        operation.fail(PostgresError(.misuse, reason))
        return true
    }

    private func sendPrepared(_ query: PostgresQuery, _ statement: Statement, _ operation: Operation) -> Bool {
        operation.layout = statement.layout
        let scratch = engine.scratch
        let sent = scratch.with(query.binds) { count in
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
        }
        return sent == 1 && sync(operation)
    }

    private func sendUnnamed(_ query: PostgresQuery, _ operation: Operation) -> Bool {
        let scratch = engine.scratch
        let sent = scratch.with(query.binds) { count in
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
        }
        return sent == 1 && sync(operation)
    }

    private func sync(_ operation: Operation) -> Bool {
        // From here on the server may have it.
        operation.state = .sent
        inFlight.append(operation)
        return PQpipelineSync(connection) == 1
    }

    func deallocate(_ statement: Statement) -> Bool {
        let name = statement.name.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
        return sendUnnamed(
            PostgresQuery(unsafeSQL: "DEALLOCATE \(name)"),
            Operation(.script(name), isInternal: true)
        )
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
