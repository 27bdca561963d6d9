// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import MarketHTTP
import MarketWire

/// Why a picture is not taken, or not there.
package enum ProfilePictureError: Error, Equatable, Sendable {
    /// No picture has come.
    case missing
    /// It has more bytes than are taken.
    case tooManyBytes
    /// It is neither PNG nor JPEG nor WebP.
    case notAPicture
    /// It moves.
    case animated
    /// It has more pixels than are looked at.
    case tooManyPixels
    /// It cannot be read to its end.
    case damaged
    /// Others are being redrawn.
    case busy
    /// There is no such picture, or none for the caller.
    case noSuchPicture
}

extension ProfilePictureError: APIErrorConvertible {
    package var apiError: APIError {
        switch self {
        case .missing: Self.wrong("Choose a picture.")
        case .tooManyBytes:
            APIError(
                .contentTooLarge, .tooLarge, "At most \(ProfilePictureService.maximumBytes >> 20) MB for a picture.")
        case .notAPicture: Self.wrong("A PNG, JPEG or WebP picture.")
        case .animated: Self.wrong("A picture that does not move.")
        case .tooManyPixels: Self.wrong("At most 40 million pixels. Make it smaller first.")
        case .damaged: Self.wrong("This picture is damaged. Save it again and try once more.")
        case .busy: .unavailable("Other pictures are being looked at. Try again in a moment.")
        case .noSuchPicture: .notFound("This picture")
        }
    }

    private static func wrong(_ detail: String) -> APIError {
        .validation([.init(pointer: "/picture", detail: detail)])
    }
}
