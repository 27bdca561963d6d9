// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import MarketClient

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

            Environment: SHEETS_SERVER, SHEETS_MIRROR, SHEETS_LIBRARY and SHEETS_TOKEN stand in for --server, --mirror, \
            --library and a stored sign-in; http_proxy, https_proxy, all_proxy and no_proxy name proxies as for curl \
            (http:// or socks5://), but this machine itself is always asked directly. `sheets --version` shows the version.
            """,
        subcommands: [
            Search.self, Show.self, Install.self, Update.self, List.self, Verify.self, Remove.self, Open.self,
            Archive.self, Rollback.self, Pin.self, Unpin.self, Clean.self, Trust.self, Publish.self, Status.self,
            ReviewCommand.self, Login.self, Logout.self, CharacterCommand.self, ExportCharacter.self, FillForm.self,
            BackupCommand.self,
            RollCommand.self, InitiativeCommand.self, CampaignCommand.self, Doctor.self, Completions.self, Manual.self,
        ])

    static func main() async {
        // Not the parser's own flag: that would take the place of `publish --version` in every help text.
        if CommandLine.arguments.dropFirst() == ["--version"] {
            return Terminal.out(MarketClient.version)
        }
        do {
            var command = try parseAsRoot()
            if let command = command as? any ProgramCommand {
                try command.run(of: Self.self)
            } else if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch {
            Foundation.exit(ExitStatus.report(error, otherwise: reportParsing).rawValue)
        }
    }

    /// What the parser throws is help, or a command line that is wrong.
    private static func reportParsing(_ error: any Error) -> ExitStatus {
        let message = fullMessage(for: error)
        if exitCode(for: error) == .success {
            Terminal.out(message)
            return .done
        }
        guard exitCode(for: error) == .validationFailure else {
            return ExitStatus.unexpected(error)
        }
        Terminal.note(message)
        return .usage
    }
}
