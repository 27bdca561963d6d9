// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketClient
import Testing

/// The shells themselves complete command lines, by the scripts that `sheets completions` prints.
@Suite("Completion, as shells do it")
struct CompletionTests {
    private let nowhere = "http://127.0.0.1:1"

    /// What is offered for the last word.
    private static let cases: [(words: [String], offered: String)] = [
        (["rollb"], "rollback"), (["open", ""], "quest-sheet"), (["install", "qu"], "quest-sheet"),
        (["update", ""], "quest-sheet"), (["pin", ""], "quest-sheet"), (["unpin", ""], "quest-sheet"),
        (["rollback", ""], "quest-sheet"), (["remove", ""], "quest-sheet"), (["show", ""], "quest-sheet"),
        (["archive", "template", ""], "quest-sheet"), (["review", ""], "quest-sheet"),
        (["review", "quest-sheet", "--stars", ""], "5"), (["review", "quest-sheet", "--sort", "h"], "helpful"),
        (["publish", "--template", ""], "quest-sheet"), (["update", "--no"], "--no-progress"),
    ]

    private func installed() async throws -> Scratch {
        let scratch = try Scratch()
        try await withStub(SampleSheet().market()) { server in
            _ = try await server.installer(scratch).install(.quest)
        }
        return scratch
    }

    @Test("bash offers commands, options, and names of what is installed")
    func bash() async throws {
        let scratch = try await installed()
        let shell = [
            "/bin/bash", "--norc", "--noprofile", "-c",
            """
            PATH="${0%/*}:$PATH"; source <(sheets completions bash)
            COMP_WORDS=(sheets "$@"); COMP_CWORD=$#; COMP_LINE="sheets $*"; COMP_POINT=${#COMP_LINE}
            read -ra how < <(complete -p sheets)
            for at in "${!how[@]}"; do [ "${how[at]}" = -F ] && by="${how[at + 1]}"; done
            "$by" sheets "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
            printf '%s\\n' "${COMPREPLY[@]}"
            """,
        ]
        for (words, offered) in Self.cases {
            let run = try await CommandLineRun.start(words, in: scratch, server: nowhere, through: shell).end()
            let lines = run.output.split(whereSeparator: \.isNewline).map { $0.trimmingCharacters(in: .whitespaces) }
            #expect(run.errors.isEmpty && lines.contains(offered), "\(words): \(run)")
        }
    }

    /// Types at a shell on a terminal, and reads what it makes of Tab.
    private func typeTab(_ shell: [String], _ prepare: String) async throws {
        let scratch = try await installed()
        let terminal = try TestTerminal()
        let folder = CommandLineRun.executable.deletingLastPathComponent().path
        // The terminal is the shell's own, as a window's is.
        let started = try CommandLineRun.start(
            [], in: scratch, server: nowhere, terminal: terminal, isShownThere: true,
            environment: ["TERM": "dumb", "PS1": "> ", "PATH": "\(folder):/usr/bin:/bin"],
            through: ["/usr/bin/setsid", "--ctty", "--wait", "/bin/sh", "-c", "exec \(shell.joined(separator: " "))"])
        try terminal.type(prepare + #"; echo rea""dy"#)
        try await terminal.wait(for: "ready")
        for (typed, shown) in [("review que", "quest-sheet"), ("review --sort hel", "helpful"), ("docto", "doctor")] {
            try terminal.press("sheets \(typed)\t")
            try await terminal.wait(for: shown)
            // What stands there goes.
            try terminal.press("\u{15}")
        }
        try terminal.type("exit")
        #expect(try await started.end().status == 0)
    }

    @Test("Tab in bash completes a name")
    func tabInBash() async throws {
        try await typeTab(["/bin/bash", "--norc", "--noprofile", "-i"], "source <(sheets completions bash)")
    }

    @Test("Tab in fish completes a name", .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/fish")))
    func tabInFish() async throws {
        try await typeTab(["/usr/bin/fish", "--no-config", "-i"], "sheets completions fish | source")
    }

    @Test("Tab in zsh completes a name", .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/zsh")))
    func tabInZsh() async throws {
        try await typeTab(
            ["/usr/bin/zsh", "-f", "-i"], #"autoload -Uz compinit; compinit -D -u; eval "$(sheets completions zsh)""#)
    }
}
