// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Hummingbird
import MarketHTTP
import MarketPlatform
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
package struct FormProblem: Sendable {
    /// The answer's status.
    package let status: HTTPResponse.Status
    package let code: ErrorCode
    /// Further header fields.
    package let headers: HTTPFields
    /// What to say above the form.
    package let summary: Phrase
    /// What is wrong with each field, by its name.
    package let mistakes: [String: Phrase]

    /// All that is wrong, in one text.
    package var mistakeText: Phrase {
        mistakes.sorted { $0.value.description < $1.value.description }.map(\.value).joined(separator: " ")
    }

    /// Takes what the caller can mend; throws anything else on.
    package init(_ error: any Error) throws {
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
        var mistakes: [String: Phrase] = [:]
        for fault in mapped.errors {
            // `/tags/2` belongs to the field `tags`.
            let name = String(fault.pointer.split(separator: "/").first ?? "")
            mistakes[name] = ([mistakes[name]].compactMap { $0 } + [Phrase(told: fault.detail)]).joined(separator: " ")
        }
        self.mistakes = mistakes
        let isAboutFields = mapped.status == .unprocessableContent && !mistakes.isEmpty
        summary =
            isAboutFields
            ? (mistakes.count == 1 ? "One field needs another look." : "\(mistakes.count) fields need another look.")
            : Phrase(told: mapped.detail ?? mapped.status.reasonPhrase)
    }
}

/// A line of a menu.
package struct Choice: Sendable {
    package var value: String
    package var label: Phrase
    package var isSelected = false

    package init(value: String, label: Phrase, isSelected: Bool = false) {
        self.value = value
        self.label = label
        self.isSelected = isSelected
    }
}
