// SPDX-License-Identifier: Apache-2.0

extension PostgresConnection {
    /// Loads rows by `COPY … FROM STDIN`, far faster than INSERT; all of them or none.
    ///
    /// - Parameters:
    ///   - table: the table's name, looked up in the search path unless `schema` is given.
    ///   - columns: the columns in the order of each row's values.
    ///   - rows: one array of values per row; nil is NULL.
    /// - Returns: the number of rows loaded.
    @discardableResult
    package func copyIn<Rows: AsyncSequence>(
        schema: String? = nil,
        table: String,
        columns: [String],
        rows: Rows,
        isolation: isolated (any Actor)? = #isolation,
        file: String = #fileID,
        line: Int = #line
    ) async throws -> Int where Rows.Element == [(any PostgresEncodable)?] {
        let site = PostgresCallSite(file: file, line: line)
        return try await copy(schema, table, columns, site) { encoder in
            for try await row in rows {
                try encoder.append(row)
                if encoder.isFull { try await send(&encoder, site) }
            }
        }
    }

    /// Loads rows by `COPY … FROM STDIN`, far faster than INSERT; all of them or none.
    @discardableResult
    package func copyIn<Rows: Sequence>(
        schema: String? = nil,
        table: String,
        columns: [String],
        rows: Rows,
        isolation: isolated (any Actor)? = #isolation,
        file: String = #fileID,
        line: Int = #line
    ) async throws -> Int where Rows.Element == [(any PostgresEncodable)?] {
        let site = PostgresCallSite(file: file, line: line)
        return try await copy(schema, table, columns, site) { encoder in
            for row in rows {
                try encoder.append(row)
                if encoder.isFull { try await send(&encoder, site) }
            }
        }
    }

    private func copy(
        _ schema: String?,
        _ table: String,
        _ columns: [String],
        _ site: PostgresCallSite,
        isolation: isolated (any Actor)? = #isolation,
        _ feed: (inout CopyTextEncoder) async throws -> Void
    ) async throws -> Int {
        guard !columns.isEmpty else { throw PostgresError(.misuse, "COPY needs the names of its columns").at(site) }
        let target = (schema.map { [$0] } ?? []) + [table]
        let name = target.map(PostgresQuery.quoted).joined(separator: ".")
        let list = columns.map(PostgresQuery.quoted).joined(separator: ", ")
        _ = try await perform(.copyStart("COPY \(name) (\(list)) FROM STDIN"), at: site)
        var encoder = CopyTextEncoder(columns: columns)
        do {
            try await feed(&encoder)
            try await send(&encoder, site)
        } catch {
            // The server must be told, or it would wait for data for ever.
            _ = try? await perform(.copyEnd(reason: "the caller gave up"), at: site, shielded: true)
            throw (error as? PostgresError)?.at(site) ?? error
        }
        return try await perform(.copyEnd(reason: nil), at: site, shielded: true).rowsAffected
    }

    private func send(_ encoder: inout CopyTextEncoder, _ site: PostgresCallSite) async throws {
        guard !encoder.bytes.isEmpty else { return }
        _ = try await perform(.copyData(encoder.bytes), at: site)
        encoder.bytes.removeAll(keepingCapacity: true)
    }
}

/// Writes rows in COPY's text format.
struct CopyTextEncoder {
    private static let chunk = 128 * 1024

    let columns: [String]
    var bytes: [UInt8] = []

    var isFull: Bool { bytes.count >= Self.chunk }

    init(columns: [String]) {
        self.columns = columns
    }

    mutating func append(_ row: [(any PostgresEncodable)?]) throws {
        guard row.count == columns.count else {
            throw PostgresError(.encoding, "a row of \(row.count) values for \(columns.count) columns")
        }
        for index in 0..<row.count {
            if index > 0 { bytes.append(UInt8(ascii: "\t")) }
            var writer = PostgresParameterWriter()
            if let value = row[index] { value.encode(into: &writer) } else { writer.null() }
            if let failure = writer.failure {
                throw PostgresError(.encoding, "column \"\(columns[index])\": \(failure)")
            }
            append(writer)
        }
        bytes.append(UInt8(ascii: "\n"))
    }

    private mutating func append(_ writer: PostgresParameterWriter) {
        if writer.isNull {
            bytes.append(contentsOf: "\\N".utf8)
        } else if writer.isBinary {
            bytes.append(UInt8(ascii: "\\"))
            HexText.append(writer.bytes, to: &bytes)
        } else {
            for byte in writer.bytes {
                switch byte {
                case UInt8(ascii: "\\"): bytes.append(contentsOf: "\\\\".utf8)
                case UInt8(ascii: "\t"): bytes.append(contentsOf: "\\t".utf8)
                case UInt8(ascii: "\n"): bytes.append(contentsOf: "\\n".utf8)
                case UInt8(ascii: "\r"): bytes.append(contentsOf: "\\r".utf8)
                default: bytes.append(byte)
                }
            }
        }
    }
}
