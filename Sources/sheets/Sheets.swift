// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import MarketClient
import MarketWire

/// The players' command.
@main
struct Sheets: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sheets",
        abstract: "Find, install and publish character-sheet templates; what is installed works offline.",
        discussion: """
            A template is named by its slug or id, a version by NAME@VERSION.

            Exit status: 0 done; 1 it failed; 2 the command line is wrong; 3 refused by the market, or something \
            is not what it should be (verification); 4 the market cannot be reached.

            Environment: SHEETS_SERVER, SHEETS_LIBRARY and SHEETS_TOKEN stand in for --server, --library and a \
            stored sign-in. `sheets --version` shows the version.
            """,
        subcommands: [
            Search.self, Show.self, Install.self, Update.self, List.self, Verify.self, Remove.self, Open.self,
            Archive.self, Publish.self, Status.self, ReviewCommand.self, Login.self, Logout.self,
        ])

    static func main() async {
        // Not the parser's own flag: that would take the place of `publish --version` in every help text.
        if CommandLine.arguments.dropFirst() == ["--version"] {
            return Terminal.out(MarketClient.version)
        }
        do {
            var command = try parseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch {
            Foundation.exit(Ending.report(error).rawValue)
        }
    }
}

/// How the program ends.
enum Ending: Int32, Error {
    case done = 0
    case failed = 1
    case usage = 2
    case refused = 3
    case network = 4

    /// Tells people about an error and chooses the exit status.
    static func report(_ error: any Error) -> Ending {
        switch error {
        case let ending as Ending:
            // The command has said what there is to say.
            return ending
        case let error as MarketClientError:
            Terminal.note("sheets: \(Terminal.printable(error.description, lines: true))\(advice(for: error))")
            return ending(for: error)
        case let error as LibraryError:
            Terminal.note("sheets: \(Terminal.printable(error.description))")
            return error.isVerificationFailure ? .refused : .failed
        case let error as Complaint:
            Terminal.note("sheets: \(error.text)")
            return error.ending
        case is CancellationError:
            return .failed
        default:
            return reportParsing(error)
        }
    }

    private static func reportParsing(_ error: any Error) -> Ending {
        let message = Sheets.fullMessage(for: error)
        if Sheets.exitCode(for: error) == .success {
            Terminal.out(message)
            return .done
        }
        guard Sheets.exitCode(for: error) == .validationFailure else {
            Terminal.note("sheets: \(Terminal.printable(error.localizedDescription))")
            return .failed
        }
        Terminal.note(message)
        return .usage
    }

    private static func ending(for error: MarketClientError) -> Ending {
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
            if case .unreachable = error {
                "\nIs --server right? What is installed works without it: `sheets list`, `sheets open`."
            } else {
                ""
            }
        }
    }
}

/// An error that is a sentence for people and an exit status.
struct Complaint: Error {
    let text: String
    let ending: Ending

    init(_ text: String, _ ending: Ending = .failed) {
        self.text = text
        self.ending = ending
    }
}
