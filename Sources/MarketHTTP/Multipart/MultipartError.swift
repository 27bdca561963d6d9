// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import MarketWire

/// Why a body is not multipart/form-data as we take it.
package enum MultipartError: Error, Equatable {
    /// The `Content-Type` has no boundary, or one that RFC 2046 does not allow.
    case badBoundary
    /// It breaks the grammar; the text says where.
    case malformed(String)
    /// It ended before its closing delimiter.
    case truncated
    /// A part's header fields are too many or too long.
    case headTooLarge
    /// More parts than are taken.
    case tooManyParts
    /// A part that is not a file is too long; names the part.
    case fieldTooLarge(String)
    /// The whole body is too long.
    case tooLarge
}

extension MultipartError: APIErrorConvertible {
    /// `400 bad_multipart`, or `413` for what is too much.
    package var apiError: APIError {
        switch self {
        case .badBoundary:
            APIError(.badRequest, .badMultipart, "The Content-Type names no boundary, or none that RFC 2046 allows.")
        case .malformed(let place):
            APIError(.badRequest, .badMultipart, "The body is not multipart/form-data: \(place).")
        case .truncated:
            APIError(.badRequest, .badMultipart, "The body ends before its closing boundary; send it again, whole.")
        case .headTooLarge:
            APIError(.badRequest, .badMultipart, "A part has too many or too long header fields.")
        case .tooManyParts:
            APIError(.badRequest, .badMultipart, "The body has too many parts.")
        case .fieldTooLarge(let name):
            APIError(.contentTooLarge, .tooLarge, "The part '\(name.prefix(64))' is too long.")
        case .tooLarge:
            APIError(.contentTooLarge, .tooLarge, "The body is larger than what is taken here.")
        }
    }
}
