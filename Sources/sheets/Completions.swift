// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation

/// A command about the program as a whole.
protocol ProgramCommand: ParsableCommand {
    /// Runs for the program that it belongs to.
    func run(of program: any ParsableCommand.Type) throws
}

struct Completions: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "completions",
        abstract: "Print what makes the shell complete commands, options and the names of installed templates.",
        discussion: """
            bash:  sheets completions bash > ~/.local/share/bash-completion/completions/sheets
            zsh:   sheets completions zsh > ~/.zfunc/_sheets   (with `fpath+=~/.zfunc` before `compinit` in ~/.zshrc)
            fish:  sheets completions fish > ~/.config/fish/completions/sheets.fish

            A new shell knows them.
            """)

    @Argument(help: "bash, zsh or fish.", completion: .list(["bash", "zsh", "fish"]))
    var shell: String

    @OptionGroup var output: OutputOptions

    private struct Script: Encodable {
        let shell: String
        let script: String
    }

    func validate() throws {
        guard CompletionShell(rawValue: shell) != nil else { throw ValidationError("The shell is bash, zsh or fish.") }
    }

    func run(of program: any ParsableCommand.Type) throws {
        guard let shell = CompletionShell(rawValue: shell) else { return }
        let script = program.completionScript(for: shell)
        if output.json { return try Terminal.json(Script(shell: shell.rawValue, script: script)) }
        Terminal.out(script)
    }
}
