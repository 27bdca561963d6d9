// SPDX-License-Identifier: Apache-2.0
import CLibPQ
import DequeModule

// What comes in.
extension Session {
    /// Called when the socket has something to read.
    func receive() {
        guard !isLost else { return }
        let alive = PQconsumeInput(connection) == 1
        takeResults()
        guard !isLost else { return }
        // With nothing under way this only has libpq look at what came unasked.
        if inFlight.isEmpty, case .pipeline = mode { _ = PQisBusy(connection) }
        if isEnding, inFlight.isEmpty { return delegate.lose(self, nil, unsent: nil) }
        if case .listener(let listener) = role { takeNotifications(for: listener) }
        if !alive || PQstatus(connection) == CONNECTION_BAD { delegate.lose(self, nil, unsent: nil) } else { flush() }
    }

    func takeResults() {
        // After each query libpq gives one nil; more in a row mean that it and this line of operations disagree.
        var nils = 0
        while !isLost, let operation = inFlight.first, PQisBusy(connection) == 0 {
            if case .copying = mode { return }
            if let result = PQgetResult(connection) {
                nils = 0
                if case .pipeline = mode { take(result, for: operation) } else { takeSimple(result, for: operation) }
                if PQstatus(connection) == CONNECTION_BAD, operation.failure != nil {
                    return delegate.lose(self, nil, unsent: nil)
                }
            } else if case .simple = mode {
                guard PQenterPipelineMode(connection) == 1 else { return delegate.lose(self, nil, unsent: nil) }
                mode = .pipeline
                complete(operation)
            } else {
                if !operation.parts.isEmpty { operation.parts.removeFirst() }
                nils += 1
                if nils > 4 { return delegate.lose(self, nil, unsent: nil) }
            }
        }
    }

    private func take(_ result: OpaquePointer, for operation: Operation) {
        switch (PQresultStatus(result), operation.parts.first) {
        case (PGRES_PIPELINE_SYNC, _):
            PQclear(result)
            complete(operation)
        case (PGRES_TUPLES_OK, nil):
            operation.result = PostgresResult(ResultStorage(result, layout: layout(of: result, for: operation)))
        case (PGRES_COMMAND_OK, nil), (PGRES_EMPTY_QUERY, nil):
            operation.result = PostgresResult(ResultStorage(result, layout: .empty))
        case (PGRES_COMMAND_OK, .prepare(let statement)):
            statement.isReady = true
            PQclear(result)
        case (PGRES_COMMAND_OK, .ahead), (PGRES_EMPTY_QUERY, .ahead), (PGRES_TUPLES_OK, .ahead):
            PQclear(result)
        case (let status, let part):
            if status == PGRES_PIPELINE_ABORTED { PQclear(result) } else { fail(operation, with: result) }
            switch part {
            case .prepare(let statement): statements.forget(statement)
            case .ahead(let statement?) where operation.failure?.isStalePlan == true: statements.forget(statement)
            default: break
            }
        }
    }

    private func takeSimple(_ result: OpaquePointer, for operation: Operation) {
        switch PQresultStatus(result) {
        case PGRES_TUPLES_OK, PGRES_COMMAND_OK, PGRES_EMPTY_QUERY:
            operation.result = PostgresResult(ResultStorage(result, layout: RowLayout(result)))
        case PGRES_COPY_IN:
            PQclear(result)
            if case .copyStart = operation.work {
                mode = .copying
                complete(operation)
            } else {
                PQputCopyEnd(connection, "COPY FROM STDIN cannot stand in a script")
                flush()
            }
        case PGRES_COPY_OUT, PGRES_COPY_BOTH:
            PQclear(result)
            operation.failure = PostgresError(.misuse, "COPY TO STDOUT is not supported")
            delegate.lose(self, nil, unsent: nil)
        default:
            fail(operation, with: result)
        }
    }

    private func fail(_ operation: Operation, with result: OpaquePointer) {
        let kind: PostgresError.Kind = PQstatus(connection) == CONNECTION_BAD ? .connectionLost : .server
        // The first error is the cause, the others its echo.
        if operation.failure == nil { operation.failure = ServerMessage(result).error(kind) }
        PQclear(result)
    }

    private func layout(of result: OpaquePointer, for operation: Operation) -> RowLayout {
        if let layout = operation.layout, layout.names.count == Int(PQnfields(result)) { return layout }
        let layout = RowLayout(result)
        operation.statement?.layout = layout
        return layout
    }

    private func takeNotifications(for listener: Listener) {
        while let notification = PQnotifies(connection) {
            listener.yield(
                .notification(
                    channel: String(cString: notification.pointee.relname),
                    payload: String(cString: notification.pointee.extra)
                )
            )
            PQfreemem(notification)
        }
    }
}
