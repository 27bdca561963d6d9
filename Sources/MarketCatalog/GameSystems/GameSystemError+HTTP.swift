// SPDX-License-Identifier: Apache-2.0
import MarketHTTP
import MarketWire

extension GameSystemError: APIErrorConvertible {
    package var apiError: APIError {
        switch self {
        case .invalid(let field, let detail): .validation([.init(pointer: "/\(field)", detail: detail)])
        case .slugTaken(let slug):
            .validation([.init(pointer: "/slug", detail: "'\(slug)' is another game's.")])
        case .noSuchSystem: .notFound("This game system")
        }
    }
}
