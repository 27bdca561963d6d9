// SPDX-License-Identifier: Apache-2.0
import CharacterCore
import Foundation
import MarketClient
import MarketWire
import SheetCore

/// How the program ends.
enum ExitStatus: Int32, Error {
    case done = 0
    case failed = 1
    case usage = 2
    case refused = 3
    case network = 4

    /// Tells people about an error and chooses the exit status. `otherwise` does so for errors of no type of ours.
    static func report(_ error: any Error, otherwise: (any Error) -> ExitStatus = unexpected) -> ExitStatus {
        switch error {
        case let status as ExitStatus:
            // The command has said what there is to say.
            return status
        case let error as MarketClientError:
            Terminal.note("sheets: \(Terminal.printable(error.description, lines: true))\(advice(for: error))")
            return status(for: error)
        case let error as LibraryError:
            Terminal.note("sheets: \(Terminal.printable(error.description))")
            return error.isVerificationFailure ? .refused : .failed
        case let error as ArchiveFailure:
            Terminal.note("sheets: \(Terminal.printable(error.description))")
            return .refused
        case is FormatFailure, is DrawingFailure:
            Terminal.note("sheets: \(Terminal.printable("\(error)"))")
            return .refused
        case let error as any ToldFailure:
            return report(error.failure)
        case let error as CommandFailure:
            Terminal.note("sheets: \(error.text)")
            return error.status
        case is CancellationError:
            return .failed
        case is Interruption.Stopped:
            Terminal.note("sheets: Stopped.")
            return .failed
        default:
            return otherwise(error)
        }
    }

    /// An error that nobody foresaw.
    static func unexpected(_ error: any Error) -> ExitStatus {
        Terminal.note("sheets: \(Terminal.printable(error.localizedDescription))")
        return .failed
    }

    private static func status(for error: MarketClientError) -> ExitStatus {
        if error.isOutage { return .network }
        switch error {
        case .refused(let problem):
            // What is not there was not refused.
            return (400..<500).contains(problem.status) && problem.status != 404 ? .refused : .failed
        case .badRequest, .status, .unreadableAnswer, .badRedirect: return .failed
        case .unreachable, .timedOut, .eventsLost: return .network
        }
    }

    private static func advice(for error: MarketClientError) -> String {
        switch error.code {
        case .authenticationRequired?, .invalidToken?, .expiredToken?: "\nSign in with `sheets login`."
        case .insufficientScope?: "\nSign in again with the scope that this needs: `sheets login --scope …`."
        case .some, nil:
            if case .unreachable(_, let reason) = error, reason != Network.missing {
                "\nIs --server right? What is installed works without it: `sheets list`, `sheets open`."
            } else {
                ""
            }
        }
    }
}

/// An error that is a sentence for people and an exit status.
struct CommandFailure: Error {
    let text: String
    let status: ExitStatus

    init(_ text: String, _ status: ExitStatus = .failed) {
        self.text = text
        self.status = status
    }
}

/// An error that says itself what people are told of it.
protocol ToldFailure: Error {
    var failure: CommandFailure { get }
}
