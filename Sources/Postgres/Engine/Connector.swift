// SPDX-License-Identifier: Apache-2.0
import CLibPQ
import Glibc

/// An open connection on its way from the thread that made it to the engine.
///
/// `@unchecked Sendable`: handed over once; whoever made it does not touch it again.
struct OpenConnection: @unchecked Sendable {
    let pointer: OpaquePointer
}

/// Makes connections. `open` blocks (names are looked up, TLS is negotiated), so it runs on a thread of its own.
struct Connector: Sendable {
    private let parameters: [(key: String, value: String)]
    private let timeout: UInt64
    /// libpq moves on to the next host only in its blocking call, whose timeout counts whole seconds.
    private let hasManyHosts: Bool
    /// Milliseconds that what was sent may go unconfirmed.
    private static let silence = 15_000

    /// Throws if libpq cannot read the connection string.
    init(_ configuration: PostgresConfiguration) throws {
        timeout = configuration.connectTimeout.nanosecondsClamped
        var given = try Self.parse(configuration.connectionString)
        hasManyHosts = (given["host"] ?? given["hostaddr"] ?? "").contains(",")
        // A pooler takes none: its sessions are there before.
        if !configuration.isPooled { given["options"] = Self.options(configuration, given: given["options"]) }
        let seconds = max(2, (timeout + 999_999_999) / 1_000_000_000)
        let defaults = [
            "application_name": configuration.applicationName, "client_encoding": "UTF8",
            "connect_timeout": String(seconds),
            // A peer that vanished without a word is noticed after about half a minute, and after `silence` by whoever
            // waits for an answer: TCP alone would go on sending for a quarter of an hour.
            "keepalives_idle": "15", "keepalives_interval": "5", "keepalives_count": "3",
            "tcp_user_timeout": String(Self.silence),
            // Of many hosts the primary is meant.
            "target_session_attrs": hasManyHosts && !configuration.isReplica ? "read-write" : "any",
        ]
        given.merge(defaults) { theirs, _ in theirs }
        given["client_encoding"] = "UTF8"
        parameters = given.map { ($0.key, $0.value) }
    }

    private static func parse(_ connectionString: String) throws -> [String: String] {
        try ConnectionOptions(connectionString).values
    }

    /// Settings of the session. The text formats that the decoder reads are pinned; so is the time zone, lest a
    /// server's setting change what SQL means. Notices ("text-search query doesn't contain lexemes") are read by nobody.
    /// The server, too, has to notice that we vanished: it would hold our locks for hours.
    private static func options(_ configuration: PostgresConfiguration, given: String?) -> String {
        var settings = [
            "DateStyle": "ISO", "TimeZone": "UTC", "IntervalStyle": "iso_8601", "extra_float_digits": "1",
            "bytea_output": "hex", "standard_conforming_strings": "on", "client_min_messages": "warning",
            "tcp_keepalives_idle": "15", "tcp_keepalives_interval": "5", "tcp_keepalives_count": "3",
            "tcp_user_timeout": String(silence),
        ]
        for (name, limit) in configuration.timeouts { settings[name] = limit }
        var parts = settings.sorted { $0.key < $1.key }.map { "-c \($0.key)=\(escaped($0.value))" }
        if let given { parts.append(given) }
        if let path = configuration.searchPath { parts.append("-c search_path=\(escaped(path))") }
        return parts.joined(separator: " ")
    }

    private static func escaped(_ value: String) -> String {
        String(value.flatMap { $0 == "\\" || $0.isWhitespace ? ["\\", $0] : [$0] })
    }

    /// Makes a connection, in pipeline mode and non-blocking. Blocks.
    func open() -> Result<OpenConnection, PostgresError> {
        var keys: [UnsafePointer<CChar>?] = parameters.map { UnsafePointer(strdup($0.key)) }
        var values: [UnsafePointer<CChar>?] = parameters.map { UnsafePointer(strdup($0.value)) }
        keys.append(nil)
        values.append(nil)
        defer { for text in keys + values { free(UnsafeMutablePointer(mutating: text)) } }
        let made = hasManyHosts ? PQconnectdbParams(keys, values, 0) : PQconnectStartParams(keys, values, 0)
        guard let connection = made else {
            return .failure(PostgresError(.connectionFailed, "out of memory"))
        }
        if !hasManyHosts {
            // Verbose messages carry the SQLSTATE, which libpq gives in no other way at this point.
            PQsetErrorVerbosity(connection, PQERRORS_VERBOSE)
            let deadline = monotonicNow() + timeout
            guard Self.poll(connection, until: deadline) else {
                PQfinish(connection)
                return .failure(PostgresError(.connectionFailed, "the server did not answer within the time limit"))
            }
        }
        guard PQstatus(connection) == CONNECTION_OK else {
            let error = Self.failure(of: connection)
            PQfinish(connection)
            return .failure(error)
        }
        PQsetErrorVerbosity(connection, PQERRORS_DEFAULT)
        // Until the session takes them over; libpq would write notices to standard error.
        PQsetNoticeReceiver(connection, { _, _ in }, nil)
        guard PQsetnonblocking(connection, 1) == 0, PQenterPipelineMode(connection) == 1 else {
            PQfinish(connection)
            return .failure(PostgresError(.connectionFailed, "pipeline mode is not available"))
        }
        return .success(OpenConnection(pointer: connection))
    }

    /// Drives the connection to its end; false if time ran out.
    private static func poll(_ connection: OpaquePointer, until deadline: UInt64) -> Bool {
        var wanted = PGRES_POLLING_WRITING
        while PQstatus(connection) != CONNECTION_BAD {
            if wanted == PGRES_POLLING_OK || wanted == PGRES_POLLING_FAILED { return true }
            let now = monotonicNow()
            guard now < deadline else { return false }
            let events = wanted == PGRES_POLLING_READING ? POLLIN : POLLOUT
            var watched = pollfd(fd: PQsocket(connection), events: Int16(events), revents: 0)
            let ready = Glibc.poll(&watched, 1, Int32(clamping: (deadline - now) / 1_000_000 + 1))
            if ready > 0 { wanted = PQconnectPoll(connection) }
        }
        return true
    }

    private static func failure(of connection: OpaquePointer) -> PostgresError {
        let message = String(cString: PQerrorMessage(connection)).trimmingNewlines
        var error = PostgresError(.connectionFailed, message)
        // "…FATAL:  28P01: password authentication failed…", the first word in the server's language.
        if let range = message.firstRange(of: ":  ") {
            let code = message[range.upperBound...].prefix(5)
            let isCode = code.count == 5 && code.allSatisfy { $0.isASCII && ($0.isNumber || $0.isUppercase) }
            if isCode { error.code = SQLSTATE(rawValue: String(code)) }
        }
        return error
    }
}

extension PostgresError {
    /// Another attempt to connect may succeed without anybody's doing anything: the server is starting, stopping,
    /// full or not there. A refused password or an unknown database is not of that sort.
    var isTransientConnectFailure: Bool {
        guard let code else { return !isPermanent }
        return code == .cannotConnectNow || code == .tooManyConnections || code.endsSession
    }
}

extension String {
    var trimmingNewlines: String {
        var text = self[...]
        while text.last?.isNewline == true { text = text.dropLast() }
        return String(text)
    }
}
