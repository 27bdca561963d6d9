// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import MarketHTTP
import MarketWire

extension CatalogError: APIErrorConvertible {
    package var apiError: APIError {
        switch self {
        case .notFound(let what): return .notFound(what)
        case .nothingOffered:
            return APIError(
                .notFound, .notFound,
                "This template has no version on offer. Its earlier ones can be had by their exact numbers.")
        case .noOutline:
            return APIError(.notFound, .notFound, "This version has pages to look at, and no outline.")
        case .takenDown(let reason, let code):
            var error = APIError(
                .gone, .takenDown, "A moderator took this down." + (reason.map { " The reason: \($0)" } ?? ""))
            error.reasonCode = code
            return error
        case .forbidden(let detail): return APIError(.forbidden, .forbidden, detail)
        case .conflict(let detail): return APIError(.conflict, .conflict, detail)
        case .slugTaken:
            return APIError(
                .conflict, .slugTaken, "This slug is, or was, another template's.",
                errors: [.init(pointer: "/slug", detail: "Choose another.")])
        case .invalid(let errors): return .validation(errors)
        case .invalidMetadata(let errors): return APIError(validationErrors: errors)
        case .oldChangesCursor:
            return APIError(
                .gone, .cursorExpired,
                "Some of what comes next is no longer kept. "
                    + "Begin anew with the newest of 'GET /api/v1/dumps' and its cursor.")
        case .unavailable(let detail): return .unavailable(detail)
        }
    }
}

extension Publishing.Failure: APIErrorConvertible {
    package var apiError: APIError {
        switch self {
        case .notInspected: APIError(.conflict, .conflict, "This submission was not inspected.")
        case .versionExists: APIError(.conflict, .versionExists, "This template has a version of this number already.")
        case .takenDown: APIError(.conflict, .conflict, "This template is taken down; nothing of it can be published.")
        }
    }
}

extension APIError {
    /// `422` with all validation errors. When all have the same code, the answer has it too.
    fileprivate init(validationErrors: [MetadataValidationError]) {
        let codes = Set(validationErrors.map(\.code))
        let code = codes.count == 1 ? codes.first ?? .validationFailed : .validationFailed
        self.init(
            .unprocessableContent, code,
            validationErrors.count == 1
                ? "The upload's metadata: \(validationErrors[0].pointer) \(validationErrors[0].detail)"
                : "Some entries of the upload need correcting.",
            errors: validationErrors.map { .init(pointer: $0.pointer, detail: $0.detail) })
    }
}
