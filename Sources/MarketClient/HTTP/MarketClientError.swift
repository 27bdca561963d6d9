// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketWire

/// Why a call to the market did not give its answer. The description is a sentence for people.
public enum MarketClientError: Error, Sendable, Equatable {
    /// The server said no, and why.
    case refused(ProblemDocument)
    /// The server answered with an error that is not a problem document: often a proxy in between.
    case status(Int, String)
    /// No connection could be made, or it broke.
    case unreachable(server: String, reason: String)
    /// The server did not answer in time.
    case timedOut(server: String)
    /// The answer came, but this program does not understand it.
    case unreadableAnswer(String)
    /// Redirected too often, from `https` to `http`, or to something that is not an address.
    case badRedirect(String)
    /// The address that a call would need cannot be made of what was given.
    case badRequest(String)
    /// The event stream broke again and again.
    case eventsLost(String)

    /// Whether the server could not be reached or could not serve, so that offline work is the right answer.
    public var isOutage: Bool {
        switch self {
        case .unreachable, .timedOut, .eventsLost: true
        case .status(let status, _): [502, 503, 504].contains(status)
        case .refused(let problem): [502, 503, 504].contains(problem.status)
        case .unreadableAnswer, .badRedirect, .badRequest: false
        }
    }

    /// The stable word, when the server gave one.
    public var code: ErrorCode? {
        if case .refused(let problem) = self { problem.code } else { nil }
    }
}

extension MarketClientError: CustomStringConvertible, LocalizedError {
    /// What happened, in a sentence.
    public var description: String {
        switch self {
        case .refused(let problem):
            var text = problem.detail ?? problem.title
            for error in problem.errors ?? [] {
                let pointer = error.pointer.trimmingCharacters(in: CharacterSet(charactersIn: "/"))
                text += "\n  \(pointer): \(error.detail)"
            }
            return text
        case .status(let status, let detail):
            return "The server answered with status \(status)\(detail.isEmpty ? "" : ": \(detail)")."
        case .unreachable(let server, let reason):
            return "\(server) cannot be reached: \(reason)."
        case .timedOut(let server):
            return "\(server) did not answer in time."
        case .unreadableAnswer(let detail):
            return "The server's answer cannot be understood: \(detail)."
        case .badRedirect(let detail):
            return "The server redirected to where this program does not go: \(detail)."
        case .badRequest(let detail):
            return detail
        case .eventsLost(let detail):
            return "The stream of events broke off and could not be taken up again: \(detail)."
        }
    }

    /// The same sentence, for Apple's alerts.
    public var errorDescription: String? { description }
}
