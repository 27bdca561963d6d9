// SPDX-License-Identifier: Apache-2.0

/// One thing for a connection to do, and the task that waits for it.
///
/// `@unchecked Sendable`: made by the caller, then owned by the engine's thread: only that thread touches what changes.
final class Operation: @unchecked Sendable {
    enum Work {
        /// One statement by the extended protocol, in pipeline mode.
        case statement(PostgresQuery)
        /// Several statements by the simple protocol.
        case script(String)
        /// `COPY … FROM STDIN`, up to the point where the server wants data.
        case copyStart(String)
        case copyData([UInt8])
        /// The end of the data; with a reason, its abandonment.
        case copyEnd(reason: String?)
    }

    enum State { case new, queued, sent, done }

    /// What is sent before an operation's own statement.
    enum Part {
        case prepare(Statement)
        /// The statement ahead, which may be a prepared one.
        case ahead(Statement?)
    }

    let work: Work
    let site: PostgresCallSite?
    let lease: Lease?
    /// The driver's own statements on connections are not vetted and do not count as use.
    let isInternal: Bool

    /// A statement that is sent right before this one, with no Sync between: when it fails, the server passes over this one,
    /// and its failure is this one's.
    var ahead: PostgresQuery?
    /// Whose results come before those of the operation's own statement, the next first.
    var parts: [Part] = []
    var continuation: UnsafeContinuation<PostgresResult, any Error>?
    /// What the engine does at the end of its own operations.
    var completion: ((Operation) -> Void)?
    var state = State.new
    /// The session it waits at or was sent over.
    var sessionID: Int?
    var statement: Statement?
    var layout: RowLayout?
    var result = PostgresResult(nil)
    var failure: PostgresError?
    var cancelRequested = false
    /// A cancel request meant for another statement may have hit this one.
    var isExposedToCancel = false
    var wasResent = false
    var startedInTransaction = false
    /// When waiting to be sent, or for a cancelled statement's answer, ends.
    var deadline: UInt64 = .max

    init(_ work: Work, site: PostgresCallSite? = nil, lease: Lease? = nil, isInternal: Bool = false) {
        self.work = work
        self.site = site
        self.lease = lease
        self.isInternal = isInternal
    }

    var sql: String? {
        switch work {
        case .statement(let query): query.sql
        case .script(let sql), .copyStart(let sql): sql
        case .copyData, .copyEnd: nil
        }
    }

    var isStatement: Bool {
        if case .statement = work { true } else { false }
    }

    /// Nobody waits any more.
    var isDetached: Bool { continuation == nil && completion == nil }

    func finish() {
        state = .done
        if let failure {
            continuation?.resume(throwing: failure.at(site, sql: sql))
        } else {
            continuation?.resume(returning: result)
        }
        continuation = nil
        completion?(self)
        completion = nil
    }

    func fail(_ error: PostgresError) {
        failure = error
        finish()
    }

    /// Answers a cancelled task at once, while the statement may run on.
    func detach() {
        continuation?.resume(throwing: PostgresError(.cancelled, "the task was cancelled").at(site, sql: sql))
        continuation = nil
    }
}

/// A task's hold on an exclusive connection.
///
/// `@unchecked Sendable`: `sessionID` is touched by the engine's thread alone. `sawRetryable` is written there before
/// the statement is answered, and by the task only while none of its statements is under way.
final class Lease: @unchecked Sendable {
    /// The leased session, until it is given back or lost.
    var sessionID: Int?
    /// A statement met a serialization failure or a deadlock: whatever the body says, its transaction is void.
    var sawRetryable = false
}

/// A task's wish for an exclusive connection.
///
/// `@unchecked Sendable`: the task puts the continuation in place before it posts the request; from then on only the
/// engine's thread touches it.
final class LeaseRequest: @unchecked Sendable {
    var continuation: UnsafeContinuation<Lease, any Error>?
    var deadline: UInt64 = .max
    var isCancelled = false
    /// The engine has it. Until then the continuation is still being put in place by the task.
    var hasArrived = false

    func fail(_ error: PostgresError) {
        continuation?.resume(throwing: error)
        continuation = nil
    }

    func grant(_ lease: Lease) {
        continuation?.resume(returning: lease)
        continuation = nil
    }
}
