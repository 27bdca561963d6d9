// SPDX-License-Identifier: Apache-2.0
import MarketHTTP
import MarketWire

extension TagError: APIErrorConvertible {
    package var apiError: APIError {
        switch self {
        case .noSuchTag: .notFound("This tag")
        case .partTooLong:
            .validation([.init(pointer: "q", detail: "At most \(TagService.maximumPartLength) characters.")])
        case .invalid(let detail): .validation([.init(pointer: "/to", detail: detail)])
        }
    }
}
