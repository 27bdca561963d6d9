// SPDX-License-Identifier: Apache-2.0
import Tracing

// Statements as spans of the trace that their task is part of: what kind of statement on which table, issued where, and no
// value of it (OpenTelemetry's semantic conventions for databases).
extension Engine {
    /// Has `work` done as a span. What a task without a trace does, such as looking for work, is none.
    func traced(
        _ operation: Operation, _ work: () async throws -> PostgresResult
    ) async throws -> PostgresResult {
        try await withSpan("SQL", ofKind: .client) { span in
            guard span.isRecording else { return try await work() }
            operation.describe(on: span)
            do {
                let result = try await work()
                if !result.isEmpty { span.attributes["db.response.returned_rows"] = result.count }
                return result
            } catch let error as PostgresError {
                span.updateAttributes { attributes in
                    attributes["db.response.status_code"] = error.code?.rawValue
                    attributes["error.type"] = error.code?.rawValue ?? "\(error.kind)"
                }
                throw error
            }
        }
    }
}

extension Operation {
    /// Of COPY its data is not worth a span each.
    var isTraced: Bool {
        switch work {
        case .statement, .script, .copyStart: true
        case .copyData, .copyEnd: false
        }
    }

    fileprivate func describe(on span: any Span) {
        let text = sql ?? ""
        let command = StatementRules.firstWord(of: text)
        let table = StatementSummary.table(of: text)
        let summary = table.map { "\(command) \($0)" } ?? command
        span.operationName = summary
        span.updateAttributes { attributes in
            attributes["db.system.name"] = "postgresql"
            attributes["db.operation.name"] = command
            attributes["db.collection.name"] = table
            attributes["db.query.summary"] = summary
            attributes["code.file.path"] = site?.file
            attributes["code.line.number"] = site?.line
        }
    }
}

/// What a statement is about, in two words.
enum StatementSummary {
    private static let before: Set<String> = ["FROM", "INTO", "UPDATE"]
    /// What may stand in a table's place and is none.
    private static let others: Set<String> = ["SELECT", "VALUES", "LATERAL", "ONLY"]

    /// The first table that is named. What is written like a call is none.
    static func table(of sql: String) -> String? {
        var rest = sql.utf8.prefix(4096)
        var isNext = false
        while let start = rest.firstIndex(where: \.isOfWord) {
            let end = rest[start...].firstIndex { !$0.isOfWord } ?? rest.endIndex
            let word = String(decoding: rest[start..<end], as: UTF8.self)
            let isCall = end < rest.endIndex && rest[end] == UInt8(ascii: "(")
            let isWord = !isCall && !others.contains(word.uppercased())
            if isNext, isWord, let first = word.utf8.first, !(0x30...0x39).contains(first) { return word }
            isNext = before.contains(word.uppercased()) || word.uppercased() == "ONLY"
            rest = rest[end...]
        }
        return nil
    }
}

extension UInt8 {
    /// Letters, digits, `_`, and the dot between schema and table.
    fileprivate var isOfWord: Bool {
        switch self {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x5F, 0x2E: true
        default: false
        }
    }
}
