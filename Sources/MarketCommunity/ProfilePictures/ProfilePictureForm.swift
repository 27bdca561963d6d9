// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Hummingbird
import MarketHTTP
import MarketWire
import NIOCore

/// A form with a picture.
package enum ProfilePictureForm {
    /// Form syntax around the picture, in bytes.
    private static let overheadBytes = 64 << 10

    /// The part `picture` of a form; throws `ProfilePictureError` where there is none, or too much of it.
    package static func picture(in request: Request) async throws -> Data {
        guard let type = request.headers[.contentType], type.lowercased().hasPrefix("multipart/form-data") else {
            throw APIError(
                .unsupportedMediaType, .unsupportedMediaType,
                "Send the picture as 'Content-Type: multipart/form-data' with the part 'picture'.")
        }
        let most = ProfilePictureService.maximumBytes
        let limits = MultipartLimits(totalBytes: most + overheadBytes, fieldBytes: most)
        if let length = request.headers[.contentLength].flatMap(Int.init), length > limits.totalBytes {
            throw ProfilePictureError.tooManyBytes
        }
        var reader = MultipartReader(
            request.body.makeAsyncIterator(), boundary: try MultipartBoundary(contentType: type), limits: limits)
        var picture: Data?
        do {
            while let event = try await reader.next() {
                guard case .part(let head) = event else { continue }
                let bytes = try await reader.field(head.name)
                if head.name == "picture" { picture = Data(bytes.readableBytesView) }
            }
        } catch MultipartError.fieldTooLarge, MultipartError.tooLarge {
            throw ProfilePictureError.tooManyBytes
        }
        // A browser sends an empty part for a field that was left alone.
        guard let picture, !picture.isEmpty else { throw ProfilePictureError.missing }
        return picture
    }
}
