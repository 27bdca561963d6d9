// SPDX-License-Identifier: Apache-2.0
import CLibPQ

/// The column names of a result, shared by all its rows and by all runs of one prepared statement.
final class RowLayout: Sendable {
    let names: [String]
    private let indices: [String: Int]

    /// Of a command that gives no rows.
    static let empty = RowLayout(names: [])

    private init(names: [String]) {
        self.names = names
        indices = [:]
    }

    init(_ result: OpaquePointer) {
        names = (0..<PQnfields(result)).map { PQfname(result, $0).map { String(cString: $0) } ?? "" }
        // A few short names are found faster by looking than by hashing.
        indices = names.count <= 16 ? [:] : Dictionary(names.enumerated().map { ($1, $0) }) { first, _ in first }
    }

    func index(of name: String) -> Int? {
        if !indices.isEmpty { return indices[name] }
        for index in 0..<names.count where names[index] == name { return index }
        return nil
    }
}

/// Owns a `PGresult`, which nothing changes once it has been received, so that any thread may read it.
final class ResultStorage: @unchecked Sendable {
    let pointer: OpaquePointer
    let layout: RowLayout

    init(_ pointer: OpaquePointer, layout: RowLayout) {
        self.pointer = pointer
        self.layout = layout
    }

    deinit { PQclear(pointer) }
}

/// What a statement gave: rows, and how many were affected.
package struct PostgresResult: Sendable, RandomAccessCollection {
    private let storage: ResultStorage?
    package let count: Int

    /// A row is found by its number, from 0.
    package typealias Index = Int

    init(_ storage: ResultStorage?) {
        self.storage = storage
        count = storage.map { Int(PQntuples($0.pointer)) } ?? 0
    }

    /// Always 0.
    package var startIndex: Int { 0 }
    package var endIndex: Int { count }

    /// The row of that number, which must exist.
    package subscript(position: Int) -> PostgresRow {
        guard let storage, position >= 0, position < count else {
            // As for every Collection: an index outside is a mistake in the calling code, never in data.
            preconditionFailure("row \(position) of a result of \(count) rows")
        }
        return PostgresRow(storage: storage, row: Int32(truncatingIfNeeded: position))
    }

    /// The names of the columns, in order.
    package var columns: [String] { storage?.layout.names ?? [] }

    /// Rows inserted, updated, deleted, copied or selected; 0 for other commands.
    package var rowsAffected: Int {
        storage.flatMap { Int(String(cString: PQcmdTuples($0.pointer))) } ?? 0
    }

    /// The server's command tag, as `INSERT 0 1`.
    package var commandTag: String {
        storage.map { String(cString: PQcmdStatus($0.pointer)) } ?? ""
    }
}

/// One row of a result; it keeps the whole result alive.
package struct PostgresRow: Sendable {
    let storage: ResultStorage
    let row: Int32

    /// The names of the columns, in order.
    package var columns: [String] { storage.layout.names }

    /// Reads a column by its name.
    package func get<T: PostgresDecodable>(
        _ column: String,
        as type: T.Type = T.self,
        file: String = #fileID,
        line: Int = #line
    ) throws -> T {
        guard let index = storage.layout.index(of: column) else {
            throw PostgresError(.decoding(column: column), "the result has no such column")
                .at(PostgresCallSite(file: file, line: line))
        }
        return try decode(index, type, file, line)
    }

    /// Reads a column by its position, for hot paths.
    package func get<T: PostgresDecodable>(
        _ index: Int,
        as type: T.Type = T.self,
        file: String = #fileID,
        line: Int = #line
    ) throws -> T {
        guard index >= 0, index < storage.layout.names.count else {
            throw PostgresError(.decoding(column: "#\(index)"), "the result has no such column")
                .at(PostgresCallSite(file: file, line: line))
        }
        return try decode(index, type, file, line)
    }

    /// A column's text as the server sent it; nil for NULL or a column that does not exist.
    package subscript(column: String) -> String? {
        storage.layout.index(of: column).flatMap { value(Int32(truncatingIfNeeded: $0))?.text }
    }

    /// The first `count` columns as the server sent them, each behind its length: rows with the same bytes say the same.
    package func text(ofFirst count: Int) -> [UInt8] {
        let columns = 0..<Int32(truncatingIfNeeded: min(count, storage.layout.names.count))
        var bytes: [UInt8] = []
        bytes.reserveCapacity(columns.reduce(0) { $0 + 4 + Int(PQgetlength(storage.pointer, row, $1)) })
        for column in columns {
            let found = value(column)
            // No text is 4 GiB long: that length is NULL's.
            let length = found.map { UInt32(truncatingIfNeeded: $0.bytes.count) } ?? .max
            withUnsafeBytes(of: length) { bytes.append(contentsOf: $0) }
            if let found { bytes.append(contentsOf: found.bytes) }
        }
        return bytes
    }

    @inline(__always)
    private func value(_ column: Int32) -> PostgresValue? {
        guard let start = PQgetvalue(storage.pointer, row, column) else { return nil }
        let length = Int(PQgetlength(storage.pointer, row, column))
        if length == 0, PQgetisnull(storage.pointer, row, column) == 1 { return nil }
        let bytes = UnsafeBufferPointer(
            start: UnsafeRawPointer(start).assumingMemoryBound(to: UInt8.self),
            count: length
        )
        return PostgresValue(bytes: bytes, owner: storage, typeOID: PQftype(storage.pointer, column))
    }

    private func decode<T: PostgresDecodable>(
        _ index: Int,
        _ type: T.Type,
        _ file: String,
        _ line: Int
    ) throws -> T {
        let column = Int32(truncatingIfNeeded: index)
        let why: String
        if let value = value(column) {
            do {
                if let decoded = try T.decode(value) { return decoded }
                why = "its value does not fit"
            } catch {
                why = String(describing: error)
            }
        } else {
            if let null = T.postgresNull { return null }
            why = "it is NULL"
        }
        let oid = PQftype(storage.pointer, column)
        throw PostgresError(
            .decoding(column: storage.layout.names[index]),
            "expected \(T.self) in row \(row), but \(why) (server type \(oid))"
        ).at(PostgresCallSite(file: file, line: line))
    }
}
