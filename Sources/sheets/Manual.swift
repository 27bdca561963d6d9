// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import MarketClient

struct Manual: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "manual",
        abstract: "Write manual pages for `man`, made from these help texts.",
        discussion: "In ~/.local/share/man, the default, `man sheets` and `man sheets-install` find them.")

    @Option(
        help: ArgumentHelp("The folder that has man1 (default: $XDG_DATA_HOME/man).", valueName: "folder"),
        completion: .directory)
    var to: String?

    @OptionGroup var output: OutputOptions

    private struct Written: Encodable {
        let folder: String
        /// Names of pages, as `man` knows them.
        let pages: [String]
    }

    func run(of program: any ParsableCommand.Type) throws {
        let folder = (to ?? Environment.folder("XDG_DATA_HOME", ".local/share") + "/man") + "/man1"
        let pages = try ManualPage.all(of: program)
        try AtomicFile.makeFolder(URL(fileURLWithPath: folder).path)
        for page in pages {
            let path = URL(fileURLWithPath: "\(folder)/\(page.name).1").path
            try AtomicFile.write(Data(page.text.utf8), to: path)
        }
        if output.json { return try Terminal.json(Written(folder: folder, pages: pages.map(\.name))) }
        Terminal.out(Terminal.printable("Wrote \(Readable.count(pages.count, "page")) to \(folder)."))
    }
}

/// One command's page in roff's `man` macros.
struct ManualPage {
    let name: String
    let text: String

    /// What the parser tells of a command in JSON, as far as pages need it.
    struct Command: Decodable {
        struct Argument: Decodable {
            struct Name: Decodable {
                let kind: String
                let name: String
            }

            let kind: String
            let shouldDisplay: Bool
            let isOptional: Bool
            let isRepeating: Bool
            let names: [Name]?
            let valueName: String?
            let abstract: String?
            let discussion: String?
        }

        let commandName: String
        let abstract: String?
        let discussion: String?
        let superCommands: [String]?
        let shouldDisplay: Bool
        let arguments: [Argument]?
        let subcommands: [Command]?

        var title: String { ((superCommands ?? []) + [commandName]).joined(separator: "-") }
    }

    private struct Tree: Decodable { let command: Command }

    /// The page of the program and of each of its commands.
    static func all(of program: any ParsableCommand.Type) throws -> [ManualPage] {
        var json = ""
        do {
            _ = try program.parseAsRoot(["--experimental-dump-help"])
        } catch {
            json = program.fullMessage(for: error)
        }
        return pages(of: try JSONDecoder().decode(Tree.self, from: Data(json.utf8)).command)
    }

    private static func pages(of command: Command) -> [ManualPage] {
        let below = (command.subcommands ?? []).filter { $0.shouldDisplay && $0.commandName != "help" }
        return [ManualPage(command, below)] + below.flatMap(pages)
    }

    private init(_ command: Command, _ below: [Command]) {
        name = command.title
        let spoken = name.replacing("-", with: " ")
        let arguments = (command.arguments ?? []).filter(\.shouldDisplay)
        var lines = [
            ".TH \"\(Self.plain(name.uppercased()))\" 1 \"\" \"sheets \(MarketClient.version)\"", ".SH NAME",
            "\(Self.plain(name)) \\- \(Self.plain(command.abstract ?? ""))", ".SH SYNOPSIS",
            ".B \(Self.plain(spoken))", Self.plain(arguments.map(Self.usage).joined(separator: " ")),
        ]
        if !below.isEmpty { lines.append("[\\fIcommand\\fR]") }
        if let text = command.discussion, !text.isEmpty { lines += [".SH DESCRIPTION"] + Self.paragraphs(text) }
        if !below.isEmpty {
            lines.append(".SH COMMANDS")
            for one in below { lines += [".TP", ".BR \(Self.plain(one.title)) (1)", Self.plain(one.abstract ?? "")] }
        }
        if !arguments.isEmpty {
            lines.append(".SH OPTIONS")
            for one in arguments { lines += [".TP", ".B \(Self.plain(Self.label(one)))", Self.plain(Self.help(one))] }
        }
        text = lines.joined(separator: "\n") + "\n"
    }

    /// Paragraphs of one line are filled; others stand as they are.
    private static func paragraphs(_ text: String) -> [String] {
        var lines: [String] = []
        for paragraph in text.split(separator: "\n\n") {
            let rows = paragraph.split(separator: "\n").map { plain(String($0)) }
            lines += rows.count == 1 ? [".PP"] + rows : [".PP", ".nf"] + rows + [".fi"]
        }
        return lines
    }

    private static func label(_ argument: Command.Argument) -> String {
        let value = argument.valueName ?? "value"
        guard argument.kind != "positional" else { return "<\(value)>" }
        let names = (argument.names ?? []).map { ($0.kind == "long" ? "--" : "-") + $0.name }.joined(separator: ", ")
        return argument.kind == "option" ? "\(names) <\(value)>" : names
    }

    private static func usage(_ argument: Command.Argument) -> String {
        let text = label(argument).replacing(", ", with: "|") + (argument.isRepeating ? " ..." : "")
        return argument.isOptional ? "[\(text)]" : text
    }

    private static func help(_ argument: Command.Argument) -> String {
        [argument.abstract, argument.discussion].compactMap { $0 }.joined(separator: " ")
    }

    /// Text that roff takes as it is.
    private static func plain(_ text: String) -> String {
        let escaped = text.replacing("\\", with: "\\e").replacing("-", with: "\\-")
            .replacing("\n", with: " ")
        return escaped.hasPrefix(".") || escaped.hasPrefix("'") ? "\\&" + escaped : escaped
    }
}
