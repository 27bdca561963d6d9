// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Hummingbird
import MarketHTTP
import MarketWire
import NIOCore
import NIOFoundationCompat
import Postgres
import SheetCore

extension Request {
    /// The fields of a form (`application/x-www-form-urlencoded`) of at most so many bytes. They are written like a
    /// query, and are read like one.
    package func form(upTo limit: Int = Request.maximumFormBytes) async throws -> QueryParameters {
        let type = headers[.contentType]?.lowercased() ?? ""
        guard type.isEmpty || type.hasPrefix("application/x-www-form-urlencoded") else {
            throw APIError(.unsupportedMediaType, .unsupportedMediaType, "Send the form from its page.")
        }
        return QueryParameters(String(buffer: try await body.collect(upTo: limit)))
    }
}

/// What was wrong with a form that was sent, for the form to be shown again.
struct FormProblem: Sendable {
    /// The answer's status.
    let status: HTTPResponse.Status
    let code: ErrorCode
    /// Further header fields.
    let headers: HTTPFields
    /// What to say above the form.
    let summary: String
    /// What is wrong with each field, by its name.
    let mistakes: [String: String]

    /// Takes what the caller can mend; throws anything else on.
    init(_ error: any Error) throws {
        let (mapped, isFault) = APIError.mapping(error)
        let elsewhere: Set<ErrorCode> = [
            .crossSite, .authenticationRequired, .confirmationRequired, .secondFactorEnrolmentRequired,
        ]
        if isFault || elsewhere.contains(mapped.code) { throw error }
        // Nothing was made: whatever the page that shows the form again writes, the form can be sent again.
        PostgresCommitHook.setAside()
        status = mapped.status
        code = mapped.code
        headers = mapped.headers
        var mistakes: [String: String] = [:]
        for fault in mapped.errors {
            // `/tags/2` belongs to the field `tags`.
            let name = String(fault.pointer.split(separator: "/").first ?? "")
            mistakes[name] = [mistakes[name], fault.detail].compactMap { $0 }.joined(separator: " ")
        }
        self.mistakes = mistakes
        let isAboutFields = mapped.status == .unprocessableContent && !mistakes.isEmpty
        summary =
            isAboutFields
            ? (mistakes.count == 1 ? "One field needs another look." : "\(mistakes.count) fields need another look.")
            : mapped.detail ?? mapped.status.reasonPhrase
    }
}

/// A line of a menu.
struct Choice: Sendable {
    var value: String
    var label: String
    var isSelected = false
}
