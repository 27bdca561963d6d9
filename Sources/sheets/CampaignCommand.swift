// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import CharacterCore
import Foundation
import MarketClient
import SheetCore

struct CampaignCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "campaign",
        abstract: "Keep campaigns: who plays, and notes of what happened. Needs no network.",
        discussion: """
            sheets campaign new "The Long Road"
            sheets campaign join "The Long Road" Mira --player Ada
            sheets campaign note "The Long Road" "They met Zoë at the inn." --title "The inn"
            sheets campaign search zoe

            A campaign is named by its name or id. What you write stays on this machine.
            """,
        subcommands: [
            New.self, ListCampaigns.self, ShowCampaign.self, Note.self, SearchNotes.self, Join.self, Leave.self,
            ArchiveCampaign.self,
        ],
        defaultSubcommand: ListCampaigns.self)

    /// Which campaign.
    struct Chosen: ParsableArguments {
        @Argument(help: ArgumentHelp("Its name or id.", valueName: "campaign"), completion: KnownNames.campaigns)
        var key: String

        @OptionGroup var libraryOptions: LibraryOptions
        @OptionGroup var output: OutputOptions

        func find() throws -> Campaign {
            let known = try libraryOptions.open().campaigns()
            let found = known.campaigns.filter { $0.name.lowercased() == key.lowercased() || $0.id.description == key }
            if found.count > 1 {
                let ids = found.map(\.id.description).joined(separator: ", ")
                throw CommandFailure("Several campaigns are called so; use an id: \(ids).")
            }
            if found.isEmpty, let error = known.unreadable.first { throw error }
            guard let campaign = found.first else {
                throw CommandFailure("There is no campaign '\(Terminal.printable(key))'; `sheets campaign` lists them.")
            }
            return libraryOptions.characters().renamed(campaign)
        }

        func change(_ said: String, _ change: (inout Campaign) throws -> Void) async throws {
            let found = try find()
            let changed = try await libraryOptions.open().changeTable(Library.campaign(found.id)) {
                (known: Campaign?) in
                var campaign = libraryOptions.characters().renamed(known ?? found)
                try TableCommand.doing { try change(&campaign) }
                return campaign
            }
            if output.json { return try Terminal.json(changed) }
            Terminal.out(Terminal.printable(said))
        }
    }

    struct New: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "new", abstract: "Begin a campaign.")

        @Argument(help: "What to call it.")
        var name: String

        @Option(
            name: [.customLong("game-system"), .customShort("g")],
            help: ArgumentHelp("The game system's slug.", valueName: "slug"))
        var gameSystem: String?

        @OptionGroup var libraryOptions: LibraryOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let campaign = try TableCommand.doing { try Campaign(name: name, gameSystem: gameSystem) }
            let library = libraryOptions.open()
            let same = try library.campaigns().campaigns.contains { $0.name.lowercased() == name.lowercased() }
            guard !same else { throw CommandFailure("There is a campaign of that name already.") }
            try await library.changeTable(Library.campaign(campaign.id)) { (_: Campaign?) in campaign }
            if output.json { return try Terminal.json(campaign) }
            Terminal.out(Terminal.printable("Began '\(name)' (\(campaign.id))."))
        }
    }

    struct ListCampaigns: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "list", abstract: "List campaigns.")

        @Flag(help: "Also those that were archived.")
        var all = false

        @OptionGroup var libraryOptions: LibraryOptions
        @OptionGroup var output: OutputOptions

        private struct Listed: Encodable {
            let campaigns: [Campaign]
        }

        func run() async throws {
            let known = try libraryOptions.open().campaigns()
            for error in known.unreadable { Terminal.note("sheets: \(Terminal.printable(error.description))") }
            let campaigns = known.campaigns.filter { all || !$0.isArchived }
            if output.json {
                try Terminal.json(Listed(campaigns: campaigns))
            } else if campaigns.isEmpty {
                Terminal.note("There is no campaign yet; `sheets campaign new NAME` begins one.")
            } else {
                var table = Table(("NAME", .left), ("CHARACTERS", .right), ("NOTES", .right), ("LAST", .left))
                for one in campaigns {
                    let last = one.notes.last?.day.description ?? ""
                    table.add(
                        one.name, "\(one.members.count)", "\(one.notes.count)",
                        one.isArchived ? "\(last) archived" : last)
                }
                Terminal.out(table.text)
            }
            if !known.unreadable.isEmpty { throw ExitStatus.refused }
        }
    }

    struct ShowCampaign: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Show a campaign with its characters and notes.")
        @OptionGroup var chosen: Chosen

        func run() async throws {
            let campaign = try chosen.find()
            if chosen.output.json { return try Terminal.json(campaign) }
            let archived = campaign.isArchived ? ", archived" : ""
            Terminal.out(Terminal.printable("\(campaign.name) (\(campaign.id)\(archived))"))
            for member in campaign.members {
                let player = member.player.map { ", played by \($0)" } ?? ""
                Terminal.out(Terminal.printable("  \(member.name)\(player)"))
            }
            for note in campaign.notes { Terminal.out("\n" + CampaignCommand.text(note)) }
        }
    }

    static func text(_ note: Campaign.Note) -> String {
        Terminal.printable("\(note.day)  \(note.title)  [\(note.id)]\n\(note.text)", lines: true)
    }

    struct Note: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "note",
            abstract: "Write a note, or change or delete one.",
            discussion: "Without a text it is read from standard input.")

        @OptionGroup var chosen: Chosen

        @Argument(help: "What happened, in Markdown.")
        var text: String?

        @Option(help: "Its title.")
        var title: String?

        @Option(help: ArgumentHelp("The day of the session (default: today).", valueName: "YYYY-MM-DD"))
        var day: String?

        @Option(help: ArgumentHelp("Write this note anew; `show` tells ids.", valueName: "note-id"))
        var edit: String?

        @Option(help: ArgumentHelp("Delete this note.", valueName: "note-id"))
        var delete: String?

        private func id(_ text: String) throws -> SessionNoteID {
            guard let id = SessionNoteID(text) else { throw ValidationError("'\(text)' is no note's id.") }
            return id
        }

        func run() async throws {
            if let delete {
                let id = try id(delete)
                return try await chosen.change("Deleted the note.") { try $0.erase(id) }
            }
            var written = text
            if written == nil {
                written = try FileHandle.standardInput.readToEnd().map { String(decoding: $0, as: UTF8.self) }
            }
            guard let text = written?.trimmingCharacters(in: .newlines), !text.isEmpty else {
                throw ValidationError("A note says something.")
            }
            if let edit {
                let id = try id(edit)
                return try await chosen.change("Changed the note.") { try $0.rewrite(id, text, title: title) }
            }
            guard let day = CalendarDay(self.day ?? Self.today()) else {
                throw ValidationError("--day looks like 2026-03-01.")
            }
            let name = title ?? "Session"
            try await chosen.change("Noted for \(day).") { try $0.write(text, title: name, on: day) }
        }

        private static func today() -> String {
            let parts = Calendar(identifier: .gregorian).dateComponents([.year, .month, .day], from: Date())
            return String(format: "%04d-%02d-%02d", parts.year ?? 0, parts.month ?? 0, parts.day ?? 0)
        }
    }

    struct SearchNotes: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "search", abstract: "Find notes that have all the words, in any case and accents.")

        @Argument(help: ArgumentHelp("What to look for.", valueName: "word"))
        var words: [String]

        @Option(
            name: .customLong("in"), help: ArgumentHelp("Look only in this campaign.", valueName: "campaign"),
            completion: KnownNames.campaigns)
        var campaign: String?

        @OptionGroup var libraryOptions: LibraryOptions
        @OptionGroup var output: OutputOptions

        private struct Found: Encodable {
            struct Hit: Encodable {
                let campaign: String
                let note: Campaign.Note
                let excerpt: String
            }

            let hits: [Hit]
        }

        func run() async throws {
            let campaigns = try libraryOptions.open().campaigns().campaigns.filter { one in
                campaign.map { one.name.lowercased() == $0.lowercased() || one.id.description == $0 } ?? true
            }
            if let campaign, campaigns.isEmpty {
                throw CommandFailure("There is no campaign '\(Terminal.printable(campaign))'.")
            }
            let query = words.joined(separator: " ")
            let hits = campaigns.flatMap { one in
                one.search(query).map { Found.Hit(campaign: one.name, note: $0.note, excerpt: $0.excerpt) }
            }
            if output.json { return try Terminal.json(Found(hits: hits)) }
            if hits.isEmpty { Terminal.note("No note has all of that.") }
            for hit in hits {
                Terminal.out(Terminal.printable("\(hit.note.day)  \(hit.campaign): \(hit.note.title)"))
                Terminal.out(Terminal.printable("  \(hit.excerpt)"))
            }
        }
    }

    struct Join: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "join",
            abstract: "Add a character that is here, or somebody as a guest.")
        @OptionGroup var chosen: Chosen
        @Argument(help: CharacterView.nameHelp, completion: KnownNames.characters)
        var character: String?
        @Option(help: ArgumentHelp("Somebody who is on paper or on another device.", valueName: "name"))
        var guest: String?
        @Option(help: ArgumentHelp("The guest's id, as `sheets character list` shows it there.", valueName: "id"))
        var id: String?
        @Option(help: ArgumentHelp("Who plays it.", valueName: "name"))
        var player: String?

        func run() async throws {
            let member = try member()
            try await chosen.change("\(member.name) joined.") { try $0.join(member) }
        }

        private func member() throws -> Campaign.Member {
            if let guest { return .init(id: id, name: guest, player: player) }
            let key = character ?? ""
            guard let entry = try chosen.libraryOptions.characters().known(key) else {
                throw CommandFailure(
                    "No character is called '\(Terminal.printable(key))'; `sheets character list` lists them, and "
                        + "--guest NAME adds somebody who is not here.")
            }
            return .init(id: entry.id.description, name: entry.name, player: player)
        }

        func validate() throws {
            guard (character == nil) != (guest == nil) else { throw ValidationError("Either a character or --guest.") }
            guard let id else { return }
            guard guest != nil else { throw ValidationError("--id goes with --guest: a character here has one.") }
            guard CharacterID(id) != nil else { throw ValidationError("'\(id)' is no character's id.") }
        }
    }

    struct Leave: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "leave", abstract: "Take a character out.")
        @OptionGroup var chosen: Chosen
        @Argument(help: "The character's name or id.", completion: KnownNames.characters)
        var name: String

        func run() async throws {
            // Whatever it was called when it joined.
            let id = try? chosen.libraryOptions.characters().known(name)?.id.description
            try await chosen.change("\(name) left.") { campaign in
                let isMember = campaign.members.contains { $0.id == id }
                try campaign.leave(isMember ? id ?? name : name)
            }
        }
    }

    struct ArchiveCampaign: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "archive", abstract: "Put a campaign out of sight, or bring it back.")
        @OptionGroup var chosen: Chosen
        @Flag(help: "Bring it back.")
        var undo = false

        func run() async throws {
            try await chosen.change(undo ? "It is back." : "Archived.") { $0.archive(!undo) }
        }
    }
}

extension CharacterStore {
    /// A campaign with its members as they are called now.
    fileprivate func renamed(_ campaign: Campaign) -> Campaign {
        // Of characters that are not here, the name by which they joined stays.
        let known = (try? index())?.characters ?? []
        let names = Dictionary(known.map { ($0.id.description, $0.name) }) { first, _ in first }
        var campaign = campaign
        campaign.rename(names)
        return campaign
    }
}
