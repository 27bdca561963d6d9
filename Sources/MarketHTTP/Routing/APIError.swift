// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Hummingbird
import MarketPlatform
import MarketWire
import NIOCore
import NIOHTTP1
import Postgres
import Tracing

/// A failure as the caller is told of it. `APIError.mapping` makes one of whatever else is thrown.
package struct APIError: Error, Sendable {
    package var status: HTTPResponse.Status
    package var code: ErrorCode
    /// What happened and what to do about it.
    package var detail: String?
    /// What is wrong, one by one.
    package var errors: [ProblemDocument.Detail]
    /// More header fields of the answer, such as `Retry-After`.
    package var headers: HTTPFields
    /// With `second_factor_required`: the ticket for the second step.
    package var ticket: String?
    /// When the reason for it ends, if it ends by itself.
    package var until: Date?
    /// Why a moderator decided so, as a stable word.
    package var reasonCode: String?
    /// For people: the page to go back to.
    package var page: String?

    /// A failure with its status, code and a sentence for people.
    package init(
        _ status: HTTPResponse.Status, _ code: ErrorCode, _ detail: String? = nil,
        errors: [ProblemDocument.Detail] = [], headers: HTTPFields = [:]
    ) {
        self.status = status
        self.code = code
        self.detail = detail
        self.errors = errors
        self.headers = headers
    }

    /// `404`; `what` begins the sentence: "This token".
    package static func notFound(_ what: String) -> APIError {
        APIError(.notFound, .notFound, "\(what) does not exist.")
    }

    /// `422` with everything that is wrong.
    package static func validation(_ errors: [ProblemDocument.Detail]) -> APIError {
        APIError(.unprocessableContent, .validationFailed, "Some entries need correcting.", errors: errors)
    }

    /// `401` for a call without a credential.
    package static var authenticationRequired: APIError {
        APIError(
            .unauthorized, .authenticationRequired, "Sign in, or send 'Authorization: Bearer TOKEN'.",
            headers: [.wwwAuthenticate: challenge])
    }

    /// How to sign in (RFC 6750).
    package static let challenge = "Bearer realm=\"sheetmarket\""

    /// The body of the answer. Its type leads to the page about the code at `site`.
    package func problem(requestID: String, site: SiteAddress? = nil) -> ProblemDocument {
        var problem = ProblemDocument(
            status: status.code, code: code, title: Self.title(of: code, status: status), detail: detail,
            errors: errors.isEmpty ? nil : errors, requestId: requestID, ticket: ticket, until: until,
            reasonCode: reasonCode)
        if let trace = ServiceContext.current?.trace, trace.isSampled { problem.traceId = trace.traceID.description }
        if let site { problem.type = site.text + PagePaths.problem(code.rawValue) }
        return problem
    }

    private static func title(of code: ErrorCode, status: HTTPResponse.Status) -> String {
        let words = code.rawValue.replacing("_", with: " ")
        return code == .internalError ? status.reasonPhrase : DisplayText.sentence(words)
    }
}

/// A feature's error with what the caller should be told of it. Use cases throw the error; the conformance stands
/// beside the feature's routes, in a file of its own.
package protocol APIErrorConvertible: Error {
    /// The failure as the caller is told of it.
    var apiError: APIError { get }
}

extension APIError {
    /// Turns whatever was thrown into an answer; `isFault` says that the operator should hear of it.
    package static func mapping(_ error: any Error) -> (error: APIError, isFault: Bool) {
        switch error {
        case let error as APIError: (error, false)
        case let error as any APIErrorConvertible: (error.apiError, false)
        case let error as PostgresError: mapping(database: error)
        case let error as StorageError: mapping(storage: error)
        case let error as HTTPError: (mapping(framework: error), false)
        case is NIOTooManyBytesError:
            (APIError(.contentTooLarge, .tooLarge, "The body is too large for this call."), false)
        // Also a body that ended before its time, or that we stopped waiting for: nothing that the operator could mend.
        case is HTTPParserError:
            (APIError(.badRequest, .badRequest, "The body ended early, or is not what HTTP makes of one."), false)
        case is CancellationError: (unavailable("The request was cancelled."), false)
        default: (APIError(.internalServerError, .internalError, "Something went wrong on our side."), true)
        }
    }

    /// `503` with a moment to wait.
    package static func unavailable(_ detail: String) -> APIError {
        APIError(.serviceUnavailable, .unavailable, detail, headers: [.retryAfter: "1"])
    }

    private static func mapping(database error: PostgresError) -> (error: APIError, isFault: Bool) {
        if error.kind == .encoding {
            return (APIError(.badRequest, .badRequest, "Text with a NUL character cannot be kept."), false)
        }
        if error.isUnavailable || error.isStatementTimeout || error.isRetryable || error.isOutOfResources {
            return (unavailable("The database is busy or restarting; try again in a moment."), true)
        }
        return (APIError(.internalServerError, .internalError, "Something went wrong on our side."), true)
    }

    private static func mapping(storage error: StorageError) -> (error: APIError, isFault: Bool) {
        switch error {
        // A row named it, so it should be there.
        case .missing: (.notFound("This file"), true)
        case .full:
            (
                APIError(
                    .init(code: 507), .unavailable, "There is no room for this now; the operator has been told.",
                    headers: [.retryAfter: "30"]),
                true
            )
        case .unavailable: (unavailable("Files cannot be read or stored now; try again in a moment."), true)
        }
    }

    private static func mapping(framework error: HTTPError) -> APIError {
        switch error.status {
        case .notFound: APIError(.notFound, .notFound, "Nothing is at this address.")
        case .methodNotAllowed:
            APIError(
                .methodNotAllowed, .methodNotAllowed, "This address does not take this method.", headers: error.headers)
        case .contentTooLarge: APIError(.contentTooLarge, .tooLarge, "The body is too large for this call.")
        case .unsupportedMediaType: APIError(.unsupportedMediaType, .unsupportedMediaType, error.body)
        default: APIError(error.status, .badRequest, error.body)
        }
    }
}
