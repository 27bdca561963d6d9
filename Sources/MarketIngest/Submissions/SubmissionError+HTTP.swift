// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import MarketHTTP
import MarketWire
import SheetCore

extension SubmissionError: APIErrorConvertible {
    package var apiError: APIError {
        switch self {
        case .notFound: .notFound("This submission")
        case .notUploader: APIError(.forbidden, .forbidden, "Only the uploader can do that with a submission.")
        case .wrongState(let state, let verb):
            APIError(.conflict, .conflict, "The submission is \(state.rawValue); it cannot be \(verb) now.")
        case .notCleaned: APIError(.conflict, .conflict, "Nothing was taken out of this submission's file.")
        case .tooManyWatchers: .unavailable("Too many are watching; ask for the state instead.")
        }
    }
}
