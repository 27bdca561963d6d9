// SPDX-License-Identifier: Apache-2.0
import CLibPQ

/// Reads an error or a notice of the server.
struct ServerMessage {
    private let result: OpaquePointer

    init(_ result: OpaquePointer) {
        self.result = result
    }

    func error(_ kind: PostgresError.Kind) -> PostgresError {
        let text = PQresultErrorMessage(result).map { String(cString: $0).trimmingNewlines } ?? ""
        var error = PostgresError(kind, field("M") ?? text, code: field("C").map(SQLSTATE.init(rawValue:)))
        error.detail = field("D")
        error.hint = field("H")
        error.schema = field("s")
        error.table = field("t")
        error.column = field("c")
        error.constraint = field("n")
        error.routine = field("R")
        if let code = error.code, code.endsSession {
            var lost = PostgresError(.connectionLost, error.message, code: code)
            lost.detail = error.detail
            return lost
        }
        return error
    }

    /// A field by its code letter in the protocol.
    private func field(_ code: Unicode.Scalar) -> String? {
        PQresultErrorField(result, Int32(bitPattern: code.value)).map { String(cString: $0) }
    }
}
